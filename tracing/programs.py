"""Whole programs: a function and its arguments become a module with named storage."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Array, sample_of
from glow.support.names import with_article
from glow.support.types import element_type_of
from glow.tracing import namespace as _functions  # which registers them
from glow.tracing.calls import traced_results
from glow.tracing.operands import tensor_of, weak_type
from glow.tracing.pytrees import (
    PathLeaf,
    ShapeDtype,
    Structure,
    flatten,
    is_array,
    unflatten,
)
from glow.tracing.trace import TracedModule
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import blamed_on_user, error_here
from glow.tracing.variables import Variable

assert _functions


@dataclass(frozen=True)
class ArgumentSpec:
    """An array that a traced function takes: its name, shape and element type."""

    name: str
    shape: tuple[int | str, ...]
    dtype: np.dtype[Any]
    weak: type | None = None
    """The type of a number of Python, which gives way to arrays."""


@dataclass(frozen=True)
class TracedArguments:
    """The arguments of a call: arrays in order, and all else, which is part of code."""

    leaves: tuple[PathLeaf, ...]
    specs: tuple[ArgumentSpec, ...]
    structure: Structure
    fixed: tuple[tuple[str, Any], ...]
    """Arguments that are taken as they are, by name."""

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of a call: calls with equal keys run the same code."""
        kinds = tuple((each.shape, each.dtype, each.weak) for each in self.specs)
        return (
            self.structure,
            kinds,
            tuple((k, v, cast(Any, type(v))) for k, v in self.fixed),
        )

    def arrays(self) -> list[Array]:
        """Return the leaves as arrays of the types that the specs have."""
        return [
            np.asarray(leaf.value, spec.dtype)
            for leaf, spec in zip(self.leaves, self.specs, strict=True)
        ]


def arguments_of(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    static: Sequence[str] = (),
) -> TracedArguments:
    """
    Return the arguments of a call, each named by the parameter that takes it.

    Errors: TracingError at the caller's line for arguments that the function does not
    take, values that are neither arrays nor can be part of a key.
    """
    shown = getattr(function, "__name__", "function")
    try:
        taken = dict(_by_parameter(function, arguments, named))
        fixed = tuple((name, taken.pop(name)) for name in static if name in taken)
        for name, value in fixed:
            _check_hash(name, value)
        leaves, structure = flatten(taken, _is_argument)
        specs = tuple(map(_spec, leaves))
    except (TypeError, VerifyException) as error:
        raise error_here(f"{shown}: {error}") from None
    return TracedArguments(tuple(leaves), specs, structure, fixed)


def _by_parameter(
    function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    for name, value in (
        inspect.signature(function).bind(*arguments, **named).arguments.items()
    ):
        kind = inspect.signature(function).parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        else:
            yield name, value


def _is_argument(value: object) -> bool:
    return is_array(value) and not isinstance(value, Variable)


def _check_hash(name: str, value: object) -> None:
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"{name}: expected a static value that has a hash, got "
            f"{with_article(type(value).__name__)}; use a tuple for a list"
        ) from None


def _spec(leaf: PathLeaf) -> ArgumentSpec:
    value = leaf.value
    if isinstance(value, Tracer):
        raise TypeError(f"{leaf.name}: expected an array, got one of another trace")
    if isinstance(value, ShapeDtype):
        dtype = np.dtype(value.dtype)
        shape = _extents(leaf.name, value.shape)
    else:
        array: Array = np.asarray(value)
        dtype, shape = array.dtype, array.shape
    try:
        element_type_of(dtype)
    except VerifyException as error:
        raise TypeError(f"{leaf.name}: {error}") from None
    return ArgumentSpec(leaf.name, shape, dtype, weak_type(value))


def _extents(name: str, shape: object) -> tuple[int | str, ...]:
    """Return the extents of a `ShapeDtype`; TypeError for other values."""
    extents = cast(Sequence[Any], shape if isinstance(shape, tuple | list) else (None,))
    for extent in extents:
        if not isinstance(extent, str) and not (
            hasattr(extent, "__index__") and extent >= 0
        ):
            raise TypeError(
                f"{name}: expected a shape of extents of at least 0, or names of "
                f"dimensions, got {shape!r}"
            )
    return tuple(e if isinstance(e, str) else int(e) for e in extents)


