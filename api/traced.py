"""Python functions as models: traced for arguments, and compiled for each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial, update_wrapper
from inspect import Parameter, signature
from threading import Lock
from typing import Any, cast

import numpy as np

from glow.compilation import Source, compile_source
from glow.model import Model
from glow.options import CACHE_SIZE, Options
from glow.runtime.interface import Executable
from glow.runtime.specializations import Specializations
from glow.support.garbage import no_collection
from glow.traced_model import TracedModel
from glow.tracing.programs import (
    TracedArguments,
    TracedProgram,
    arguments_of,
    known_values,
    trace_program,
)
from glow.tracing.pytrees import unflatten
from glow.tracing.trace import is_tracing
from glow.tracing.user_code import check_function, error_here


def trace(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Model:
    """
    Return what a function does with these arguments as a model.

    It is run once, on arrays of which only shapes and element types are known; all that
    it does with them, by operators or functions of NumPy, is written down, at its
    lines. Arguments and results are arrays, or nested tuples, lists, dicts and
    dataclasses of such; the names of inputs and outputs say where in them each is, as
    `params.w1`. Numbers are inputs too; other values, such as strings and bools, are
    part of the model. `glow.ShapeDtype` stands for an array that is not there yet;
    extents of it that have names, such as "batch", stay open, as those of ONNX models
    do.
    Arrays that the function closes over are constants. docs/tracing.md says more.
    Errors: TracingError, which begins with the line that cannot be traced.
    """
    check_function("trace", function)
    static: Sequence[str] = ()
    if isinstance(function, JitFunction):
        function, static = function.function, function.static
    given = arguments_of(function, arguments, named, static)
    if any(isinstance(extent, str) for spec in given.specs for extent in spec.shape):
        return TracedModel(function, given)
    with no_collection():
        traced = trace_program(function, given, shares_memory=True)
    return Model(getattr(function, "__name__", "model"), traced.module)


class JitFunction:
    """A function that runs compiled: `glow.jit` makes it."""

    def __init__(
        self,
        function: Callable[..., Any],
        static: Sequence[str],
        target: str,
        options: Options,
    ):
        self.function = function
        self.static = tuple(static)
        self._target = target
        self._options = options
        self._kept = Specializations[_Compiled](options.cache_size)
        update_wrapper(self, function)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", repr(self.function))
        return f"<glow.jit {name} for {self._target}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the method of an instance, which is part of what is compiled."""
        return self if instance is None else partial(self, instance)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run on arguments; what is compiled for their kinds is kept."""
        if is_tracing():
            return self.function(*arguments, **named)
        given = arguments_of(self.function, arguments, named, self.static)
        compiled = self._kept.get(given.key, partial(self._compile, given))
        compiled.check(self.function)
        return compiled(given.arrays())

    def _compile(self, given: TracedArguments) -> _Compiled:
        with no_collection():
            traced = trace_program(self.function, given)
        model = Model(getattr(self.function, "__name__", "model"), traced.module)
        net = compile_source(Source(model), self._target, self._options)
        return _Compiled(net, traced, known_values(self.function))


class _Compiled:
    """A traced function for arguments of one kind, compiled."""

    def __init__(self, net: Executable, traced: TracedProgram, known: dict[str, Any]):
        self._net = net
        self._structure = traced.structure
        self._known = known
        self._names = [spec.name for spec in net.inputs]
        self._lock = Lock()
        states = {name: variable.array for name, variable in traced.variables}
        kept = {state.spec.name for state in net.signature.states}
        bound = {name: states[name] for name in states if name in kept}
        self._bindings = net.bind(bound) if bound else None

    def check(self, function: Callable[..., Any]) -> None:
        """Raise where a value has changed that became part of the code."""
        for name, value in known_values(function).items():
            before = self._known.get(name, value)
            if before is not value and before != value:
                shown = "" if isinstance(value, tuple) else f" {before}, got {value}"
                raise error_here(
                    f"{function.__name__}: expected {name} as it was when the function "
                    f"was traced,{shown or ' got another array or other elements'}; "
                    "pass it as an argument, or make it a glow.Variable"
                )

    def __call__(self, arrays: Sequence[Any]) -> Any:
        if self._bindings is None:
            results = self._net(*arrays)
            leaves = results if isinstance(results, tuple) else (results,)
            return unflatten(self._structure, leaves)
        with self._lock:
            for name, array in zip(self._names, arrays, strict=True):
                self._bindings[name] = array
            for spec in self._net.outputs:
                self._bindings[spec.name] = np.empty(spec.shape, spec.dtype)
            found = self._bindings.run()
        return unflatten(self._structure, [found[s.name] for s in self._net.outputs])


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static: Sequence[str] | str = (),
    target: str = "cpu",
    threads: int | None = None,
    cache_size: int = CACHE_SIZE,
    **options: Any,
) -> Any:
    """
    Return a function that computes the same, compiled, as a decorator does.

    A call traces and compiles the function (see `glow.trace`) for the shapes and types
    of its arrays, the structure that they are nested in, and the values of all other
    arguments; that is kept for the last `cache_size` of them. Numbers are arrays, but
    for the arguments named in `static`. Variables (`glow.Variable`) are read and
    written in place. `target`, `threads` and `options` are those of `glow.compile`.
    Errors: TracingError at the line that cannot be traced, or calls it after a
    value that it closes over has changed; else as `glow.compile`, and of a run.
    """
    if function is None:
        return partial(
            jit,
            static=static,
            target=target,
            threads=threads,
            cache_size=cache_size,
            **options,
        )
    check_function("jit", function)
    names = _static_names(function, static)
    if strange := options.keys() - {each.name for each in fields(Options)}:
        raise error_here(
            f"jit: expected options of glow.compile, got {', '.join(sorted(strange))}"
        )
    made = Options(threads=threads, cache_size=cache_size, **options)
    return JitFunction(function, names, target, made)


def _static_names(function: Callable[..., Any], static: object) -> tuple[str, ...]:
    """Return the names in `static`, which the function must have as parameters."""
    given = (static,) if isinstance(static, str) else static
    is_list = isinstance(given, tuple | list | set | frozenset)
    names = tuple(cast(Sequence[object], given)) if is_list else (given,)
    texts = tuple(name for name in names if isinstance(name, str))
    if len(texts) < len(names):
        raise error_here(f"jit: expected names of parameters as static, got {given!r}")
    try:
        parameters = signature(function).parameters
    except ValueError:  # without a signature, as some functions of C
        return texts
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values())
    for name in texts:
        if name not in parameters and not takes_any:
            known = ", ".join(parameters) or "none"
            raise error_here(
                f"jit: expected static to name one of {known}, got {name!r}"
            )
    return texts
