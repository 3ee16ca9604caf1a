"""Rules for `arith`, `math` and the elementwise ops of `llvm_ext`."""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith, llvm, math, vector
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    f16,
    i1,
    i32,
)
from xdsl.dialects.llvm import LLVM
from xdsl.dialects.math import Math
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.llvm_ext.elementwise import DotPairsOp, shape_of_vector
from glow.dialects.llvm_ext.memory import ExtractElementOp
from glow.lowering.loops_to_llvm.state import Translation, lowers
from glow.lowering.loops_to_llvm.types import (
    bits_of_floats,
    converted,
    element_type,
    lanes_of,
)
from glow.support.discovery import dialect_in, mnemonic, ops_named
from glow.support.op_construction import result_of
from glow.support.types import is_narrow_float
from glow.support.walking import operands_of

_EXT = dialect_in("llvm_ext", "glow.dialects.llvm_ext")
_SCALAR_OR_VECTOR = "uitofp fptosi fptoui fptosi_sat fptoui_sat cmpf select"

_RENAMED: dict[type[Operation], type[Operation]] = {vector.BitcastOp: llvm.BitcastOp}
for _source, _names, _target, _results in (
    (Arith, "addi subi muli divsi divui", LLVM, "add sub mul sdiv udiv"),
    (Arith, "remsi remui andi ori xori", LLVM, "srem urem and or xor"),
    (Arith, "shli shrsi shrui select", LLVM, "shl ashr lshr select"),
    (Arith, "extsi extui trunci sitofp", LLVM, "sext zext trunc sitofp"),
    (Arith, "addf subf mulf divf negf", LLVM, "fadd fsub fmul fdiv fneg"),
    (Arith, "cmpi cmpf maxnumf minnumf", LLVM, "icmp fcmp intr.maxnum intr.minnum"),
    (Arith, "uitofp fptosi fptoui", _EXT, "uitofp fptosi fptoui"),
    (_EXT, "extsi extui trunci sitofp", LLVM, "sext zext trunc sitofp"),
    (_EXT, "cmpi remf", LLVM, "icmp frem"),
    (_EXT, _SCALAR_OR_VECTOR, _EXT, _SCALAR_OR_VECTOR),
):
    _ops, _others = ops_named(_source, _names), ops_named(_target, _results)
    _RENAMED.update(zip(_ops, _others, strict=True))


def _fast_math(flags: Any) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


_FLAGS: dict[Attribute, Attribute] = {
    arith.IntegerOverflowAttr(None): IntegerAttr(0, i32),
    arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW]): IntegerAttr(1, i32),
    arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NUW]): IntegerAttr(2, i32),
    arith.IntegerOverflowAttr(list(arith.IntegerOverflowFlag)): IntegerAttr(3, i32),
}


def flags_of(f: Translation, op: Operation) -> llvm.FastMathAttr | None:
    """Return the fast-math flags of `op` if it has any."""
    flags = op.properties.get("fastmath")
    if not isinstance(flags, arith.FastMathFlagsAttr) or not flags.data:
        return None
    return f.once(_fast_math, flags)


def _overflow(flags: Attribute) -> Attribute:
    return _FLAGS[flags]


_IN_F16 = (arith.AddfOp, arith.SubfOp, arith.MulfOp)
"""Ops that some targets compute in f16; elsewhere f16 values are held as bits."""


_OF_INDICES = (arith.AddiOp, arith.SubiOp, arith.MuliOp)


@lowers(*_OF_INDICES)
def _add(f: Translation, op: Operation) -> None:
    """Most sums of indices are offsets of pointers in the end, and are not needed."""
    if isinstance(result_of(op).type, IndexType):
        f.postpone(op, _rename)
    else:
        _rename(f, op)


@lowers(*(op for op in _RENAMED if op not in _OF_INDICES))
def _rename(f: Translation, op: Operation) -> None:
    properties, given = dict[str, Attribute](), op.properties
    if (overflow := given.get("overflowFlags")) is not None:
        properties["overflowFlags"] = f.once(_overflow, overflow)
    if (flags := flags_of(f, op)) is not None:
        properties["fastmathFlags"] = flags
    for name in ("predicate", "isExact"):
        if name in given:
            properties[name] = given[name]
    operands, type_ = f.all(operands_of(op)), result_of(op).type
    result = f.converted(type_)
    if type(op) in _IN_F16 and element_type(type_) == f16:
        halves = [f.make(llvm.BitcastOp, [bits], type_) for bits in operands]
        value = f.make(_RENAMED[type(op)], halves, type_, **properties)
        f.replace(op, f.make(llvm.BitcastOp, [value], result))
        return
    f.replace(op, f.make(_RENAMED[type(op)], operands, result, **properties))


