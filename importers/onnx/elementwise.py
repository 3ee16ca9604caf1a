"""Functions of each element, and of elements of several tensors that broadcast."""

from __future__ import annotations

from functools import reduce

from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import (
    AddOp,
    DivOp,
    MaxOp,
    MinOp,
    ModOp,
    MulOp,
    PowOp,
    SubOp,
)
from glow.dialects.graph.comparison import (
    EqualOp,
    GreaterOp,
    GreaterOrEqualOp,
    LessOp,
    LessOrEqualOp,
)
from glow.dialects.graph.logic import (
    AndOp,
    BitShiftOp,
    BitwiseAndOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseXorOp,
    NotOp,
    OrOp,
    XorOp,
)
from glow.dialects.graph.trigonometry import (
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    CoshOp,
    CosOp,
    SinhOp,
    SinOp,
    TanhOp,
    TanOp,
)
from glow.dialects.graph.unary import (
    AbsOp,
    CeilOp,
    ErfOp,
    ExpOp,
    FloorOp,
    IsInfOp,
    IsNanOp,
    LogOp,
    NegOp,
    ReciprocalOp,
    RoundOp,
    SignOp,
    SqrtOp,
)
from glow.importers.onnx.expression import input_of
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

UNARY: dict[str, type[GraphOp]] = {
    "Abs": AbsOp,
    "Acos": AcosOp,
    "Acosh": AcoshOp,
    "Asin": AsinOp,
    "Asinh": AsinhOp,
    "Atan": AtanOp,
    "Atanh": AtanhOp,
    "BitwiseNot": BitwiseNotOp,
    "Ceil": CeilOp,
    "Cos": CosOp,
    "Cosh": CoshOp,
    "Erf": ErfOp,
    "Exp": ExpOp,
    "Floor": FloorOp,
    "IsNaN": IsNanOp,
    "Log": LogOp,
    "Neg": NegOp,
    "Not": NotOp,
    "Reciprocal": ReciprocalOp,
    "Round": RoundOp,
    "Sign": SignOp,
    "Sin": SinOp,
    "Sinh": SinhOp,
    "Sqrt": SqrtOp,
    "Tan": TanOp,
    "Tanh": TanhOp,
}
BINARY: dict[str, type[GraphOp]] = {
    "Add": AddOp,
    "And": AndOp,
    "BitwiseAnd": BitwiseAndOp,
    "BitwiseOr": BitwiseOrOp,
    "BitwiseXor": BitwiseXorOp,
    "Div": DivOp,
    "Equal": EqualOp,
    "Greater": GreaterOp,
    "GreaterOrEqual": GreaterOrEqualOp,
    "Less": LessOp,
    "LessOrEqual": LessOrEqualOp,
    "Mul": MulOp,
    "Or": OrOp,
    "Pow": PowOp,
    "Sub": SubOp,
    "Xor": XorOp,
}
VARIADIC: dict[str, type[GraphOp]] = {"Max": MaxOp, "Min": MinOp, "Sum": AddOp}


@onnx_op(*UNARY)
def unary(node: Node) -> SSAValue:
    return node.emit(UNARY[node.record.op_type], node.input(0))


@onnx_op(*BINARY, since=7)
def binary(node: Node) -> SSAValue:
    return node.emit(BINARY[node.record.op_type], node.input(0), node.input(1))


@onnx_op(*VARIADIC)
def variadic(node: Node) -> SSAValue:
    return _folded(node, VARIADIC[node.record.op_type])


@onnx_op("Mean")
def mean(node: Node) -> SSAValue:
    total = _folded(node, AddOp)
    return node.emit(DivOp, total, node.literal(len(node.given), node.dtype(0)))


def _folded(node: Node, op: type[GraphOp]) -> SSAValue:
    """Return op(op(input 0, input 1), ...)."""
    if not node.given:
        node.invalid("expected at least one input, got none")
    return reduce(lambda lhs, rhs: node.emit(op, lhs, rhs), node.given)


@onnx_op("BitShift")
def bit_shift(node: Node) -> SSAValue:
    direction = node.choice("direction", "LEFT", "RIGHT")
    return node.emit(BitShiftOp, node.input(0), node.input(1), direction=direction)


@onnx_op("IsInf")
def is_inf(node: Node) -> SSAValue:
    return node.emit(
        IsInfOp,
        node.input(0),
        detect_negative=node.flag("detect_negative"),
        detect_positive=node.flag("detect_positive"),
    )


@onnx_op("Mod")
def mod(node: Node) -> SSAValue:
    fmod = node.flag("fmod")
    if node.opset >= 28 and not fmod and node.dtype(0).kind == "f":
        x, y = input_of(node, 0), input_of(node, 1)
        rest = x % y  # with the sign of x, where that of y is asked for
        other = (rest < 0).choose(y > 0, (rest > 0) & (y < 0))
        return other.choose(rest + y, rest).value
    return node.emit(ModOp, node.input(0), node.input(1), fmod=fmod)
