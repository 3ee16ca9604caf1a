"""Functions of each element: the types are those that NumPy's ufuncs choose."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as ops
from glow.dialects.graph import binary, logic, unary
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.tracing.functions import formulas
from glow.tracing.operands import common_weak, dtype_of, kind_of, tensor_of, weak_type
from glow.tracing.registry import FUNCTIONS, blaming
from glow.tracing.tracers import Tracer

ElementRule = Callable[..., Tensor]
"""A function of tensors in the types that its ufunc takes; it returns the result."""


def apply_ufunc(
    ufunc: np.ufunc, rule: ElementRule, *operands: Any, dtype: Any = None
) -> Any:
    """Apply a rule to operands in the types that NumPy chooses for them."""
    if len(operands) != ufunc.nin:
        raise TypeError(f"expected {ufunc.nin} operands, got {len(operands)}")
    taken = _types(ufunc, *operands)
    if any(each.kind == "c" for each in taken):
        raise TypeError("expected real numbers, got complex ones")
    tensors = [tensor_of(x, kind) for x, kind in zip(operands, taken, strict=False)]
    result = rule(*tensors)
    wanted = taken[ufunc.nin] if dtype is None else np.dtype(dtype)
    return Tracer(result.astype(wanted), _weak(operands, wanted))


def _weak(operands: tuple[Any, ...], result: np.dtype[Any]) -> type | None:
    """Return int or float for a result of Python's numbers alone, else None."""
    if common_weak(*operands) is None or result.kind not in "if":
        return None
    return float if result.kind == "f" else int


def _types(ufunc: np.ufunc, *operands: Any) -> list[np.dtype[Any]]:
    """Return the types that a ufunc takes of operands, then that of its result."""
    kinds = [kind_of(each) for each in operands]
    if all(weak_type(each) is not None for each in operands):
        kinds = [np.dtype(kind) for kind in kinds]
    try:
        found = ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout))
    except TypeError:
        shown = ", ".join(str(dtype_of(each)) for each in operands)
        raise TypeError(
            f"expected types that NumPy's function takes, got {shown}"
        ) from None
    return [np.dtype(each) for each in found]


def _is(tensor: Tensor, kinds: str) -> bool:
    return tensor.dtype.kind in kinds


def _by_kind(rule: ElementRule, **others: ElementRule) -> ElementRule:
    """Return a rule that applies `others` to the kinds of elements that they name."""

    def chosen(*tensors: Tensor) -> Tensor:
        kind = {"b": "bools", "i": "integers", "u": "unsigned"}.get(
            tensors[0].dtype.kind, ""
        )
        kind = "integers" if kind == "unsigned" and kind not in others else kind
        return others.get(kind, rule)(*tensors)

    return chosen


def _widened(rule: ElementRule) -> ElementRule:
    """Return a rule that takes bools as integers, which have an order."""

    def widened(*tensors: Tensor) -> Tensor:
        if not _is(tensors[0], "b"):
            return rule(*tensors)
        return rule(*(each.astype(np.uint8) for each in tensors))

    return widened


def _same(x: Tensor) -> Tensor:
    return x


def _never(x: Tensor) -> Tensor:
    return formulas.full_like(x, False)


def _always(x: Tensor) -> Tensor:
    return formulas.full_like(x, True)


def _scaled(factor: float) -> ElementRule:
    def scaled(x: Tensor) -> Tensor:
        return x * factor

    return scaled


def _log(base: float) -> ElementRule:
    def log(x: Tensor) -> Tensor:
        return ops.log(x) * (1 / math.log(base))

    return log


def _exp2(x: Tensor) -> Tensor:
    return ops.exp(x * math.log(2))


def _square(x: Tensor) -> Tensor:
    return x * x


def _wrapped(x: Tensor) -> Tensor:
    return 0 - x


def _reciprocal(x: Tensor) -> Tensor:
    return emit(binary.DivOp, 1, x)


def _emitted(op: Any, **parameters: Any) -> ElementRule:
    return lambda *tensors: emit(op, *tensors, **parameters)


def _sign_bit(x: Tensor) -> Tensor:
    if not _is(x, "fV"):
        return x < 0 if _is(x, "i") else _never(x)
    return formulas.sign_bit(x)


def _copysign(x: Tensor, y: Tensor) -> Tensor:
    size = abs(x)
    return ops.where(_sign_bit(y), -size, size)


def _power(x: Tensor, y: Tensor) -> Tensor:
    exponents = y.value.owner
    if _is(y, "i") and isinstance(exponents, LiteralOp):
        least = exponents.array.min(initial=0)
        if least < 0:
            raise ValueError(f"expected no negative powers of integers, got {least}")
    return ops.pow(x, y)


def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
    if _is(x, "fV"):
        quotient = ops.floor((x - x % y) / y + 0.5)
        return ops.where(ops.equal(y, 0), x / y, quotient)
    return emit(binary.DivOp, x - x % y, y)


def _remainder(x: Tensor, y: Tensor) -> Tensor:
    return emit(binary.ModOp, x, y) if _is(x, "iu") else x % y


