"""Activations: elementwise functions with parameters."""

from __future__ import annotations

from glow.dialects.graph.activation import (
    CeluOp,
    EluOp,
    GeluOp,
    HardSigmoidOp,
    HardSwishOp,
    LeakyReluOp,
    MishOp,
    ReluOp,
    SeluOp,
    ShrinkOp,
    SigmoidOp,
    SoftplusOp,
    SoftsignOp,
    SwishOp,
    ThresholdedReluOp,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.parametric import PreluOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

# Each with its float attributes, which have one name in ONNX and here.
ACTIVATIONS: dict[str, tuple[type[GraphOp], tuple[str, ...]]] = {
    "Celu": (CeluOp, ("alpha",)),
    "Elu": (EluOp, ("alpha",)),
    "HardSigmoid": (HardSigmoidOp, ("alpha", "beta")),
    "HardSwish": (HardSwishOp, ()),
    "LeakyRelu": (LeakyReluOp, ("alpha",)),
    "Mish": (MishOp, ()),
    "Relu": (ReluOp, ()),
    "Selu": (SeluOp, ("alpha", "gamma")),
    "Shrink": (ShrinkOp, ("bias", "lambd")),
    "Sigmoid": (SigmoidOp, ()),
    "Softplus": (SoftplusOp, ()),
    "Softsign": (SoftsignOp, ()),
    "Swish": (SwishOp, ("alpha",)),
    "ThresholdedRelu": (ThresholdedReluOp, ("alpha",)),
}


@onnx_op(*ACTIVATIONS)
def activation(node: Node) -> Tensor:
    op, names = ACTIVATIONS[node.record.op_type]
    return node.emit(op, node.input(0), **{name: node.real(name) for name in names})


@onnx_op("Gelu")
def gelu(node: Node) -> Tensor:
    approximate = node.choice("approximate", "none", "tanh")
    return node.emit(GeluOp, node.input(0), approximate=approximate)


@onnx_op("PRelu", since=7)
def prelu(node: Node) -> Tensor:
    return node.emit(PreluOp, node.input(0), node.input(1))
