"""Operators that are one op, of the same inputs and outputs and like attributes."""

from __future__ import annotations

from glow.dialects.graph.activation import PreluOp
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp, TopKOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp, declared
from glow.dialects.graph.detection import RoiAlignOp
from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp, GatherOp
from glow.dialects.graph.linear import DetOp, EinsumOp, MatMulOp
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
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import Outputs, onnx_op

ONE: dict[str, type[GraphOp]] = {
    **declared(UnaryOp),
    "ArgMax": ArgMaxOp,
    "ArgMin": ArgMinOp,
    "Det": DetOp,
    "Einsum": EinsumOp,
    "Gather": GatherOp,
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
