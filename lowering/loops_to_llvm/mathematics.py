"""Rules for `math`: instructions by intrinsic, everything else from the C library."""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    i1,
)
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.llvm_ext.memory import ExtractElementOp
from glow.lowering.loops_to_llvm.arithmetic import flags_of
from glow.lowering.loops_to_llvm.state import (
    Lowering,
    element_type,
    lanes_of,
    lowers,
)

INTRINSICS: dict[type[Operation], str] = {
    math.AbsFOp: "llvm.fabs",
    math.SqrtOp: "llvm.sqrt",
    math.FloorOp: "llvm.floor",
    math.CeilOp: "llvm.ceil",
    math.TruncOp: "llvm.trunc",
    math.RoundOp: "llvm.round",
    math.CopySignOp: "llvm.copysign",
    math.CtPopOp: "llvm.ctpop",
    # Under the default rounding mode these are one; C libraries all have rint.
    math.RoundEvenOp: "llvm.rint",
    # Fused where the target can; a call per lane where it cannot would be absurd.
    math.FmaOp: "llvm.fmuladd",
}

# The name of the f64 function in C; that of f32 has an f behind it.
LIBRARY: dict[type[Operation], str] = {
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.Atan2Op: "atan2",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.LogOp: "log",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.PowFOp: "pow",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
}


@lowers(*INTRINSICS)
def _intrinsic(f: Lowering, op: Operation) -> None:
    value = f.overloaded(INTRINSICS[type(op)], f.all(op.operands), flags_of(op))
    f.replace(op, value)


_WITH_FLAG: dict[type[Operation], str] = {
    math.AbsIOp: "llvm.abs",
    math.CountLeadingZerosOp: "llvm.ctlz",
    math.CountTrailingZerosOp: "llvm.cttz",
}


@lowers(*_WITH_FLAG)
def _integer_intrinsic(f: Lowering, op: Operation) -> None:
    """Lower to an intrinsic whose flag says that no input is undefined."""
    defined = f.constant(0, i1)
    operands = [*f.all(op.operands), defined]
    f.replace(op, f.overloaded(_WITH_FLAG[type(op)], operands))


@lowers(*LIBRARY)
def _library(f: Lowering, op: Operation) -> None:
    match element_type(op.operands[0].type):
        case Float32Type():
            callee = f"{LIBRARY[type(op)]}f"
        case Float64Type():
            callee = LIBRARY[type(op)]
        case other:
            raise PassFailedException(f"{op.name} expects f32 or f64, got {other}")
    f.replace(op, per_lane(f, callee, f.all(op.operands)))


def per_lane(f: Lowering, callee: str, operands: Sequence[SSAValue]) -> SSAValue:
    """Call a scalar function, once per lane if the operands are vectors."""
    type_ = operands[0].type
    lanes = lanes_of(type_)
    if lanes is None:
        return f.call(callee, operands, type_)
    element, result = element_type(type_), f.undef(type_)
    for lane in range(lanes):
        at = f.constant(lane)
        scalars = [f.make(ExtractElementOp, [v, at], element) for v in operands]
        value = f.call(callee, scalars, element)
        result = f.make(llvm.InsertElementOp, [result, value, at], type_)
    return result


@lowers(math.RsqrtOp)
def _rsqrt(f: Lowering, op: math.RsqrtOp) -> None:
    root = f.overloaded("llvm.sqrt", f.all(op.operands))
    f.replace(op, f.make(llvm.FDivOp, [one(f, root), root], root.type))


def one(f: Lowering, like: SSAValue) -> SSAValue:
    """Return 1.0 of the type of `like`."""
    type_: Any = like.type
    value: Any = (
        FloatAttr(1.0, type_)
        if lanes_of(type_) is None
        else DenseIntOrFPElementsAttr.from_list(type_, [1.0])
    )
    return f.make(llvm.ConstantOp, [], like.type, value=value)
