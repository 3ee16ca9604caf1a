"""Functions of each element, and of elements of several tensors that broadcast."""

from __future__ import annotations

from functools import reduce

from glow.dialects.graph import binary, comparison, logic, trigonometry, unary
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.dtypes import is_floating

UNARY: dict[str, type[GraphOp]] = {
    "Abs": unary.AbsOp,
    "Acos": trigonometry.AcosOp,
    "Acosh": trigonometry.AcoshOp,
    "Asin": trigonometry.AsinOp,
    "Asinh": trigonometry.AsinhOp,
    "Atan": trigonometry.AtanOp,
    "Atanh": trigonometry.AtanhOp,
    "BitwiseNot": logic.BitwiseNotOp,
    "Ceil": unary.CeilOp,
    "Cos": trigonometry.CosOp,
    "Cosh": trigonometry.CoshOp,
    "Erf": unary.ErfOp,
    "Exp": unary.ExpOp,
    "Floor": unary.FloorOp,
    "IsNaN": unary.IsNanOp,
    "Log": unary.LogOp,
    "Neg": unary.NegOp,
    "Not": logic.NotOp,
    "Reciprocal": unary.ReciprocalOp,
    "Round": unary.RoundOp,
    "Sign": unary.SignOp,
    "Sin": trigonometry.SinOp,
    "Sinh": trigonometry.SinhOp,
    "Sqrt": unary.SqrtOp,
    "Tan": trigonometry.TanOp,
    "Tanh": trigonometry.TanhOp,
}
BINARY: dict[str, type[GraphOp]] = {
    "Add": binary.AddOp,
    "And": logic.AndOp,
    "BitwiseAnd": logic.BitwiseAndOp,
    "BitwiseOr": logic.BitwiseOrOp,
    "BitwiseXor": logic.BitwiseXorOp,
    "Div": binary.DivOp,
    "Equal": comparison.EqualOp,
    "Greater": comparison.GreaterOp,
    "GreaterOrEqual": comparison.GreaterOrEqualOp,
    "Less": comparison.LessOp,
    "LessOrEqual": comparison.LessOrEqualOp,
    "Mul": binary.MulOp,
    "Or": logic.OrOp,
    "Pow": binary.PowOp,
    "Sub": binary.SubOp,
    "Xor": logic.XorOp,
}
VARIADIC: dict[str, type[GraphOp]] = {
    "Max": binary.MaxOp,
    "Min": binary.MinOp,
    "Sum": binary.AddOp,
}


@onnx_op(*UNARY)
def of_one_tensor(node: Node) -> Tensor:
    return node.emit(UNARY[node.record.op_type], node.input(0))


@onnx_op(*BINARY, since=7)
def of_two_tensors(node: Node) -> Tensor:
    return node.emit(BINARY[node.record.op_type], node.input(0), node.input(1))


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


@onnx_op("BitShift")
def bit_shift(node: Node) -> Tensor:
    direction = node.choice("direction", "LEFT", "RIGHT")
    return node.emit(
        logic.BitShiftOp, node.input(0), node.input(1), direction=direction
    )


@onnx_op("IsInf")
def is_inf(node: Node) -> Tensor:
    return node.emit(
        unary.IsInfOp,
        node.input(0),
        detect_negative=node.flag("detect_negative"),
        detect_positive=node.flag("detect_positive"),
    )


@onnx_op("Mod")
def mod(node: Node) -> Tensor:
    fmod = node.flag("fmod")
    if node.opset >= 28 and not fmod and is_floating(node.dtype(0)):
        return node.input(0) % node.input(1)
    return node.emit(binary.ModOp, node.input(0), node.input(1), fmod=fmod)
