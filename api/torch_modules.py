"""Modules and exported programs of PyTorch as models."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from glow.formats.pytorch.fx_graph import FxInput, FxOutput, import_graph
from glow.formats.pytorch.promotion import dtype_from
from glow.formats.pytorch.registry import ATEN, name_of_target
from glow.model import Model
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.tensor_spec import State, TensorSpec, symbolic_spec
from glow.support.dimensions import relations
from glow.support.errors import UnsupportedModelError
from glow.torch_tensors import array_of
from glow.traced_model import ProgramModel
from glow.tracing.pytrees import ShapeDtype

_torch: Any = import_module("torch")


@cache
def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """Return PyTorch's decompositions of the operators that we lack, by operator."""
    made: Any = import_module("torch._decomp")
    known = {**made.decomposition_table, **made.core_aten_decompositions()}
    return {op: rule for op, rule in known.items() if name_of_target(op) not in ATEN}


@contextmanager
def whole_operators() -> Generator[None]:
    """
    Keep PyTorch from tracing resizes as gathers and sums where we have an operator.

    It does so whatever decompositions are requested, unless its rules are removed.
    """
    own = _torch._C.DispatchKey
    keys = {own.Autograd, own.CompositeImplicitAutograd}
    hidden = list[tuple[Any, dict[Any, Any]]]()
    for name in ATEN:
        base, _, overload = name.partition(".")
        if not base.startswith("upsample_") or base.endswith("_backward"):
            continue
        if f"{base}_backward" in ATEN:  # of a vector of scales, it is that of sizes
            op = getattr(getattr(_torch.ops.aten, base), overload or "default")
            hidden.append((op, dict(op.py_kernels)))
    try:
        for op, rules in hidden:
            for key in keys & rules.keys():
                del op.py_kernels[key]
            op._dispatch_cache.clear()
        yield
    finally:
        for op, rules in hidden:
            op.py_kernels.update(rules)
            op._dispatch_cache.clear()


def load_program(source: Any, dims: Mapping[str, int], example_inputs: Any) -> Model:
    """
    Return the model of an exported program, or of a module for example inputs.

    Buffers that it changes are states. Dimensions of an exported program that are
    dynamic are open, under the names that torch gives them, such as `s77`.
    Errors: ValueError for a module without example inputs, an exported program with
    some, and `dims` other than the dynamic ones; UnsupportedModelError.
    """
    is_module = isinstance(source, _torch.nn.Module)
    name = type(source).__name__ if is_module else "program"
    if is_module != (example_inputs is not None):
        raise ValueError(
            "expected example_inputs with a module of PyTorch, got none; a tuple of "
            "arguments, a dict by name, or one tensor"
            if is_module
            else "expected example_inputs with a module of PyTorch only"
        )
    program = _exported(source, name, example_inputs) if is_module else source
    model = ExportedModel(name, program.run_decompositions(dict(decompositions())))
    if model.dims and not dims:
        return model
    if set(dims) != set(model.dims):
        raise ValueError(
            f"{name}: expected dims for {', '.join(model.dims) or 'no dimensions'}, "
            f"got {', '.join(dims)}"
        )
    return model.specialize(dims)


def _exported(module: Any, name: str, example_inputs: Any) -> Any:
    """Export a module for a tuple of arguments, a dict by name, or one tensor."""
    trees: Any = import_module("torch.utils._pytree")
    given: Any = trees.tree_map_only(np.ndarray, _torch.as_tensor, example_inputs)
    arguments, named = tuple[Any, ...](), dict[str, Any]()
    if isinstance(given, Mapping):
        named = dict(cast(Mapping[str, Any], given))
    else:
        is_one = isinstance(given, _torch.Tensor)
        arguments = (given,) if is_one else tuple(cast(Sequence[Any], given))
    try:
        with _torch.no_grad():
            return _torch.export.export(module, arguments, named)
    except Exception as error:  # of many classes; the module's own are among them
        reason = str(error).strip().partition("\n")[0]
        raise UnsupportedModelError(
            f"{name}: torch.export refuses it for these example_inputs: "
            f"{type(error).__name__}: {reason}"
        ) from error


