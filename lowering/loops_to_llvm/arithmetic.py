"""Rules for `arith` and the elementwise ops of `llvm_ext`."""

from functools import cache
from typing import Any, cast

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    VectorType,
    f16,
    i32,
)
from xdsl.ir import Attribute, Operation

from glow.dialects.llvm_ext import conversion, elementwise
from glow.lowering.loops_to_llvm.state import (
    Lowering,
    bits_of_floats,
    converted,
    element_type,
    lowers,
)
from glow.support.types import is_narrow_float

RENAMED: dict[type[Operation], type[Operation]] = {
    arith.AddiOp: llvm.AddOp,
    arith.SubiOp: llvm.SubOp,
    arith.MuliOp: llvm.MulOp,
    arith.DivSIOp: llvm.SDivOp,
    arith.DivUIOp: llvm.UDivOp,
    arith.RemSIOp: llvm.SRemOp,
    arith.RemUIOp: llvm.URemOp,
    arith.AndIOp: llvm.AndOp,
    arith.OrIOp: llvm.OrOp,
    arith.XOrIOp: llvm.XOrOp,
    arith.ShLIOp: llvm.ShlOp,
    arith.ShRSIOp: llvm.AShrOp,
    arith.ShRUIOp: llvm.LShrOp,
    arith.AddfOp: llvm.FAddOp,
    arith.SubfOp: llvm.FSubOp,
    arith.MulfOp: llvm.FMulOp,
    arith.DivfOp: llvm.FDivOp,
    arith.NegfOp: llvm.FNegOp,
    arith.MaxnumfOp: llvm.VectorFMaxOp,
    arith.MinnumfOp: llvm.VectorFMinOp,
    arith.ExtSIOp: llvm.SExtOp,
    arith.ExtUIOp: llvm.ZExtOp,
    arith.TruncIOp: llvm.TruncOp,
    arith.SIToFPOp: llvm.SIToFPOp,
    arith.UIToFPOp: conversion.UIToFPOp,
    arith.FPToSIOp: conversion.FPToSIOp,
    arith.FPToUIOp: conversion.FPToUIOp,
    conversion.ExtSIOp: llvm.SExtOp,
    conversion.ExtUIOp: llvm.ZExtOp,
    conversion.TruncIOp: llvm.TruncOp,
    conversion.SIToFPOp: llvm.SIToFPOp,
    conversion.UIToFPOp: conversion.UIToFPOp,
    conversion.FPToSIOp: conversion.FPToSIOp,
    conversion.FPToUIOp: conversion.FPToUIOp,
    conversion.FPToSISatOp: conversion.FPToSISatOp,
    conversion.FPToUISatOp: conversion.FPToUISatOp,
    elementwise.CmpfOp: elementwise.CmpfOp,
    elementwise.CmpiOp: llvm.ICmpOp,
    elementwise.SelectOp: elementwise.SelectOp,
    elementwise.RemfOp: llvm.FRemOp,
    vector.BitcastOp: llvm.BitcastOp,
}

INTRINSICS: dict[type[Operation], str] = {
    arith.MaximumfOp: "llvm.maximum",
    arith.MinimumfOp: "llvm.minimum",
    arith.MaxSIOp: "llvm.smax",
    arith.MaxUIOp: "llvm.umax",
    arith.MinSIOp: "llvm.smin",
    arith.MinUIOp: "llvm.umin",
}


@cache
def fast_math(flags: arith.FastMathFlagsAttr) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


_FLAGS = {
    arith.IntegerOverflowAttr(None): IntegerAttr(0, i32),
    arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW]): IntegerAttr(1, i32),
    arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NUW]): IntegerAttr(2, i32),
    arith.IntegerOverflowAttr(list(arith.IntegerOverflowFlag)): IntegerAttr(3, i32),
}