@lowers(arith.ExtFOp)
def _extf(f: Translation, op: arith.ExtFOp) -> None:
    value = f[op.input]
    if element_type(op.input.type) == f16:
        value = f.make(llvm.BitcastOp, [value], op.input.type)
    f.replace(op, f.make(llvm.FPExtOp, [value], op.result.type))


@lowers(arith.TruncFOp)
def _truncf(f: Translation, op: arith.TruncFOp) -> None:
    value = f.make(llvm.FPTruncOp, [f[op.input]], op.result.type)
    if element_type(op.result.type) == f16:
        value = f.make(llvm.BitcastOp, [value], converted(op.result.type))
    f.replace(op, value)


@lowers(arith.ConstantOp)
def _constant(f: Translation, op: arith.ConstantOp) -> None:
    type_ = converted(op.result.type)
    value: Any = op.value
    if isinstance(op.result.type, IndexType):
        return  # Most end as literal offsets; `Translation` makes the others.
    if is_narrow_float(element_type(op.result.type)):
        value = bits_of_floats(value, type_)
    elif type_ != op.result.type:
        value = DenseIntOrFPElementsAttr(cast(VectorType[Any], type_), value.data)
    f.replace(op, f.make(llvm.ConstantOp, [], type_, value=cast(Attribute, value)))


@lowers(arith.IndexCastOp)
def _index_cast(f: Translation, op: arith.IndexCastOp) -> None:
    (given,), result = operands_of(op), f.converted(result_of(op).type)
    value = f[given]
    source, target = _bits(value.type), _bits(result)
    if source == target:
        f.values[op.result] = value
        return
    cast_op = llvm.SExtOp if source < target else llvm.TruncOp
    f.replace(op, f.make(cast_op, [value], result))


def _bits(type_: Attribute) -> int:
    element: Any = element_type(type_)
    return element.width.data


@lowers(arith.BitcastOp)
def _bitcast(f: Translation, op: arith.BitcastOp) -> None:
    value, result = f[op.input], converted(op.result.type)
    if isinstance(op.input.type, MemRefType) or value.type == result:
        f.values[op.result] = value
        return
    f.replace(op, f.make(llvm.BitcastOp, [value], result))


@lowers(DotPairsOp)
def _dot_pairs(f: Translation, op: DotPairsOp) -> None:
    pairs = [f.make(llvm.BitcastOp, [f[v]], v.type) for v in (op.lhs, op.rhs)]
    bits = 32 * shape_of_vector(op.total.type)[0]
    name = f"llvm.x86.avx512bf16.dpbf16ps.{bits}"
    call = f.intrinsic(name, [f[op.total], *pairs], op.result.type)
    f.replace(op, call.results[0])


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
def _intrinsic(f: Translation, op: Operation) -> None:
    name = f"llvm.{_INTRINSICS[type(op)]}"
    flags = flags_of(f, op)
    f.replace(op, f.overloaded(name, f.all(operands_of(op)), flags))


@lowers(math.AbsIOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp)
def _integer_intrinsic(f: Translation, op: Operation) -> None:
    """Lower to an intrinsic whose flag says that no input is undefined."""
    name = "abs" if isinstance(op, math.AbsIOp) else mnemonic(op)
    operands = [*f.all(op.operands), f.constant(0, i1)]
    f.replace(op, f.overloaded(f"llvm.{name}", operands))


_C_FUNCTIONS = (
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf exp exp2 expm1 log "
    "log10 log1p log2 powf sin sinh tan tanh"
)
C_LIBRARY = frozenset(
    name + suffix
    for name in _C_FUNCTIONS.replace("powf", "pow").split()
    for suffix in ("", "f")
)
"""The functions of the C library that code may call: they only compute."""


@lowers(*ops_named(Math, _C_FUNCTIONS))
def _library(f: Translation, op: Operation) -> None:
    """Call the function of C; that of f32 has an f after its name."""
    name = "pow" if isinstance(op, math.PowFOp) else mnemonic(op)
    match element_type(op.operands[0].type):
        case Float32Type():
            callee = f"{name}f"
        case Float64Type():
            callee = name
        case other:
            raise PassFailedException(f"{op.name} expects f32 or f64, got {other}")
    f.replace(op, _per_lane(f, callee, f.all(op.operands)))


def _per_lane(f: Translation, callee: str, operands: Sequence[SSAValue]) -> SSAValue:
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
def _rsqrt(f: Translation, op: math.RsqrtOp) -> None:
    root = f.overloaded("llvm.sqrt", f.all(op.operands))
    type_: Any = root.type
    one: Any = (
        FloatAttr(1.0, type_)
        if lanes_of(type_) is None
        else DenseIntOrFPElementsAttr.from_list(type_, [1.0])
    )
    ones = f.make(llvm.ConstantOp, [], type_, value=one)
    f.replace(op, f.make(llvm.FDivOp, [ones, root], type_))