class ExportedModel(ProgramModel):
    """An exported program of ATen's operators; IR is made from it for given extents."""

    def __init__(self, name: str, program: Any):
        self.name, self._program = name, program
        self._results = _names_of_results(program)
        values = {
            node.name: node.meta["val"]
            for node in program.graph.nodes
            if isinstance(node.meta.get("val"), _torch.Tensor)
        }
        inputs, states = list[TensorSpec](), list[State]()
        written = self._written()
        for spec in program.graph_signature.input_specs:
            if spec.target in written:
                array = array_of(self._array(spec))
                extents = tuple(array.shape)
                kept = TensorSpec(spec.target, extents, array.dtype, extents=extents)
                states.append(State(kept, "inout", array))
            elif spec.kind.name == "USER_INPUT" and spec.arg.name in values:
                inputs.append(_spec_of(spec.arg.name, values[spec.arg.name]))
        outputs = [
            _spec_of(each.name, values[spec.arg.name])
            for spec, each in zip(self._output_specs, self._results, strict=True)
            if not each.is_state and spec.arg.name in values
        ]
        self.signature = SymbolicSignature(tuple(inputs), tuple(outputs), tuple(states))

    @property
    def _output_specs(self) -> Sequence[Any]:
        return self._program.graph_signature.output_specs

    def _written(self) -> set[str]:
        """Return the buffers that the program changes."""
        return {each.target for each in self._output_specs if each.target}

    def _array(self, spec: Any) -> Any:
        stored = self._program.state_dict
        return (
            stored[spec.target]
            if spec.target in stored
            else (self._program.constants[spec.target])
        )

    def _module_for(self, dims: Mapping[str, int]) -> ModuleOp:
        inputs = list(self._inputs(dims))
        nodes = self._program.graph.nodes
        names = {str(node.target) for node in nodes if node.op == "get_attr"}
        found = {n: array_of(getattr(self._program.graph_module, n)) for n in names}
        return import_graph(self._program.graph, inputs, found, self._results).module

    def _inputs(self, dims: Mapping[str, int]) -> Iterator[FxInput]:
        texts = [t for spec in self.signature.inputs for t in spec.extents or ()]
        found = relations([t for t in texts if isinstance(t, str)], dims)
        extents = {**dims, **{t: each.extent(dims) for t, each in found.items()}}
        specs = {spec.name: spec for spec in self.signature.inputs}
        written = self._written()
        for spec in self._program.graph_signature.input_specs:
            name = spec.arg.name
            if name in specs:
                shape = tuple(
                    extents[extent] if isinstance(extent, str) else extent
                    for extent in specs[name].extents or ()
                )
                yield FxInput(name, ShapeDtype(shape, specs[name].dtype))
            elif spec.kind.name == "USER_INPUT" and hasattr(spec.arg, "value"):
                yield FxInput(name, spec.arg.value)
            elif spec.kind.name in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
                array = np.ascontiguousarray(array_of(self._array(spec)))
                yield FxInput(spec.target, array, spec.target in written)
            else:
                raise UnsupportedModelError(
                    f"{self.name}: expected tensors and constant numbers, got input "
                    f"{name} of kind {spec.kind.name}"
                )


def _spec_of(name: str, value: Any) -> TensorSpec:
    extents = tuple(e if isinstance(e, int) else str(e) for e in value.shape)
    return symbolic_spec(name, extents, dtype_from(value.dtype))


def _names_of_results(program: Any) -> list[FxOutput]:
    """Return the output or state that each result is; outputs are named by place."""
    trees: Any = import_module("torch.utils._pytree")
    tree = program.call_spec.out_spec
    places = trees.tree_unflatten(list(range(tree.num_leaves)), tree)
    paths = [path for path, _ in trees.tree_flatten_with_path(places)[0]]
    names = iter([_text_of(path) for path in paths])
    return [
        FxOutput(next(names))
        if spec.kind.name == "USER_OUTPUT"
        else FxOutput(spec.target, is_state=True)
        for spec in program.graph_signature.output_specs
    ]


def _text_of(path: Sequence[Any]) -> str:
    keys = [
        str(
            next(
                getattr(key, each)
                for each in ("key", "idx", "name")
                if hasattr(key, each)
            )
        )
        for key in path
    ]
    text = ".".join(keys)
    return f"output{text}" if not text or text[0].isdigit() else text
