"""Rules for `math`: instructions by intrinsic, everything else from the C library."""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    i1,
)
from xdsl.dialects.math import Math
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.llvm_ext.memory import ExtractElementOp
from glow.lowering.loops_to_llvm.arithmetic import flags_of
from glow.lowering.loops_to_llvm.state import Lowering, lowers
from glow.lowering.loops_to_llvm.types import element_type, lanes_of
from glow.support.discovery import mnemonic, ops_named

_INTRINSICS: dict[type[Operation], str] = {
    **{op: mnemonic(op) for op in ops_named(Math, "sqrt floor ceil trunc round")},
    **{op: mnemonic(op) for op in ops_named(Math, "copysign ctpop")},
    math.AbsFOp: "fabs",
    # Under the default rounding mode these are one; C libraries all have rint.
    math.RoundEvenOp: "rint",
    # Fused where the target can; a call per lane where it cannot would be absurd.
    math.FmaOp: "fmuladd",
    arith.MaximumfOp: "maximum",
    arith.MinimumfOp: "minimum",
    arith.MaxSIOp: "smax",
    arith.MaxUIOp: "umax",
    arith.MinSIOp: "smin",
    arith.MinUIOp: "umin",
}


@lowers(*_INTRINSICS)
def _intrinsic(f: Lowering, op: Operation) -> None:
    name = f"llvm.{_INTRINSICS[type(op)]}"
    f.replace(op, f.overloaded(name, f.all(op.operands), flags_of(op)))


@lowers(math.AbsIOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp)
def _integer_intrinsic(f: Lowering, op: Operation) -> None:
    """Lower to an intrinsic whose flag says that no input is undefined."""
    name = "abs" if isinstance(op, math.AbsIOp) else mnemonic(op)
    operands = [*f.all(op.operands), f.constant(0, i1)]
    f.replace(op, f.overloaded(f"llvm.{name}", operands))


@lowers(*ops_named(Math, "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf"))
@lowers(*ops_named(Math, "exp exp2 expm1 log log10 log1p log2 powf sin sinh tan tanh"))
def _library(f: Lowering, op: Operation) -> None:
    """Call the function of C; that of f32 has an f behind its name."""
    name = "pow" if isinstance(op, math.PowFOp) else mnemonic(op)
    match element_type(op.operands[0].type):
        case Float32Type():
            callee = f"{name}f"
        case Float64Type():
            callee = name
        case other:
            raise PassFailedException(f"{op.name} expects f32 or f64, got {other}")
    f.replace(op, _per_lane(f, callee, f.all(op.operands)))


def _per_lane(f: Lowering, callee: str, operands: Sequence[SSAValue]) -> SSAValue:
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
    type_: Any = root.type
    one: Any = FloatAttr(1.0, type_)
    if lanes_of(type_) is not None:
        one = DenseIntOrFPElementsAttr.from_list(type_, [1.0])
    ones = f.make(llvm.ConstantOp, [], type_, value=one)
    f.replace(op, f.make(llvm.FDivOp, [ones, root], type_))
