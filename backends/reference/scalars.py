"""Regions of scalar ops, computed on whole arrays, which broadcast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, Region, SSAValue

from glow.dialects.memory.elementwise import YieldOp
from glow.support.arrays import Array
from glow.support.element_conversion import convert
from glow.support.errors import ExecutionError
from glow.support.special_functions import erf
from glow.support.types import dtype_of

Function = Callable[..., Any]


def signless(array: Array) -> Array:
    """Return `array` as ops of `arith` see it: unsigned integers as signed ones."""
    return array.view(f"i{array.itemsize}") if array.dtype.kind == "u" else array


def _unsigned(function: Function) -> Function:
    """Return `function` of the unsigned integers that have the bits of its operands."""

    def of_bits(*operands: Array) -> Array:
        bits = [
            a.view(f"u{a.itemsize}") if a.dtype.kind == "i" else a for a in operands
        ]
        return signless(np.asarray(function(*bits)))

    return of_bits


def _truncated_quotient(a: Array, b: Array) -> Array:
    quotient = np.floor_divide(a, b)
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0)))


_SAME_IN_NUMPY = (
    *("cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "log", "log10"),
    *("log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
_SCALARS: dict[str, Function] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.subf": np.subtract,
    "arith.subi": np.subtract,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.divf": np.divide,
    "llvm_ext.remf": np.fmod,
    "arith.negf": np.negative,
    "arith.divsi": _truncated_quotient,
    "arith.remsi": np.fmod,
    "arith.divui": _unsigned(np.floor_divide),
    "arith.remui": _unsigned(np.remainder),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
    "arith.shli": np.left_shift,
    "arith.shrsi": np.right_shift,
    "arith.shrui": _unsigned(np.right_shift),
    "arith.select": np.where,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.acos": np.arccos,
    "math.acosh": np.arccosh,
    "math.asin": np.arcsin,
    "math.asinh": np.arcsinh,
    "math.atan": np.arctan,
    "math.atan2": np.arctan2,
    "math.atanh": np.arctanh,
    "math.copysign": np.copysign,
    "math.erf": erf,
    "math.powf": np.power,
    "math.roundeven": np.rint,
    **{f"math.{name}": getattr(np, name) for name in _SAME_IN_NUMPY},
}
_COMPARISONS: dict[str, Function] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_CASTS = (
    *("extf", "truncf", "fptosi", "fptoui", "fptosi_sat", "fptoui_sat"),
    *("sitofp", "uitofp", "extsi", "extui", "trunci", "bitcast"),
)


def run_region(region: Region, values: Sequence[Array]) -> list[Array]:
    """Return what `region` yields for whole arrays as its arguments."""
    block = region.block
    known: dict[SSAValue, Array] = {
        argument: _argument(value, dtype_of(argument.type))
        for argument, value in zip(block.args, values, strict=True)
    }
    with np.errstate(all="ignore"):
        for op in block.ops:
            operands = [known[value] for value in op.operands]
            if isinstance(op, YieldOp):
                return operands
            known[op.results[0]] = _run_scalar(op, operands)
    raise ExecutionError("a region without memory.yield")


def _argument(value: Array, dtype: np.dtype[Any]) -> Array:
    """Return elements as the region takes them: signless, and of its own width."""
    value = signless(value)
    return value if value.dtype == dtype else convert(value, dtype)


def _run_scalar(op: Operation, operands: list[Array]) -> Array:
    kind = op.name.split(".")[1]
    dtype = dtype_of(op.results[0].type)
    if kind == "constant":
        value = op.properties["value"]
        assert isinstance(value, FloatAttr | IntegerAttr)
        return np.asarray(value.value.data).astype(dtype)
    if kind in ("cmpf", "cmpi"):
        predicate = op.properties["predicate"]
        assert isinstance(predicate, IntegerAttr)
        compare = _compare_floats if kind == "cmpf" else _compare_integers
        return compare(predicate.value.data, *operands)
    if kind in _CASTS:
        return _cast(kind, operands[0], dtype)
    if op.name not in _SCALARS:
        raise ExecutionError(f"the memory interpreter does not know {op.name}")
    return np.asarray(_SCALARS[op.name](*operands)).astype(dtype, copy=False)


def _compare_floats(predicate: int, a: Array, b: Array) -> Array:
    """Compare by a predicate: o means that neither is NaN, u that one may be."""
    name = tuple(CMPF_COMPARISON_OPERATIONS)[predicate]
    unordered = np.isnan(a) | np.isnan(b)
    match name:
        case "false" | "true":
            return np.full(unordered.shape, name == "true")
        case "ord" | "uno":
            return unordered == (name == "uno")
        case _:
            holds = _COMPARISONS[name[1:]](a, b)
            return holds | unordered if name[0] == "u" else holds & ~unordered


def _compare_integers(predicate: int, a: Array, b: Array) -> Array:
    name = tuple(CMPI_COMPARISON_OPERATIONS)[predicate]
    compare = _COMPARISONS[name if len(name) == 2 else name[1:]]
    return _unsigned(compare)(a, b) if name[0] == "u" else compare(a, b)


def _cast(kind: str, value: Array, dtype: np.dtype[Any]) -> Array:
    if kind == "bitcast":
        return value.view(dtype)
    if kind.startswith("fpto"):
        unsigned = np.dtype(f"u{dtype.itemsize}")
        whole = unsigned if kind.startswith("fptoui") else dtype
        return signless(convert(value, whole, saturate=kind.endswith("sat")))
    if kind in ("uitofp", "extui") and value.dtype.kind == "i":
        value = value.view(f"u{value.itemsize}")
    if kind == "extsi" and value.dtype == np.bool_:
        return -value.astype(dtype)
    return value.astype(dtype)
