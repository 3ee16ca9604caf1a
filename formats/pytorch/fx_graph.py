"""Graphs of torch.fx whose nodes are operators of ATen, as modules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from glow.formats.pytorch.promotion import dtype_from
from glow.formats.pytorch.registry import ATEN, aten, name_of_target
from glow.support.arrays import Array
from glow.support.discovery import modules_in
from glow.support.errors import UnsupportedModelError
from glow.support.garbage import no_collection
from glow.tracing.operands import as_tracer, tensor_of
from glow.tracing.pytrees import ShapeDtype
from glow.tracing.trace import TracedModule
from glow.tracing.tracers import Tracer
from glow.tracing.user_code import at_node, blamed_on_caller

_SIZE_MODULES = ("_operator", "operator", "math", "builtins", "torch")
"""Modules of the functions that graphs call on sizes and tuples."""


@dataclass(frozen=True)
class FxInput:
    """The meaning of a placeholder of a graph, by its name in the model."""

    name: str
    value: ShapeDtype | Array | float | bool | None
    """An array of each run, a constant one, or a number that is part of the code."""
    is_state: bool = False
    """Whether the array is the initial value of a state."""


@dataclass(frozen=True)
class FxOutput:
    """The output or the state, by name, that a result of a graph goes to."""

    name: str
    is_state: bool = False


@dataclass(frozen=True)
class FxModule:
    """A module, and what the graph that it was made of returns."""

    module: ModuleOp
    results: tuple[Any, ...]
    """An `FxOutput` for each array, and numbers and None as they are."""


def import_graph(
    graph: Any,
    inputs: Sequence[FxInput],
    constants: Mapping[str, Array],
    outputs: Sequence[FxOutput] = (),
    results: Sequence[Any] | None = None,
) -> FxModule:
    """
    Return a graph of torch.fx as a module.

    `inputs` are in the order of its placeholders, `outputs` in that of its results, by
    default `output0` and so on; `constants` has what `get_attr` reads. `results` are
    nodes to return in place of the graph's results.
    Errors: UnsupportedModelError with all operators that are missing; TracingError,
    which begins with the node's name, for what an operator cannot do.
    """
    if missing := missing_operators(graph):
        raise UnsupportedModelError(
            f"expected operators of ATen that are supported, got {', '.join(missing)}; "
            "docs/ops/aten.md lists them"
        )
    with no_collection():
        return _GraphImport(graph, inputs, constants, outputs, results).run()


def missing_operators(graph: Any) -> list[str]:
    """Return the operators of a graph that have no function, each once, sorted."""
    called = {node.target for node in graph.nodes if node.op.startswith("call_")}
    return sorted(str(target) for target in called if _function_of(target) is None)


@dataclass
class _GraphImport:
    """The import of one graph."""

    graph: Any
    inputs: Sequence[FxInput]
    constants: Mapping[str, Array]
    outputs: Sequence[FxOutput]
    returned: Sequence[Any] | None
    values: dict[Any, Any] = field(default_factory=lambda: {})
    states: dict[str, Any] = field(default_factory=lambda: {})

    def run(self) -> FxModule:
        self.program = TracedModule()
        arrays = [(each.value, each.name) for each in self.inputs]
        arrays += [(array, name) for name, array in self.constants.items()]
        self.program.names = {id(array): name for array, name in arrays}
        given = iter(self.inputs)
        results: Sequence[Any] = ()
        with self.program.main.entered():
            for node in self.graph.nodes:
                with at_node(place_of_node(node)), blamed_on_caller(str(node.target)):
                    match node.op:
                        case "placeholder":
                            self.values[node] = self._input(next(given))
                        case "get_attr":
                            found = self.constants[str(node.target)]
                            self.values[node] = as_tracer(found)
                        case "output":
                            given_back = self.returned or node.args[0]
                            results = self._known(given_back)
                        case _:
                            self.values[node] = self._called(node)
            saved = tuple(map(self._saved, range(len(results)), results))
        return FxModule(self.program.module(), saved)

    def _input(self, given: FxInput) -> Any:
        value, main = given.value, self.program.main
        if given.is_state:
            state = self.program.state(given.name, cast(Array, value))
            self.states[given.name] = state
            return Tracer(main.load(state))
        if isinstance(value, ShapeDtype):
            shape = cast(tuple[int, ...], value.shape)
            storage = self.program.placeholder(given.name, value.dtype, shape)
            return Tracer(main.load(storage))
        return as_tracer(value) if isinstance(value, np.ndarray) else value

    def _called(self, node: Any) -> Any:
        arguments, named = self._known(node.args), self._known(node.kwargs)
        if name_of_target(node.target).startswith("as_strided"):
            named["memory"] = _strides_in_memory(node.args[0].meta.get("val"))
        made = _function_of(node.target)(*arguments, **named)
        if isinstance(made, Tracer):
            _check_result(made, node.meta.get("val"))
        return made

    def _known(self, given: Any) -> Any:
        """Return arguments with values for nodes, and NumPy's types for torch's."""
        if isinstance(given, list | tuple):
            return [self._known(each) for each in cast(Sequence[Any], given)]
        if isinstance(given, dict):
            items = cast(dict[str, Any], given).items()
            return {name: self._known(each) for name, each in items}
        if isinstance(given, slice):
            parts = cast(Any, given)
            return slice(*map(self._known, (parts.start, parts.stop, parts.step)))
        if type(given).__name__ == "dtype" and str(given).startswith("torch."):
            return dtype_from(given)
        try:
            return self.values.get(given, given)
        except TypeError:  # what has no hash is not a node
            return given

    def _saved(self, number: int, result: Any) -> Any:
        if not isinstance(result, Tracer):
            return result
        given = self.outputs[number] if self.outputs else FxOutput(f"output{number}")
        tensor = tensor_of(result)
        if given.is_state:
            storage = self.states[given.name]
            storage.direction = StringAttr("inout")
        else:
            storage = self.program.placeholder(
                given.name, tensor.dtype, tensor.shape, "out"
            )
        self.program.save(storage, tensor)
        return FxOutput(storage.sym_name.data, given.is_state)


def _strides_in_memory(tensor: Any) -> tuple[int, ...] | None:
    """Return the strides of a tensor of PyTorch if it has its memory for itself."""
    if tensor is None:
        return None
    strides = tuple(tensor.stride())
    room = tensor.untyped_storage().nbytes()
    is_alone = room == tensor.numel() * tensor.element_size()
    return strides if is_alone and all(type(each) is int for each in strides) else None


def _check_result(made: Tracer, expected: Any) -> None:
    """Raise TypeError for an array that is not what PyTorch says its tensor will be."""
    if not hasattr(expected, "dtype"):
        return
    dtype, shape = dtype_from(expected.dtype), tuple(expected.shape)
    fits = made.ndim == len(shape) and all(
        own == extent
        for own, extent in zip(made.shape, shape, strict=True)
        if isinstance(extent, int)  # others are sizes that change
    )
    if made.dtype != dtype or not fits:
        raise TypeError(
            f"expected a result {dtype}{list(shape)}, "
            f"got {made.dtype}{list(made.shape)}"
        )


def _function_of(target: Any) -> Any:
    name = name_of_target(target)
    if name in ATEN:
        return ATEN[name]
    is_plain = getattr(target, "__module__", None) in _SIZE_MODULES
    return target if is_plain and not hasattr(target, "_schema") else None


def place_of_node(node: Any) -> str:
    """Return where in the model a node is, and its name: `layer1.0.conv1/relu_2`."""
    meta: Mapping[str, Any] = node.meta
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack")
    if not stack:
        return node.name
    path = str(list(stack.values())[-1][0])
    path = re.sub(r"^L\[[^\]]*\]\.?|^L__self___?", "", path)
    path = re.sub(r"\._modules\['([^']*)'\]", r".\1", path).lstrip(".")
    return f"{path}/{node.name}" if path else node.name


@aten("sym_size.int")
def sym_size(x: Any, dim: int) -> int:
    return x.shape[dim]


@aten("sym_numel")
def sym_numel(x: Any) -> int:
    return x.size


for _module in modules_in("glow.formats.pytorch"):
    import_module(_module)  # which registers operators
