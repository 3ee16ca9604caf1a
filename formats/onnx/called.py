"""Calls, choices and loops of a module as ONNX nodes, with its functions as bodies."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import GraphProto, NodeProto, ValueInfoProto, helper
from xdsl.dialects.builtin import AnyTensorType

from glow.dialects.graph.control_flow import (
    CONDITION,
    COUNT,
    CallFunctionOp,
    IfOp,
    LoopOp,
    composite_of,
)
from glow.formats.onnx.element_types import onnx_type_of
from glow.formats.onnx.functions import COMPOSITE, FUNCTIONS
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.records import MUST_END, SOURCE
from glow.formats.onnx.registry import onnx_form
from glow.support.locations import name_of
from glow.support.types import tensor_type


@onnx_form(CallFunctionOp)
def call_node(op: CallFunctionOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """Write a function of the module as one of the model, and call it."""
    (callee,) = op.callees
    inputs = [f"input{number}" for number in range(len(op.inputs))]
    inner, made = out.body(callee, inputs, is_function=True)
    outputs = [inner.fresh(f"output{number}") for number in range(len(made))]
    inner.renamed(made, outputs, 0, [True] * len(made))
    proto = inner.proto(callee, FUNCTIONS, inputs, outputs)
    function = out.context.bodies[callee]
    proto.metadata_props.add(key=SOURCE, value=name_of(function))
    if composite := composite_of(function):
        proto.metadata_props.add(key=COMPOSITE, value=composite)
    return out.call(proto, list(op.inputs))


@onnx_form(IfOp)
def if_node(op: IfOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    node, types = NodeProto(op_type="If"), [tensor_type(v) for v in op.outputs]
    names = [out.name_of(value) for value in op.inputs]
    for role, callee in zip(("then_branch", "else_branch"), op.callees, strict=True):
        graph = _graph(role, *out.body(callee, names), [], types)
        node.attribute.append(helper.make_attribute(role, graph))
    return out.append(node, [op.condition], len(op.outputs))


@onnx_form(LoopOp)
def loop_node(op: LoopOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """Write a loop; one without a condition passes on the one that it starts with."""
    types = [tensor_type(value) for value in op.initial]
    own = [
        out.fresh(name)
        for name in ("iteration", "condition", *["carried"] * len(types))
    ]
    infos = map(_info, own, [COUNT, CONDITION, *types])
    others = [out.name_of(value) for value in op.inputs]
    inner, made = out.body(op.callees[0], [own[0], *own[2:], *others])
    if op.condition is None:
        made = [own[1], *made]
    node = NodeProto(op_type="Loop")
    graph = _graph("body", inner, made, list(infos), [CONDITION, *types])
    node.attribute.append(helper.make_attribute("body", graph))
    if op.must_end is not None:
        node.metadata_props.add(key=MUST_END, value="true")
    return out.append(node, [op.limit, op.condition, *op.initial], len(types))


def _graph(
    name: str,
    inner: NodeWriter,
    made: Sequence[str],
    inputs: Sequence[ValueInfoProto],
    types: Sequence[AnyTensorType],
) -> GraphProto:
    """Return a body, whose outputs are values that it makes itself."""
    outputs = [inner.fresh("result") for _ in made]
    for value, output in zip(made, outputs, strict=True):
        inner.copy(value, output)
    return helper.make_graph(
        inner.nodes, name, inputs, list(map(_info, outputs, types))
    )


def _info(name: str, type_: AnyTensorType) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_type_of(type_), type_.get_shape())