@dataclass(frozen=True)
class TracedProgram:
    """A module, and what its storage means to the caller."""

    module: ModuleOp
    structure: Structure
    """How the outputs are nested."""
    variables: tuple[tuple[str, Variable], ...]
    """The variables that it reads or writes, by the names of their storage."""


def trace_program(
    function: Callable[..., Any],
    given: TracedArguments,
    dims: Mapping[str, int] | None = None,
    shares_memory: bool = False,
) -> TracedProgram:
    """
    Run a function on traced arrays, and return what it did as a module.

    Inputs are named after their place in the arguments, as `params.w1`, results after
    theirs, as `result.loss`; a single one is `result`. `dims` has the extents of open
    dimensions. With `shares_memory`, an argument that the function also reaches in
    another way is the same symbol; else arguments are arrays of their own.
    Errors: TracingError, which begins with the line of the function at fault.
    """
    program = TracedModule()
    program.names = names_around(function)
    tracers: list[Tracer] = []
    for leaf, spec in zip(given.leaves, given.specs, strict=True):
        shape = [(dims or {})[e] if isinstance(e, str) else e for e in spec.shape]
        storage = program.placeholder(spec.name, spec.dtype, shape)
        tracers.append(Tracer(program.main.load(storage), spec.weak))
        if shares_memory and isinstance(leaf.value, np.ndarray):
            program.know(
                cast(Array, leaf.value),
                lambda trace, own=tracers[-1]: trace.adopt(own.tensor),
            )
    taken = unflatten(given.structure, tracers) | dict(given.fixed)

    def run() -> Any:
        return _call(function, taken)

    run.__name__ = getattr(function, "__name__", "function")
    with program.main.entered() as main, blamed_on_user():
        results, structure = traced_results(run, ())
        tensors = [main.adopt(tensor_of(result)) for result in results]
    if not tensors and not any(
        value.value.owner is not storage
        for _, storage, value in program.variables.values()
    ):
        made = None if results else unflatten(structure, [])
        got = with_article(type(made).__name__) if made else "none"
        raise error_here(f"{run.__name__}: expected arrays as results, got {got}")
    paths, _ = flatten(unflatten(structure, results), path=("result",))
    for path, tensor in zip(paths, tensors, strict=True):
        storage = program.placeholder(path.name, tensor.dtype, tensor.shape, "out")
        program.save(storage, tensor)
    module = program.module()
    kept = tuple(
        (storage.sym_name.data, variable)
        for variable, storage, _ in program.variables.values()
    )
    return TracedProgram(module, structure, kept)


def _call(function: Callable[..., Any], taken: Mapping[str, Any]) -> Any:
    """Call a function with values by the names of its parameters."""
    positional: list[Any] = []
    rest = dict(taken)
    for parameter in inspect.signature(function).parameters.values():
        match parameter.kind:
            case inspect.Parameter.VAR_POSITIONAL:
                positional += rest.pop(parameter.name, ())
            case (
                inspect.Parameter.POSITIONAL_ONLY
                | inspect.Parameter.POSITIONAL_OR_KEYWORD
            ):
                if parameter.name not in rest:
                    break
                positional.append(rest.pop(parameter.name))
            case _:
                break
    return function(*positional, **rest)


def names_around(function: Callable[..., Any]) -> dict[int, str]:
    """Return names of the arrays that a function closes over, by their identity."""
    names: dict[int, str] = {}
    for name, value in closed_over(function).items():
        try:
            leaves, _ = flatten(value, path=(name,))
        except (TypeError, RecursionError):
            continue
        for leaf in leaves:
            names.setdefault(id(leaf.value), leaf.name)
    return names


def closed_over(function: Any) -> dict[str, Any]:
    """Return the values of a function's free variables, and the globals it names."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not inspect.isfunction(function):
        return {}
    found = inspect.getclosurevars(function)
    return {**found.globals, **found.nonlocals}


def known_values(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what a function closes over that must not change: numbers and arrays."""
    values: dict[str, Any] = {}
    for name, value in closed_over(function).items():
        if isinstance(value, bool | int | float | str):
            values[name] = value
        elif isinstance(value, np.ndarray):
            array = cast(Array, value)
            sample = sample_of(array) if array.flags.c_contiguous else b""
            values[name] = (id(array), sample)
    return values