def _shift(direction: str) -> ElementRule:
    return _emitted(logic.BitShiftOp, direction=direction)


def _logical(op: Any) -> ElementRule:
    def logical(*tensors: Tensor) -> Tensor:
        return emit(op, *(each.astype(bool) for each in tensors))

    return logical


_IN_INTEGERS = {"integers": _same, "bools": _same}

RULES: dict[str, ElementRule] = {
    "absolute": _by_kind(ops.abs, bools=_same, unsigned=_same),
    "add": _by_kind(ops.add, bools=ops.logical_or),
    "arccos": ops.acos,
    "arccosh": ops.acosh,
    "arcsin": ops.asin,
    "arcsinh": ops.asinh,
    "arctan": ops.atan,
    "arctan2": formulas.atan2,
    "arctanh": ops.atanh,
    "bitwise_and": _by_kind(ops.bitwise_and, bools=ops.logical_and),
    "bitwise_or": _by_kind(ops.bitwise_or, bools=ops.logical_or),
    "bitwise_xor": _by_kind(ops.bitwise_xor, bools=ops.logical_xor),
    "cbrt": formulas.cbrt,
    "ceil": _by_kind(ops.ceil, **_IN_INTEGERS),
    "conjugate": _same,
    "copysign": _copysign,
    "cos": ops.cos,
    "cosh": ops.cosh,
    "deg2rad": _scaled(math.pi / 180),
    "divide": _emitted(binary.DivOp),
    "equal": ops.equal,
    "exp": ops.exp,
    "exp2": _exp2,
    "expm1": formulas.expm1,
    "fabs": ops.abs,
    "float_power": ops.pow,
    "floor": _by_kind(ops.floor, **_IN_INTEGERS),
    "floor_divide": _floor_divide,
    "fmax": _by_kind(formulas.fmax, bools=ops.logical_or, integers=ops.maximum),
    "fmin": _by_kind(formulas.fmin, bools=ops.logical_and, integers=ops.minimum),
    "fmod": _emitted(binary.ModOp, fmod=True),
    "greater": _widened(ops.greater),
    "greater_equal": _widened(ops.greater_equal),
    "heaviside": formulas.heaviside,
    "hypot": formulas.hypot,
    "invert": _by_kind(ops.bitwise_invert, bools=ops.logical_not),
    "isfinite": _by_kind(
        formulas.isfinite,
        bools=_always,
        integers=_always,
    ),
    "isinf": _by_kind(ops.isinf, bools=_never, integers=_never),
    "isnan": _by_kind(ops.isnan, bools=_never, integers=_never),
    "left_shift": _shift("LEFT"),
    "less": _widened(ops.less),
    "less_equal": _widened(ops.less_equal),
    "log": ops.log,
    "log10": _log(10),
    "log1p": formulas.log1p,
    "log2": _log(2),
    "logaddexp": formulas.logaddexp,
    "logical_and": _logical(logic.AndOp),
    "logical_not": _logical(logic.NotOp),
    "logical_or": _logical(logic.OrOp),
    "logical_xor": _logical(logic.XorOp),
    "maximum": _by_kind(ops.maximum, bools=ops.logical_or),
    "minimum": _by_kind(ops.minimum, bools=ops.logical_and),
    "multiply": _by_kind(ops.multiply, bools=ops.logical_and),
    "negative": _by_kind(ops.negative, unsigned=_wrapped),
    "nextafter": formulas.nextafter,
    "not_equal": ops.not_equal,
    "positive": _same,
    "power": _power,
    "rad2deg": _scaled(180 / math.pi),
    "reciprocal": _by_kind(_emitted(unary.ReciprocalOp), integers=_reciprocal),
    "remainder": _remainder,
    "right_shift": _shift("RIGHT"),
    "rint": ops.round,
    "sign": ops.sign,
    "signbit": _sign_bit,
    "sin": ops.sin,
    "sinh": ops.sinh,
    "sqrt": ops.sqrt,
    "square": _square,
    "subtract": ops.subtract,
    "tan": ops.tan,
    "tanh": ops.tanh,
    "trunc": _by_kind(formulas.trunc, **_IN_INTEGERS),
}
"""The tensor function of each ufunc with one result, by its name in NumPy."""

_ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "degrees": "rad2deg",
    "mod": "remainder",
    "pow": "power",
    "radians": "deg2rad",
    "true_divide": "divide",
}


def _register(name: str, ufunc: np.ufunc, rule: ElementRule) -> None:
    def function(*operands: Any, dtype: Any = None, **ignored: Any) -> Any:
        if ignored:
            raise TypeError(f"expected no {', '.join(ignored)}")
        return apply_ufunc(ufunc, rule, *operands, dtype=dtype)

    function.__doc__ = f"As NumPy's `{name}`."
    FUNCTIONS[name] = blaming(name, function)


for _name, _rule in RULES.items():
    _register(_name, getattr(np, _name), _rule)
for _name, _of in _ALIASES.items():
    FUNCTIONS[_name] = FUNCTIONS[_of]
