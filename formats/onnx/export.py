"""Write a graph-level module as an ONNX model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx import ModelProto, TensorProto, ValueInfoProto, defs, helper
from xdsl.dialects.builtin import (
    AnyTensorType,
    ArrayAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from glow.analysis.symbols import counted_placeholders, named_in
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import ControlFlowOp
from glow.dialects.graph.placeholder import RUN
from glow.dialects.graph.storage import (
    ConstantOp,
    LoadOp,
    PlaceholderOp,
    SaveOp,
)
from glow.formats.onnx.element_types import onnx_type_of
from glow.formats.onnx.export_context import ExportContext
from glow.formats.onnx.nodes import NodeWriter
from glow.formats.onnx.records import COUNTED
from glow.formats.onnx.registry import forms
from glow.formats.onnx.signature import RESIDENCY, STATE, ZEROS
from glow.formats.onnx.tensors import proto_of
from glow.support.errors import InvalidModelError, UnsupportedModelError
from glow.support.locations import name_of
from glow.support.names import Names

OLDEST_OPSET = 13
NEWEST_OPSET = 28
"""The default: the newest that the ONNX Runtime takes which our tests run with."""

MIN_IR_VERSION = 10
"""The first where nodes have metadata and functions have overloads."""


def export_model(module: ModuleOp, name: str, opset: int | None = None) -> ModelProto:
    """
    Return the ONNX model of a graph-level module whose function has no arguments.

    Placeholders become inputs and outputs, constants initializers, and ops nodes, each
    called as the op's location says. A graph op that ONNX lacks becomes a function of
    domain `glow`. A state is an input and an output, which metadata connect.
    Errors: UnsupportedModelError with all ops that neither ONNX nor the opset can say;
    InvalidModelError for constants without bytes; ValueError for another opset than 13
    to the newest.
    """
    newest = min(NEWEST_OPSET, defs.onnx_opset_version())
    opset = newest if opset is None else opset
    if not OLDEST_OPSET <= opset <= newest:
        raise ValueError(
            f"expected an opset from {OLDEST_OPSET} to {newest}, got {opset}"
        )
    return _ModelExport(module, name, opset).run()


class _ModelExport:
    def __init__(self, module: ModuleOp, name: str, opset: int):
        self._placeholders = named_in(module, PlaceholderOp)
        self._constants = named_in(module, ConstantOp)
        self._main = _entry_of(module)
        location = self._main.location
        self._name = name_of(self._main) if isinstance(location, NameLoc) else name
        bodies = named_in(module, FuncOp)
        constants = self._constants
        self._context = ExportContext(
            opset, forms(), bodies=bodies, constants=constants
        )
        self._names = Names([*self._placeholders, *self._constants])
        self._writer = NodeWriter(self._context, self._names)
        self._outputs: dict[str, str] = {
            name: self._names.fresh(f"{name}.next")
            if op.direction.data != "out"
            else name
            for name, op in self._placeholders.items()
            if op.is_output
        }
        self._counted = counted_placeholders(module)
        for _, count in self._counted.values():
            self._outputs.pop(count, None)
        """The output's name for each placeholder that a run writes, except counts."""

    def run(self) -> ModelProto:
        read = self._write_ops()
        if problems := self._context.problems.listed():
            what = f"what opset {self._context.opset} of ONNX cannot say"
            raise UnsupportedModelError(f"the model has {what}: {'; '.join(problems)}")
        inputs = [
            self._info(name, name, op)
            for name, op in self._placeholders.items()
            if op.direction.data != "out"
        ]
        outputs = [
            self._info(output, name, self._placeholders[name])
            for name, output in self._outputs.items()
        ]
        for (name, output), info in zip(self._outputs.items(), outputs, strict=True):
            if name != output:
                info.metadata_props.add(key=STATE, value=name)
        weights = [*self._initials(), *self._weights(read)]
        axes = [self._axes_info(name) for name in read if self._constants[name].axes]
        graph = helper.make_graph(
            self._writer.nodes,
            self._name,
            inputs,
            outputs,
            [*weights, *self._writer.constants],
            value_info=axes,
        )
        functions = [f for several in self._context.functions.values() for f in several]
        domains = {"": self._context.opset, **{f.domain: 1 for f in functions}}
        opsets = [helper.make_opsetid(domain, v) for domain, v in domains.items()]
        return helper.make_model(
            graph,
            producer_name="glow",
            functions=functions,
            opset_imports=opsets,
            ir_version=max(
                MIN_IR_VERSION, helper.find_min_ir_version_for(opsets, True)
            ),
        )

    def _write_ops(self) -> list[str]:
        """Write all ops; return the constants that they read, in that order."""
        read: dict[str, None] = {}
        wanted = self._wanted()
        for op in self._main.body.block.ops:
            match op:
                case LoadOp():
                    name = op.symbol.string_value()
                    if name in self._constants:
                        read[name] = None
                    self._writer.write(op)
                case SaveOp() | ReturnOp():
                    continue
                case _:
                    self._writer.write(op, wanted)
        saves = [op for op in self._main.body.block.ops if isinstance(op, SaveOp)]
        saved = {op.symbol.string_value(): op.value for op in saves}
        for op in saves:
            self._save(op, saved)
        return list(read)

    def _wanted(self) -> dict[SSAValue, str]:
        """Return the values that nodes make under the names of outputs."""
        wanted: dict[SSAValue, str] = {}
        for op in self._main.body.block.ops:
            if isinstance(op, SaveOp) and isinstance(
                op.value.owner, GraphOp | ControlFlowOp
            ):
                symbol = op.symbol.string_value()
                output = self._outputs.get(symbol)
                if output is not None and symbol not in self._counted:
                    wanted.setdefault(op.value, output)
        return wanted

    def _save(self, op: SaveOp, saved: Mapping[str, SSAValue]) -> None:
        symbol = op.symbol.string_value()
        output = self._outputs.get(symbol)
        made = self._writer.name_of(op.value)
        if symbol in self._counted:  # the rows that count
            axis, count = self._counted[symbol]
            end = self._writer.node("Reshape", saved[count], [1])
            made = self._writer.node("Slice", op.value, [0], end, [axis])
            self._writer.nodes[-1].metadata_props.add(key=COUNTED, value="true")
        if output is not None and output != made:  # None: nothing sees it
            self._writer.copy(made, output)

    def _info(self, name: str, symbol: str, op: PlaceholderOp) -> ValueInfoProto:
        counted = self._counted.get(symbol)
        info = _info_of(name, op.type, None if counted else op.axes)
        if counted:
            info.type.tensor_type.shape.dim[counted[0]].dim_param = counted[1]
        if name == symbol and op.residency.data != RUN:
            info.metadata_props.add(key=RESIDENCY, value=op.residency.data)
            if op.initial_array is not None and not op.initial_array.any():
                info.metadata_props.add(key=ZEROS, value="true")
        return info

    def _axes_info(self, name: str) -> ValueInfoProto:
        op = self._constants[name]
        return _info_of(name, op.type, op.axes)

    def _initials(self) -> Iterator[TensorProto]:
        """Yield the values that placeholders begin with, but for zeros."""
        for name, op in self._placeholders.items():
            if op.initial is None:
                continue
            if op.initial_array is None:
                raise _without_bytes(name)
            if op.initial_array.any() or op.residency.data == "bound":
                yield proto_of(op.initial_array, name)

    def _weights(self, names: Sequence[str]) -> Iterator[TensorProto]:
        for name in names:
            array = self._constants[name].array
            if array is None:
                raise _without_bytes(name)
            yield proto_of(array, name)


def _entry_of(module: ModuleOp) -> FuncOp:
    """Return the function that is run."""
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    public = [op for op in functions if op.sym_visibility is None]
    if len(public) != 1:
        names = ", ".join(f"@{op.sym_name.data}" for op in public) or "none"
        raise InvalidModelError(f"expected one public function, got {names}")
    return public[0]


def _without_bytes(name: str) -> InvalidModelError:
    return InvalidModelError(
        f'constant "{name}" has no bytes here; name the file that has them: '
        "weights=... or --weights"
    )


def _info_of(
    name: str, type_: AnyTensorType, axes: ArrayAttr[StringAttr] | None
) -> ValueInfoProto:
    shape = type_.get_shape()
    info = helper.make_tensor_value_info(name, onnx_type_of(type_), shape)
    for dim, meaning in zip(info.type.tensor_type.shape.dim, axes or (), strict=False):
        dim.denotation = meaning.data
    return info
