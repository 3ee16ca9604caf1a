"""Operators that are one op, of the same inputs and outputs and like attributes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from glow.dialects.graph.activation import CeluOp, PreluOp
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp, TopKOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp, declared
from glow.dialects.graph.detection import RoiAlignOp
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp
from glow.dialects.graph.linear import DetOp, EinsumOp, MatMulOp
from glow.dialects.graph.logic import BitShiftOp
from glow.dialects.graph.loss import CrossEntropyLossOp, NegativeLogLikelihoodLossOp
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.graph.pooling import GlobalAvgPoolOp, GlobalMaxPoolOp
from glow.dialects.graph.reduction import ArgMaxOp, ArgMinOp
from glow.dialects.graph.scattering import (
    ScatterElementsOp,
    ScatterNdOp,
    TensorScatterOp,
)
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.slicing import TriluOp
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.unary import NegOp
from glow.formats.onnx.element_types import wider_types
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxForm, OnnxValue
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.support.types import dtype_of, element_of

ONE: dict[str, type[GraphOp]] = {
    **declared(UnaryOp),
    "ArgMax": ArgMaxOp,
    "ArgMin": ArgMinOp,
    "Det": DetOp,
    "Einsum": EinsumOp,
    "GatherElements": GatherElementsOp,
    "GatherND": GatherNdOp,
    "GlobalAveragePool": GlobalAvgPoolOp,
    "GlobalMaxPool": GlobalMaxPoolOp,
    "LRN": LrnOp,
    "MatMul": MatMulOp,
    "NegativeLogLikelihoodLoss": NegativeLogLikelihoodLossOp,
    "RoiAlign": RoiAlignOp,
    "Scatter": ScatterElementsOp,
    "ScatterElements": ScatterElementsOp,
    "ScatterND": ScatterNdOp,
    "SoftmaxCrossEntropyLoss": CrossEntropyLossOp,
    "TensorScatter": TensorScatterOp,
    "TopK": TopKOp,
    "Trilu": TriluOp,
    "Where": WhereOp,
}
"""The operators that are one op; "Scatter" is the former name of another."""

BINARY: dict[str, type[GraphOp]] = {
    name: op
    for name, op in declared(BinaryOp).items()
    if name not in ("Max", "Min", "Sum", "Mod")
}
SINCE_7 = BINARY | {"PRelu": PreluOp}
SINCE_13: dict[str, type[GraphOp]] = {"LogSoftmax": LogSoftmaxOp, "Softmax": SoftmaxOp}


@onnx_op(*ONE)
@onnx_op(*SINCE_7, since=7)
@onnx_op(*SINCE_13, since=13)
def one_op(node: Node) -> Outputs:
    return node.apply((ONE | SINCE_7 | SINCE_13)[node.record.op_type])


OPERATORS: dict[type[GraphOp], str] = {
    op: name
    for name, op in (ONE | declared(BinaryOp) | SINCE_7 | SINCE_13).items()
    if name != "Scatter" and op not in (BitShiftOp, CeluOp, MatMulOp, NegOp, TopKOp)
}


@onnx_form(*OPERATORS)
def one_node(op: GraphOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    """Write a node; elements that ONNX does not take are computed in a wider type."""
    name = OPERATORS[type(op)]
    if wider_types(out.schema(name), op.operands):
        return out.function(op, widened(name))
    return out.as_node(name, op)


def widened(name: str) -> OnnxForm:
    """Return the form of an op on the elements that operator `name` takes."""

    def form(op: GraphOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
        types = wider_types(out.schema(name), op.operands)

        def cast(value: SSAValue, element: Attribute) -> Tensor:
            return out.tensor(value).astype(dtype_of(element))

        elements = map(element_of, op.operands)
        wide = [
            cast(value, types.get(element, element)).value
            for value, element in zip(op.operands, elements, strict=True)
        ]
        made = out.insert(op.rebuilt(wide, op.parameters()))
        return [
            cast(value, element_of(result))
            for value, result in zip(made, op.results, strict=True)
        ]

    return form
