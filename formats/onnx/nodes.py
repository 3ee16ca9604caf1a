"""Writers of ONNX nodes: into a graph, or into the body of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import FunctionProto, NodeProto, TensorProto, defs, helper
from xdsl.dialects.builtin import UnknownLoc
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.control_flow import ControlFlowOp
from glow.dialects.graph.storage import INLINE_ELEMENTS, LiteralOp, LoadOp
from glow.dialects.graph.tensors import GraphWriter, SourceOp, Tensor
from glow.formats.onnx.attributes import EXACT, attribute_proto, exact_text
from glow.formats.onnx.element_types import check_taken
from glow.formats.onnx.export_context import ExportContext
from glow.formats.onnx.op_slots import (
    operands_of,
    parameters_of,
    presence_of,
    trimmed,
)
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.records import DEFAULT_DOMAIN, SOURCE
from glow.formats.onnx.schemas import Schema, find_schema
from glow.formats.onnx.tensors import proto_of
from glow.support.errors import InvalidModelError
from glow.support.locations import name_of
from glow.support.names import Names

GLOW = "glow"
"""The domain of functions that are graph ops; a reader with the op needs no body."""

OnnxValue = str | SSAValue | Tensor
"""A value in ONNX: by its name there, or as a value or tensor that it stands for."""

OnnxInput = OnnxValue | NDArray[Any] | Sequence[int] | None
"""An input: a value, a constant, or None where an optional one is absent."""

OnnxForm = Callable[[Any, "NodeWriter"], OnnxValue | Sequence[OnnxValue | None]]
"""Writes an op as nodes; returns what its results are, None for one that is absent."""


class NodeWriter(GraphWriter):
    """
    Writes nodes, and the constants that they read.

    A form appends nodes by `node`. It may also compute with tensors, as a pattern of a
    pass does: the ops that these insert are written in turn.
    """

    def __init__(self, context: ExportContext, names: Names, is_body: bool = False):
        """A body has no constants beside its nodes, and makes them by nodes."""
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.values: dict[SSAValue, str] = {}
        self.context = context
        self._names = names
        self._is_body = is_body
        self._known: dict[tuple[Any, ...], str] = {}
        self._label = ""
        self._source = ""

    @property
    def opset(self) -> int:
        """The version of ONNX's operators that nodes count by."""
        return self.context.opset

    def insert(self, op: SourceOp) -> Sequence[SSAValue]:
        self.write(op)
        return op.results

    def write(
        self, op: Operation, wanted: Mapping[SSAValue, str] | None = None
    ) -> None:
        """
        Append the nodes of an op; `wanted` are names that results must have.

        What ONNX cannot say is noted as a problem.
        """
        match op:
            case LiteralOp():
                name = op.result.name_hint or self._label or "constant"
                self.values[op.result] = self.constant_name(op.array, name)
            case LoadOp():
                name = op.symbol.string_value()
                if self._is_body:
                    name = self._constant_in_body(name)
                self.values[op.result] = name
            case GraphOp() | ControlFlowOp():
                self._write_op(op, wanted or {})
            case _:
                self.context.problems.add(op.name, name_of(op))
                self.values |= {r: self._names.fresh("value") for r in op.results}

    def _constant_in_body(self, symbol: str) -> str:
        """Return the name of a body's own copy of a constant of the module."""
        array = self.context.constants[symbol].array
        if array is None:
            raise InvalidModelError(f'constant "{symbol}" has no bytes here')
        return self.constant_name(array, symbol)

    def _write_op(
        self, op: GraphOp | ControlFlowOp, wanted: Mapping[SSAValue, str]
    ) -> None:
        outer = self._label, self._source
        names = [
            wanted.get(r) or self._names.fresh(r.name_hint or self._label or "value")
            for r in op.results
        ]
        if not isinstance(op.location, UnknownLoc):
            self._source = name_of(op)
        self._label, start = names[0], len(self.nodes)
        try:
            made = self._written(op)
            if len(made) != len(names):
                raise Unsupported(f"{op.name} with {len(names)} results")
            final = self.renamed(made, names, start, [r in wanted for r in op.results])
            self.values |= zip(op.results, final, strict=True)
        except Unsupported as problem:
            self.context.problems.add(str(problem), self._source or names[0])
            self.values |= zip(op.results, names, strict=True)
        self._label, self._source = outer

    def _written(self, op: GraphOp | ControlFlowOp) -> list[str]:
        """Write an op; return what the results that are present are called."""
        form = self.context.forms.get(type(op))
        if form is None:
            raise Unsupported(op.name)
        try:
            return self.results_of(form, op)
        except Unsupported as problem:
            raise Unsupported(f"{op.name}: {problem}") from None

    def results_of(self, form: OnnxForm, op: Operation) -> list[str]:
        """Write `op` as `form` does; return what its results are called."""
        written = form(op, self)
        several = [written] if isinstance(written, str | SSAValue | Tensor) else written
        return [self.name_of(value) for value in several if value is not None]

    def renamed(
        self,
        made: Sequence[str],
        names: Sequence[str],
        start: int,
        wanted: Sequence[bool],
    ) -> list[str]:
        """
        Call values by `names`, if nodes from `start` on make them; return their names.

        Other values that are `wanted` get a node that copies them.
        """
        own = {name for node in self.nodes[start:] for name in node.output}
        new: dict[str, str] = {}
        final: list[str] = []
        for old, name, is_wanted in zip(made, names, wanted, strict=True):
            if old in own and old not in new:
                new[old] = name
            elif is_wanted:
                self.copy(new.get(old, old), name)
            else:
                name = new.get(old, old)
            final.append(name)
        for node in self.nodes[start:]:
            for several in (node.input, node.output):
                for index, each in enumerate(several):
                    several[index] = new.get(each, each)
        return final

    def note_exact(self, name: str, value: object) -> None:
        """Note floats of the last node that a tensor of 32 bits rounds."""
        if (text := exact_text(value)) is not None:
            self.nodes[-1].metadata_props.add(key=EXACT + name, value=text)

    def copy(self, value: str, name: str) -> None:
        """Append a node that gives a value one more name."""
        node = NodeProto(op_type="Identity", input=[value], output=[name])
        self.nodes.append(node)

    def name_of(self, value: OnnxValue) -> str:
        """Return how nodes call a value."""
        own = value.value if isinstance(value, Tensor) else value
        return own if isinstance(own, str) else self.values[own]

    def node(self, op_type: str, *inputs: OnnxInput, **attributes: Any) -> str:
        """Append a node with one output, and return that; see `outputs`."""
        (made,) = self.outputs([True], op_type, *inputs, **attributes)
        assert made is not None
        return made

    def outputs(
        self, flags: Sequence[bool], op_type: str, *inputs: OnnxInput, **attributes: Any
    ) -> list[str | None]:
        """
        Append a node; return its outputs, None for those that `flags` leave out.

        Attributes that are None are left out, as are those that are ONNX's default.
        Errors: Unsupported for an operator, an attribute or a type that the opset
        lacks.
        """
        schema = self.schema(op_type)
        given = {name: v for name, v in attributes.items() if v is not None}
        for name in given:
            if name not in schema.attributes:
                what = f"{op_type} with {name}"
                raise Unsupported(f"{what}, which opset {self.opset} lacks")
        for index, value in enumerate(inputs):
            if isinstance(value, SSAValue | Tensor):
                check_taken(op_type, schema.input(index), self.value(value))
        rules = schema.attributes
        given = {n: v for n, v in given.items() if not rules[n].is_default(v)}
        types = {name: rule.type for name, rule in rules.items()}
        return self._append(NodeProto(op_type=op_type), inputs, flags, given, types)

    def as_node(
        self, op_type: str, op: GraphOp, *inputs: OnnxInput, **given: Any
    ) -> Sequence[str | None]:
        """
        Append a node with the parameters of `op` as attributes; return its outputs.

        Without `inputs`, it reads the operands in their order. `given` are attributes
        in place of parameters of these names, or None for those to leave out.
        """
        flags = presence_of(op)
        values: dict[str, Any] = {
            name: parameter.value_of(op)
            for name, parameter in op.declared().items()
            if name.removeprefix("with_") not in flags
        }
        values |= given
        known = self.schema(op_type).attributes
        defaults = op.defaults()
        for name, value in list(values.items()):
            if name not in known and value in (defaults.get(name), None):
                del values[name]
        slots = inputs or [value for _, value in operands_of(op)]
        return self.outputs([*flags.values()], op_type, *slots, **values)

    def has(self, op_type: str, attribute: str = "") -> bool:
        """Return whether the opset has an operator, and that an attribute."""
        schema = find_schema(op_type, DEFAULT_DOMAIN, self.opset)
        return schema is not None and (not attribute or attribute in schema.attributes)

    def schema(self, op_type: str) -> Schema:
        """Return the schema of an operator; Unsupported where the opset lacks it."""
        schema = find_schema(op_type, DEFAULT_DOMAIN, self.opset)
        if schema is not None:
            return schema
        later = range(self.opset + 1, defs.onnx_opset_version() + 1)
        since = next((v for v in later if find_schema(op_type, "", v)), None)
        raise Unsupported(f"{op_type}, which ONNX has from opset {since} on")

    def _append(
        self,
        node: NodeProto,
        inputs: Sequence[OnnxInput],
        flags: Sequence[bool],
        attributes: Mapping[str, Any],
        types: Mapping[str, int],
    ) -> list[str | None]:
        node.input.extend(trimmed([self._input(each) for each in inputs]))
        label = self._label or node.op_type
        made = [self._names.fresh(label) if flag else "" for flag in flags]
        node.output.extend(trimmed([*made]))
        for name, value in attributes.items():
            node.attribute.append(attribute_proto(name, value, types[name]))
            if (text := exact_text(value)) is not None:
                node.metadata_props.add(key=EXACT + name, value=text)
        self._place(node)
        self.nodes.append(node)
        return [name if flag else None for name, flag in zip(made, flags, strict=True)]

    def _place(self, node: NodeProto) -> None:
        """Name a node after its source, once; in bodies, which repeat, note that."""
        if self._source and self._is_body:
            node.metadata_props.add(key=SOURCE, value=self._source)
        elif self._source:
            node.name = self.context.node_names.fresh(self._source)
            if node.name != self._source:
                node.metadata_props.add(key=SOURCE, value=self._source)

    def _input(self, given: OnnxInput) -> str:
        if given is None:
            return ""
        if isinstance(given, str | SSAValue | Tensor):
            return self.name_of(given)
        array = given if isinstance(given, np.ndarray) else np.array(given, np.int64)
        return self.constant_name(array, self._label or "constant")

    def constant_name(self, array: NDArray[Any], name: str) -> str:
        """Return what a constant is called: like `name`, unless it is there already."""
        is_small = array.size <= INLINE_ELEMENTS
        key = array.dtype, array.shape, array.tobytes() if is_small else None
        if is_small and key in self._known:
            return self._known[key]
        fresh = self._known[key] = self._names.fresh(name)
        if not is_small and not any(array.strides):
            shape = self._input(array.shape)
            self._add_constant("ConstantOfShape", [shape], array.reshape(-1)[:1], fresh)
        elif self._is_body:
            self._add_constant("Constant", [], array, fresh)
        else:
            self.constants.append(proto_of(array, fresh))
        return fresh

    def _add_constant(
        self, op_type: str, inputs: Sequence[str], array: NDArray[Any], name: str
    ) -> None:
        node = NodeProto(op_type=op_type, input=inputs, output=[name])
        value = helper.make_attribute("value", proto_of(array, "value"))
        node.attribute.append(value)
        self.nodes.append(node)

    def body(
        self, symbol: str, arguments: Sequence[str], is_function: bool = False
    ) -> tuple[NodeWriter, list[str]]:
        """
        Write a function of the module; return its nodes and what its results are.

        `arguments` are the names of its arguments: of values around the body of a node,
        or of inputs where it `is_function`, which sees nothing else.
        """
        function = self.context.bodies[symbol].body.block
        names = Names(arguments) if is_function else self._names
        inner = NodeWriter(self.context, names, is_body=True)
        inner.values |= zip(function.args, arguments, strict=True)
        results: list[str] = []
        for op in function.ops:
            if isinstance(op, ReturnOp):
                results = [inner.name_of(value) for value in op.arguments]
            else:
                inner.write(op)
        return inner, results

    def fresh(self, name: str) -> str:
        """Return a name that no value has."""
        return self._names.fresh(name)

    def append(
        self, node: NodeProto, inputs: Sequence[OnnxInput], count: int
    ) -> list[str | None]:
        """Append a node that lacks its inputs and outputs; return the outputs."""
        return self._append(node, inputs, [True] * count, {}, {})

    def call(
        self, proto: FunctionProto, inputs: Sequence[OnnxInput]
    ) -> list[str | None]:
        """Append a call of a function, which the model then has; return its outputs."""
        overload = self.context.overload_of(proto)
        node = NodeProto(op_type=proto.name, domain=proto.domain, overload=overload)
        return self.append(node, inputs, len(proto.output))

    def proto(
        self, name: str, domain: str, inputs: Sequence[str], outputs: Sequence[str]
    ) -> FunctionProto:
        """Return the nodes so far as a function."""
        used = {node.domain: 1 for node in self.nodes if node.domain}
        versions = {DEFAULT_DOMAIN: self.opset, **used}
        return FunctionProto(
            name=name,
            domain=domain,
            input=inputs,
            output=outputs,
            node=self.nodes,
            opset_import=[helper.make_opsetid(d, v) for d, v in versions.items()],
        )

    def function(self, op: GraphOp, form: OnnxForm) -> Sequence[str | None]:
        """
        Append a call of a function that is `op`; return the results that are present.

        A runtime that knows the op may run its own; others run what `form` writes.
        """
        body = NodeWriter(self.context, Names(), is_body=True)
        inputs = [(name, value) for name, value in operands_of(op)]
        proto = body._function(op, form, inputs)
        values, types = parameters_of(op)
        proto.attribute.extend(values)
        overload = self.context.overload_of(proto)
        node = NodeProto(op_type=proto.name, domain=GLOW, overload=overload)
        given = [value for _, value in inputs]
        return self._append(node, given, [True] * len(proto.output), values, types)

    def _function(
        self, op: GraphOp, form: OnnxForm, inputs: Sequence[tuple[str, SSAValue | None]]
    ) -> FunctionProto:
        """Write the body of a function; its outputs are the results of `op`."""
        names = [self._names.fresh(name) for name, _ in inputs]
        for name, (_, value) in zip(names, inputs, strict=True):
            if value is not None:
                self.values[value] = name
        made = self.results_of(form, op)
        outputs = [self._names.fresh("result") for _ in op.results]
        self.renamed(made, outputs, 0, [True] * len(made))
        return self.proto(op.name.partition(".")[2], GLOW, names, outputs)
