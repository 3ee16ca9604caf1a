"""
The backend of `torch.compile(model, backend="glow")`.

PyTorch finds it by the entry point `torch_dynamo_backends`. AOTAutograd makes graphs of
operators of ATen, forward and backward ones, without writes in place; each is compiled
when it runs for the first time.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from glow.compilation import Source, compile_source
from glow.formats.pytorch.fx_graph import (
    FxInput,
    FxModule,
    FxOutput,
    import_graph,
    missing_operators,
)
from glow.formats.pytorch.promotion import dtype_from
from glow.model import Model
from glow.options import BACKGROUND, CACHE_SIZE, Options, check_switch, target_spec
from glow.runtime.background import BackgroundWork
from glow.runtime.interface import Executable
from glow.runtime.specializations import Specializations
from glow.support.errors import GlowError, UnsupportedModelError
from glow.support.targets import target_of
from glow.torch_modules import decompositions, whole_operators
from glow.torch_tensors import Snapshot, array_of, tensor_of_array
from glow.torch_views import ViewedResults
from glow.tracing.pytrees import ShapeDtype

_torch: Any = import_module("torch")
_LOG = logging.getLogger("glow")
_NUMBERS = count()

_RESIZE = re.compile("interpolate|upsample")
_FAULTS = 3
"""After how many shapes that failed, if none was compiled, no other one is tried."""

_CHANGES = 2
"""After how many changes a parameter is passed to each run, not compiled in."""


def compile_fx(
    module: Any,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """
    Compile a graph of TorchDynamo, as backends of `torch.compile` do.

    `options` are those of `glow.compile`, `target` among them, and two more. A graph
    that cannot be compiled runs in PyTorch, with a warning of logger `glow`; with
    `fallback=False` it is an error. With `freeze=False` parameters are passed to
    each run, so that any write to them counts. With `shapes="background"` PyTorch runs
    a graph while a thread compiles it. Runs use as many threads as PyTorch does.
    A `mode` is one of inductor's; a warning says that it changes nothing.
    Errors: TypeError for other options, ValueError for their values, TargetError for
    an unknown target or feature; as `glow.compile` without the fallback.
    """
    if mode not in (None, "default"):
        _LOG.warning("mode %r of torch.compile is inductor's: it has no effect", mode)
    settings = dict(options or {})
    fallback, freeze = (settings.pop(name, True) for name in ("fallback", "freeze"))
    check_switch("fallback", fallback)
    check_switch("freeze", freeze)
    target = settings.pop("target", "cpu")
    settings.setdefault("threads", _torch.get_num_threads())
    own = "target", "fallback", "freeze"
    given = Options.named("options of torch.compile", own, settings)
    target_of(target_spec(target, given.cpu_features, given.accuracy))
    work = BackgroundWork() if given.shapes == BACKGROUND else None
    options_of_shape = given if work is None else replace(given, shapes=())
    compile = partial(compile_source, target=target, options=options_of_shape)
    backends: Any = import_module("torch._dynamo.backends.common")
    partitioners: Any = import_module("torch._functorch.partitioners")

    def compiler(kind: str) -> Callable[..., Any]:
        def compiled(graph: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
            constant = _static_inputs() if freeze and kind == "inference" else []
            name = f"{kind} graph {next(_NUMBERS)}"
            made = _CompiledGraph(graph, name, constant, compile, fallback, work)
            # AOTAutograd's wrappers copy attributes: those of the graph would stay.
            boxed: Any = partial(_CompiledGraph.__call__, made)
            boxed._boxed_call = True
            return boxed

        return compiled

    build: Any = backends.aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=dict(decompositions()),
        partition_fn=partitioners.min_cut_rematerialization_partition,
    )
    # Whole resizes need numbers for sizes; PyTorch's decompositions take symbols, too.
    with nullcontext() if _has_open_resizes(module.graph) else whole_operators():
        return build(module, example_inputs)


def _has_open_resizes(graph: Any) -> bool:
    """Return whether a graph of TorchDynamo resizes images to symbolic sizes."""
    resizes = (n for n in graph.nodes if _RESIZE.search(str(n.target)))
    sizes = (each for resize in resizes for each in resize.all_input_nodes)
    return any(isinstance(s.meta.get("example_value"), _torch.SymInt) for s in sizes)


_Run = Callable[[Sequence[Any]], Sequence[Any]]
"""Computes the results of a graph for arguments of one shape."""


class _CompiledGraph:
    """
    A graph of ATen as AOTAutograd calls it, with a list of arguments, which it empties.

    Parameters and buffers of a graph without gradients are compiled in; those that
    change more than once, or that the graph changes itself, are passed to each run.
    """

    def __init__(
        self,
        module: Any,
        name: str,
        constant: list[int],
        compile: Callable[[Source], Executable],
        fallback: bool,
        work: BackgroundWork | None = None,
    ):
        self._work = work
        self._module, self._compile, self._fallback = module, compile, fallback
        self.name, self._constant = name, constant
        nodes = module.graph.nodes
        self._inputs = [node for node in nodes if node.op == "placeholder"]
        self._views = ViewedResults.of(module.graph)
        self._strides = [_strides(each) for each in self._views.computed]
        self._is_symbolic = any(_is_symbolic(node.meta["val"]) for node in self._inputs)
        self._snapshot: Snapshot | None = None
        self._changes = dict.fromkeys(self._constant, 0)
        self._kept = Specializations[_Run](CACHE_SIZE)
        self._is_eager, self._has_code, self._faults = False, False, 0
        if missing := missing_operators(module.graph):
            names = ", ".join(missing)
            self._refuse(UnsupportedModelError(f"no operator for {names}"))
            self._is_eager = True

    def _refuse(self, error: GlowError) -> None:
        """Log that PyTorch runs the graph, first as a warning, or raise `error`."""
        if not self._fallback:
            raise error
        level = logging.INFO if self._faults else logging.WARNING
        _LOG.log(level, "%s: PyTorch runs it: %s", self.name, error)
        self._faults += 1

    def _run_in_pytorch(self, given: Sequence[Any]) -> Sequence[Any]:
        return self._module(*given)

    def __call__(self, arguments: list[Any]) -> Sequence[Any]:
        given = list(arguments)
        arguments.clear()
        if self._is_eager:
            return self._run_in_pytorch(given)
        self._check_constants(given)
        key = self._key(given)
        run, make = self._kept.find(key), partial(self._run_for, given)
        if run is None and self._work is not None:
            self._work.check((self, key))
            self._work.add((self, key), partial(self._kept.get, key, make))
            return self._run_in_pytorch(given)
        return (run or self._kept.get(key, make))(given)

    def _key(self, given: Sequence[Any]) -> tuple[Any, ...]:
        if not self._is_symbolic:
            return ()
        return tuple(
            tuple(each.shape) if isinstance(each, _torch.Tensor) else each
            for each in given
        )

    def _check_constants(self, given: Sequence[Any]) -> None:
        """Forget code for parameters that have changed since it was compiled."""
        if not self._constant:
            return
        tensors = [given[number] for number in self._constant]
        if self._snapshot is not None:
            changed = self._snapshot.changed(tensors)
            if not changed:
                return
            for number in [self._constant[place] for place in changed]:
                self._changes[number] += 1
                if self._changes[number] >= _CHANGES:
                    self._constant.remove(number)
            tensors = [given[number] for number in self._constant]
            _LOG.info("%s: compiling again, as parameters have changed", self.name)
            self._forget()
        self._snapshot = Snapshot(tensors, self._forget)

    def _forget(self) -> None:
        """Drop the code: its parameters are not what they were."""
        self._kept = Specializations[_Run](CACHE_SIZE)

    def _run_for(self, given: Sequence[Any]) -> _Run:
        """Compile the graph for these shapes; if that fails, PyTorch runs it."""
        try:
            made = self._compiled(given)
        except GlowError as error:
            self._refuse(error)
            # After that many, the graph is to blame and not the shapes.
            self._is_eager = not self._has_code and self._faults >= _FAULTS
            return self._run_in_pytorch
        self._has_code = True
        return made

    def _compiled(self, given: Sequence[Any]) -> _CompiledShape:
        start = time.perf_counter()
        constant = frozenset(self._constant)
        names = [node.name for node in self._inputs]
        inputs = [
            FxInput(name, _value_of(each, number in constant))
            for number, (name, each) in enumerate(zip(names, given, strict=True))
        ]
        computed = self._views.computed
        graph = import_graph(
            self._module.graph, inputs, self._attributes(), results=computed
        )
        net = self._compile(Source(Model(self.name, graph.module)))
        passed = [
            number
            for number, each in enumerate(inputs)
            if isinstance(each.value, ShapeDtype)
        ]
        seconds = time.perf_counter() - start
        _LOG.info("%s: compiled in %.2f s", self.name, seconds)
        return _CompiledShape(net, graph, passed, self._strides, self._views)

    def _attributes(self) -> dict[str, Any]:
        nodes = self._module.graph.nodes
        names = {str(node.target) for node in nodes if node.op == "get_attr"}
        found = {name: getattr(self._module, name) for name in names}
        return {name: array_of(each) for name, each in found.items()}


class _CompiledShape:
    """A graph, compiled for the shapes of its arguments."""

    def __init__(
        self,
        net: Executable,
        graph: FxModule,
        passed: Sequence[int],
        strides: Sequence[Sequence[int] | None],
        views: ViewedResults,
    ):
        self._net, self._passed, self._views = net, passed, views
        self._results = list(graph.results)
        self._arrays = [
            (number, strides[number])
            for number, each in enumerate(graph.results)
            if isinstance(each, FxOutput)
        ]
        """The results that are outputs, in order, and their strides."""

    def __call__(self, given: Sequence[Any]) -> list[Any]:
        found = self._net(*(array_of(given[number]) for number in self._passed))
        arrays = found if isinstance(found, tuple) else (found,)
        results = self._results.copy()
        for array, (number, strides) in zip(arrays, self._arrays, strict=True):
            results[number] = tensor_of_array(array, strides)
        return self._views.replayed(results, given)


def _value_of(given: Any, is_constant: bool) -> Any:
    if not isinstance(given, _torch.Tensor):
        return given
    if is_constant:
        return np.ascontiguousarray(array_of(given))
    return ShapeDtype(tuple(given.shape), dtype_from(given.dtype))


def _static_inputs() -> list[int]:
    """Return which inputs of the graph that is compiled are parameters and buffers."""
    guards: Any = import_module("torch._guards")
    context = guards.TracingContext.try_get()
    meta = None if context is None else context.fw_metadata
    if meta is None:
        return []
    written = {n for n, each in enumerate(meta.input_info) if each.mutates_data}
    return [number for number in meta.static_input_indices if number not in written]


def _is_symbolic(value: Any) -> bool:
    if isinstance(value, _torch.Tensor):
        return any(isinstance(extent, _torch.SymInt) for extent in value.shape)
    return isinstance(value, _torch.SymInt | _torch.SymFloat | _torch.SymBool)


def _strides(node: Any) -> tuple[int, ...] | None:
    """Return the strides that a result must have; None: those of contiguous memory."""
    value: Any = getattr(node, "meta", {}).get("val")
    if not isinstance(value, _torch.Tensor):
        return None
    strides = [getattr(s, "node", None) for s in value.stride()]
    known = tuple(
        int(s) if node is None else int(node.hint or 0)
        for s, node in zip(value.stride(), strides, strict=True)
    )
    return known if list(known) != sorted(known, reverse=True) else None
