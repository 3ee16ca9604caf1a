"""Rules for the ops of `vector` that stay in registers."""

from typing import Any, cast

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.llvm_ext.memory import ExtractElementOp
from glow.lowering.loops_to_llvm.arithmetic import flags_of
from glow.lowering.loops_to_llvm.state import Translation, lowers
from glow.lowering.loops_to_llvm.types import converted, lanes_of, suffix
from glow.support.attributes import i32_array


def _lanes(type_: Attribute) -> int:
    lanes = lanes_of(type_)
    assert lanes is not None
    return lanes


def splat(f: Translation, value: SSAValue, type_: Attribute) -> SSAValue:
    """Return a vector of type `type_` with `value` in every lane."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp) and isinstance(
        owner.value, FloatAttr | IntegerAttr
    ):
        data: Any = owner.value.value.data
        dense = DenseIntOrFPElementsAttr.from_list(cast(Any, type_), [data])
        return f.make(llvm.ConstantOp, [], type_, value=dense)
    undef = f.undef(type_)
    lane = f.make(llvm.InsertElementOp, [undef, value, f.constant(0)], type_)
    mask = i32_array(*[0] * _lanes(type_))
    return f.make(llvm.ShuffleVectorOp, [lane, undef], type_, mask=mask)


@lowers(vector.BroadcastOp)
def _broadcast(f: Translation, op: vector.BroadcastOp) -> None:
    value, type_ = f[op.source], converted(op.vector.type)
    if value.type == type_:
        f.values[op.vector] = value
    elif isinstance(value.type, VectorType):
        raise PassFailedException(
            f"expected a scalar to broadcast, got {op.source.type} to {op.vector.type}"
        )
    else:
        f.replace(op, splat(f, value, type_))


@lowers(vector.FMAOp)
def _fma(f: Translation, op: vector.FMAOp) -> None:
    """Fused where the target can; elsewhere a product and a sum."""
    f.replace(op, f.overloaded("llvm.fmuladd", f.all(op.operands)))


@lowers(vector.ShuffleOp)
def _shuffle(f: Translation, op: vector.ShuffleOp) -> None:
    a, b = f.all(op.operands)
    if a.type != b.type:
        raise PassFailedException(
            f"expected to shuffle vectors of one type, got {op.v1.type}, {op.v2.type}"
        )
    mask = i32_array(*op.mask.get_values())
    result = converted(op.result.type)
    f.replace(op, f.make(llvm.ShuffleVectorOp, [a, b], result, mask=mask))


def _position(f: Translation, op: vector.ExtractOp | vector.InsertOp) -> SSAValue:
    positions = op.static_position.get_values()
    if len(positions) != 1:
        raise PassFailedException(f"{op.name} expects one position in a vector")
    if positions[0] == DYNAMIC_INDEX:
        return f[op.dynamic_position[0]]
    return f.constant(positions[0])


@lowers(vector.ExtractOp)
def _extract(f: Translation, op: vector.ExtractOp) -> None:
    operands = [f[op.vector], _position(f, op)]
    f.replace(op, f.make(ExtractElementOp, operands, converted(op.result.type)))


@lowers(vector.InsertOp)
def _insert(f: Translation, op: vector.InsertOp) -> None:
    operands = [f[op.dest], f[op.source], _position(f, op)]
    f.replace(op, f.make(llvm.InsertElementOp, operands, converted(op.result.type)))


@lowers(vector.CreateMaskOp)
def _create_mask(f: Translation, op: vector.CreateMaskOp) -> None:
    """Compare the number of each lane with the count, clamped to fit an i32."""
    result = op.mask_vector.type
    lanes, count = _lanes(result), f[op.mask_dim_sizes[0]]
    for name, bound in (("llvm.smax", 0), ("llvm.smin", lanes)):
        count = f.overloaded(name, [count, f.constant(bound)])
    count = f.make(llvm.TruncOp, [count], i32)
    type_ = VectorType(i32, [lanes])
    numbers = DenseIntOrFPElementsAttr.from_list(type_, range(lanes))
    iota = f.make(llvm.ConstantOp, [], type_, value=numbers)
    less = IntegerAttr(llvm.ICmpPredicateFlag.SLT.to_int(), i64)
    operands = [iota, splat(f, count, type_)]
    f.replace(op, f.make(llvm.ICmpOp, operands, result, predicate=less))


# By kind and whether elements are floats: the intrinsic, and what joins its result with
# an accumulator. Sums and products of floats have a start instead, by default this one.
_REDUCTIONS: dict[tuple[str, bool], tuple[str, type[Operation] | str | float]] = {
    ("add", False): ("add", llvm.AddOp),
    ("mul", False): ("mul", llvm.MulOp),
    ("and", False): ("and", llvm.AndOp),
    ("or", False): ("or", llvm.OrOp),
    ("xor", False): ("xor", llvm.XOrOp),
    ("minsi", False): ("smin", "llvm.smin"),
    ("minui", False): ("umin", "llvm.umin"),
    ("maxsi", False): ("smax", "llvm.smax"),
    ("maxui", False): ("umax", "llvm.umax"),
    ("add", True): ("fadd", -0.0),
    ("mul", True): ("fmul", 1.0),
    ("minnumf", True): ("fmin", "llvm.minnum"),
    ("maxnumf", True): ("fmax", "llvm.maxnum"),
    ("minimumf", True): ("fminimum", "llvm.minimum"),
    ("maximumf", True): ("fmaximum", "llvm.maximum"),
}


@lowers(vector.ReductionOp)
def _reduction(f: Translation, op: vector.ReductionOp) -> None:
    """Without `reassoc` a float sum or product goes lane after lane, in order."""
    value, element = f[op.vector], converted(op.dest.type)
    kind = op.kind.data.value
    key = kind, not isinstance(element, IntegerType)
    if key not in _REDUCTIONS:
        raise PassFailedException(f"no {kind} reduction of {element}")
    name, combine = _REDUCTIONS[key]
    start = None if op.acc is None else f[op.acc]
    operands = [value]
    if isinstance(combine, float):
        neutral = FloatAttr(combine, cast(Any, element))
        if start is None:
            start = f.make(llvm.ConstantOp, [], element, value=neutral)
        operands = [start, value]
    full_name = f"llvm.vector.reduce.{name}.{f.once(suffix, value.type)}"
    reduced: SSAValue
    reduced = f.intrinsic(full_name, operands, element, flags_of(f, op)).results[0]
    if start is not None and isinstance(combine, str):
        reduced = f.overloaded(combine, [start, reduced])
    elif start is not None and isinstance(combine, type):
        reduced = f.make(combine, [start, reduced], element)
    f.replace(op, reduced)
