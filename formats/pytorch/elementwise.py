"""Operators of each element: arithmetic, comparisons, activations, conversions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glow.dialects.graph.activation import ShrinkOp, ThresholdedReluOp
from glow.formats.pytorch.promotion import (
    as_floats,
    cast,
    promoted,
    result_type,
)
from glow.formats.pytorch.registry import ATEN, aten, emit
from glow.support.dtypes import is_floating
from glow.support.errors import UnsupportedModelError
from glow.tracing import namespace as xp
from glow.tracing import nn

_OF_FLOATS: dict[str, Callable[[Any], Any]] = {
    **{
        name: getattr(xp, name)
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh"),
            *("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "reciprocal"),
            *("sin", "sinh", "sqrt", "tan", "tanh"),
        )
    },
    "erf": nn.erf,
    "rsqrt": lambda x: 1 / xp.sqrt(x),
    "sigmoid": nn.sigmoid,
}
_OF_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "abs": xp.abs,
    "bitwise_not": xp.invert,
    "ceil": xp.ceil,
    "floor": xp.floor,
    "hardsigmoid": lambda x: nn.hard_sigmoid(x, alpha=1 / 6, beta=0.5),
    "hardswish": nn.hard_swish,
    "isinf": xp.isinf,
    "isnan": xp.isnan,
    "logical_not": xp.logical_not,
    "mish": nn.mish,
    "neg": xp.negative,
    "relu": nn.relu,
    "round": xp.rint,
    "sgn": xp.sign,
    "sign": xp.sign,
    "silu": nn.silu,
    "square": xp.square,
    "trunc": xp.trunc,
}
_OF_PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "bitwise_and": xp.bitwise_and,
    "bitwise_left_shift": xp.left_shift,
    "bitwise_or": xp.bitwise_or,
    "bitwise_right_shift": xp.right_shift,
    "bitwise_xor": xp.bitwise_xor,
    "eq": xp.equal,
    "floor_divide": xp.floor_divide,
    "fmod": xp.fmod,
    "ge": xp.greater_equal,
    "gt": xp.greater,
    "le": xp.less_equal,
    "logical_and": xp.logical_and,
    "logical_or": xp.logical_or,
    "logical_xor": xp.logical_xor,
    "lt": xp.less,
    "maximum": xp.maximum,
    "minimum": xp.minimum,
    "mul": xp.multiply,
    "ne": xp.not_equal,
    "remainder": xp.remainder,
}


def _of_floats(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(as_floats(x))


def _of_pairs(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(*promoted(x, y))


for _name, _function in _OF_FLOATS.items():
    ATEN[_name] = _of_floats(_function)
for _name, _function in _OF_NUMBERS.items():
    ATEN[_name] = _function
for _name, _function in _OF_PAIRS.items():
    for _overload in ("", ".Tensor", ".Scalar", ".Scalar_Tensor", ".Tensor_Scalar"):
        ATEN[_name + _overload] = _of_pairs(_function)


@aten("add.Tensor", "add.Scalar")
def add(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    x, y = promoted(x, y if alpha == 1 else ATEN["mul"](y, alpha))
    return x + y


@aten("sub.Tensor", "sub.Scalar")
def sub(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    x, y = promoted(x, y if alpha == 1 else ATEN["mul"](y, alpha))
    return x - y


@aten("rsub.Tensor", "rsub.Scalar")
def rsub(x: Any, y: Any, *, alpha: Any = 1) -> Any:
    return sub(y, x, alpha=alpha)


@aten("div.Tensor", "div.Scalar")
def div(x: Any, y: Any) -> Any:
    x, y = promoted(x, y, floats=True)
    return x / y


@aten("div.Tensor_mode", "div.Scalar_mode")
def div_rounded(x: Any, y: Any, *, rounding_mode: str | None = None) -> Any:
    if rounding_mode is None:
        return div(x, y)
    x, y = promoted(x, y)
    if rounding_mode == "floor":
        return xp.floor_divide(x, y)
    if is_floating(x.dtype):
        return xp.trunc(x / y)
    rest = xp.fmod(x, y)
    return xp.floor_divide(x - rest, y)


@aten("atan2")
def atan2(y: Any, x: Any) -> Any:
    return xp.arctan2(*promoted(y, x, floats=True))


@aten("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(x: Any, y: Any) -> Any:
    if isinstance(y, int | float):
        dtype = result_type(x, y)
        x = cast(x, dtype)
        if y in (1, 2, 3):
            return x if y == 1 else x * x if y == 2 else x * x * x
        if y == 0.5:
            return xp.sqrt(x)
        if y in (-0.5, -1):
            return 1 / (xp.sqrt(x) if y == -0.5 else x)
    return xp.power(*promoted(x, y))


@aten("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(condition: Any, x: Any, y: Any) -> Any:
    return xp.where(cast(condition, bool), *promoted(x, y))


@aten("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return xp.where(mask, cast(value, x.dtype), x)


@aten("clamp", "clamp.Tensor")
def clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    dtype = result_type(*(each for each in (x, low, high) if each is not None))
    result = cast(x, dtype)
    result = result if low is None else xp.maximum(result, cast(low, dtype))
    return result if high is None else xp.minimum(result, cast(high, dtype))


@aten("clamp_min", "clamp_min.Tensor")
def clamp_min(x: Any, low: Any) -> Any:
    return clamp(x, low)


@aten("clamp_max", "clamp_max.Tensor")
def clamp_max(x: Any, high: Any) -> Any:
    return clamp(x, None, high)


@aten("hardtanh")
def hardtanh(x: Any, low: float = -1, high: float = 1) -> Any:
    return clamp(x, low, high)


@aten("relu6")
def relu6(x: Any) -> Any:
    return clamp(x, 0, 6)


@aten("gelu")
def gelu(x: Any, *, approximate: str = "none") -> Any:
    return nn.gelu(x, approximate=approximate == "tanh")


@aten("leaky_relu")
def leaky_relu(x: Any, slope: float = 0.01) -> Any:
    return nn.leaky_relu(x, alpha=float(slope))


@aten("elu")
def elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    if (alpha, scale, input_scale) == (1.6732632423543772, 1.0507009873554805, 1):
        return nn.selu(x)
    if input_scale == 1:
        return nn.elu(x, alpha=float(alpha)) * scale
    negative = alpha * xp.expm1(xp.minimum(x, 0) * input_scale)
    return (xp.maximum(x, 0) + negative) * scale


@aten("softplus")
def softplus(x: Any, beta: float = 1, threshold: float = 20) -> Any:
    return nn.softplus(x) if beta == 1 else nn.softplus(x * beta) / beta


@aten("threshold")
def threshold(x: Any, bound: float, value: float) -> Any:
    if value == 0 and bound >= 0:
        return emit(ThresholdedReluOp, x, alpha=float(bound))
    return xp.where(x > bound, x, value)


@aten("hardshrink")
def hardshrink(x: Any, bound: float = 0.5) -> Any:
    return emit(ShrinkOp, x, lambd=float(bound), bias=0.0)


@aten("softshrink")
def softshrink(x: Any, bound: float = 0.5) -> Any:
    return emit(ShrinkOp, x, lambd=float(bound), bias=float(bound))


@aten("nan_to_num")
def nan_to_num(x: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    return xp.nan_to_num(x, nan=nan or 0.0, posinf=posinf, neginf=neginf)


@aten("_to_copy")
def to_copy(x: Any, *, dtype: Any = None, **placement: Any) -> Any:
    check_device(placement.get("device"))
    return x if dtype is None else cast(x, dtype)


@aten("prims.convert_element_type")
def convert(x: Any, dtype: Any) -> Any:
    return cast(x, dtype)


def check_device(device: object) -> None:
    """Raise UnsupportedModelError for a device that is not a processor."""
    if device is not None and not str(device).startswith("cpu"):
        raise UnsupportedModelError(f"expected tensors on the CPU, got {device}")


@aten("clone", "contiguous", "alias", "detach", "lift_fresh_copy", "lift_fresh")
def same(x: Any, **memory: Any) -> Any:
    return x


@aten("copy")
def copy(x: Any, source: Any, non_blocking: bool = False) -> Any:
    return xp.broadcast_to(cast(source, x.dtype), x.shape)


@aten("_assert_tensor_metadata", "_assert_scalar", "sym_constrain_range_for_size")
def no_check(*arguments: Any, **named: Any) -> None:
    """Nothing: what torch checks before a run holds for the graph it made."""