def flags_of(op: Operation) -> llvm.FastMathAttr | None:
    """Return the fast-math flags of `op` if it has any."""
    flags = op.properties.get("fastmath")
    if not isinstance(flags, arith.FastMathFlagsAttr) or not flags.data:
        return None
    return fast_math(flags)


@lowers(*RENAMED)
def _rename(f: Lowering, op: Operation) -> None:
    properties: dict[str, Attribute] = {}
    if (overflow := op.properties.get("overflowFlags")) is not None:
        properties["overflowFlags"] = _FLAGS[cast(arith.IntegerOverflowAttr, overflow)]
    if (flags := flags_of(op)) is not None:
        properties["fastmathFlags"] = flags
    for name in ("predicate", "isExact"):
        if name in op.properties:
            properties[name] = op.properties[name]
    result = converted(op.results[0].type)
    f.replace(op, f.make(RENAMED[type(op)], f.all(op.operands), result, **properties))


@lowers(arith.ExtFOp)
def _extf(f: Lowering, op: arith.ExtFOp) -> None:
    value = f[op.input]
    if element_type(op.input.type) == f16:
        value = f.make(llvm.BitcastOp, [value], op.input.type)
    f.replace(op, f.make(llvm.FPExtOp, [value], op.result.type))


@lowers(arith.TruncFOp)
def _truncf(f: Lowering, op: arith.TruncFOp) -> None:
    value = f.make(llvm.FPTruncOp, [f[op.input]], op.result.type)
    if element_type(op.result.type) == f16:
        value = f.make(llvm.BitcastOp, [value], converted(op.result.type))
    f.replace(op, value)


@lowers(*INTRINSICS)
def _intrinsic(f: Lowering, op: Operation) -> None:
    value = f.overloaded(INTRINSICS[type(op)], f.all(op.operands), flags_of(op))
    f.replace(op, value)


@lowers(arith.ConstantOp)
def _constant(f: Lowering, op: arith.ConstantOp) -> None:
    type_ = converted(op.result.type)
    value: Any = op.value
    if isinstance(op.result.type, IndexType):
        return  # Most end as literal offsets; `Lowering` makes the others.
    if is_narrow_float(element_type(op.result.type)):
        value = bits_of_floats(value, type_)
    elif type_ != op.result.type:
        value = DenseIntOrFPElementsAttr(cast(VectorType[Any], type_), value.data)
    f.replace(op, f.make(llvm.ConstantOp, [], type_, value=cast(Attribute, value)))


@lowers(arith.CmpiOp)
def _cmpi(f: Lowering, op: arith.CmpiOp) -> None:
    operands, result = f.all(op.operands), converted(op.result.type)
    f.replace(op, f.make(llvm.ICmpOp, operands, result, predicate=op.predicate))


@lowers(arith.CmpfOp)
def _cmpf(f: Lowering, op: arith.CmpfOp) -> None:
    is_vector = isinstance(op.lhs.type, VectorType)
    compare = elementwise.CmpfOp if is_vector else llvm.FCmpOp
    operands, result = f.all(op.operands), op.result.type
    f.replace(op, f.make(compare, operands, result, predicate=op.predicate))


@lowers(arith.SelectOp)
def _select(f: Lowering, op: arith.SelectOp) -> None:
    is_vector = isinstance(op.cond.type, VectorType)
    select = elementwise.SelectOp if is_vector else llvm.SelectOp
    f.replace(op, f.make(select, f.all(op.operands), converted(op.result.type)))


@lowers(arith.IndexCastOp)
def _index_cast(f: Lowering, op: arith.IndexCastOp) -> None:
    value, result = f[op.input], converted(op.result.type)
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
def _bitcast(f: Lowering, op: arith.BitcastOp) -> None:
    value, result = f[op.input], converted(op.result.type)
    if isinstance(op.input.type, MemRefType) or value.type == result:
        f.values[op.result] = value
        return
    f.replace(op, f.make(llvm.BitcastOp, [value], result))
