"""Elementwise operators on one tensor or several, which broadcast."""

from __future__ import annotations

from functools import reduce
from typing import Any

from glow.dialects.graph import binary
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import declared
from glow.dialects.graph.elementwise import BinaryOp, UnaryOp
from glow.dialects.graph.parameters import Parameter
from glow.dialects.graph.parametric import PreluOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.dtypes import is_floating

VARIADIC: dict[str, type[GraphOp]] = {
    "Max": binary.MaxOp,
    "Min": binary.MinOp,
    "Sum": binary.AddOp,
}
UNARY = declared(UnaryOp)
BINARY = {
    name: op
    for name, op in declared(BinaryOp).items()
    if name not in (*VARIADIC, "Mod")
}


@onnx_op(*UNARY)
def of_one_tensor(node: Node) -> Tensor:
    op = UNARY[node.record.op_type]
    return node.emit(op, node.input(0), **_parameters(node, op))


@onnx_op(*BINARY, since=7)
def of_two_tensors(node: Node) -> Tensor:
    op = BINARY[node.record.op_type]
    return node.emit(op, node.input(0), node.input(1), **_parameters(node, op))


def _parameters(node: Node, op: type[GraphOp]) -> dict[str, Any]:
    """Return the attributes of a node, which have one name in ONNX and here."""
    return {name: _attribute(node, each) for name, each in op.declared().items()}


def _attribute(node: Node, parameter: Parameter) -> bool | float | str:
    if parameter.words:
        return node.choice(parameter.name, *parameter.words)
    if parameter.kinds == (bool,):
        return node.flag(parameter.name)
    return node.real(parameter.name)


@onnx_op(*VARIADIC)
def of_any_tensors(node: Node) -> Tensor:
    return _folded(node, VARIADIC[node.record.op_type])


@onnx_op("Mean")
def mean(node: Node) -> Tensor:
    return _folded(node, binary.AddOp) / len(node.given)


def _folded(node: Node, op: type[GraphOp]) -> Tensor:
    """Return op(op(input 0, input 1), ...)."""
    if not node.given:
        node.invalid("expected at least one input, got none")
    return reduce(lambda lhs, rhs: node.emit(op, lhs, rhs), node.given)


@onnx_op("Mod")
def mod(node: Node) -> Tensor:
    fmod = node.flag("fmod")
    if node.opset >= 28 and not fmod and is_floating(node.dtype(0)):
        return node.input(0) % node.input(1)
    return node.emit(binary.ModOp, node.input(0), node.input(1), fmod=fmod)


@onnx_op("PRelu", since=7)
def prelu(node: Node) -> Tensor:
    return node.emit(PreluOp, node.input(0), node.input(1))
