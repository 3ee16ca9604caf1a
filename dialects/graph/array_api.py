"""
Functions of tensors, under the names of the Python array API standard.

Each appends ops where the first of its tensors was written. Where that standard
differs from NumPy, the standard is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from glow.dialects.graph import binary, indexing, logic, reduction, unary
from glow.dialects.graph.along_axis import CumsumOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, TileOp
from glow.dialects.graph.scattering import ScatterElementsOp, ScatterNdOp
from glow.dialects.graph.select import ClipOp, WhereOp
from glow.dialects.graph.tensors import Tensor, TensorLike, emit, writer_of
from glow.support.types import normalize_axes, normalize_axis

AxisLike = int | Sequence[int] | None


def _unary(op: type[GraphOp]) -> Callable[[Tensor], Tensor]:
    return lambda x: emit(op, x)


def _binary(op: type[GraphOp]) -> Callable[[TensorLike, TensorLike], Tensor]:
    return lambda x1, x2: emit(op, x1, x2)


def _reduction(op: type[GraphOp]) -> Callable[..., Tensor]:
    def reduced(x: Tensor, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
        return emit(op, x, axes=_axes(x, axis), keepdims=keepdims)

    return reduced


abs = _unary(unary.AbsOp)
acos = _unary(unary.AcosOp)
acosh = _unary(unary.AcoshOp)
asin = _unary(unary.AsinOp)
asinh = _unary(unary.AsinhOp)
atan = _unary(unary.AtanOp)
atanh = _unary(unary.AtanhOp)
bitwise_invert = _unary(logic.BitwiseNotOp)
ceil = _unary(unary.CeilOp)
cos = _unary(unary.CosOp)
cosh = _unary(unary.CoshOp)
exp = _unary(unary.ExpOp)
floor = _unary(unary.FloorOp)
isinf = _unary(unary.IsInfOp)
isnan = _unary(unary.IsNanOp)
log = _unary(unary.LogOp)
logical_not = _unary(logic.NotOp)
negative = _unary(unary.NegOp)
reciprocal = _unary(unary.ReciprocalOp)
round = _unary(unary.RoundOp)
sign = _unary(unary.SignOp)
sin = _unary(unary.SinOp)
sinh = _unary(unary.SinhOp)
sqrt = _unary(unary.SqrtOp)
tan = _unary(unary.TanOp)
tanh = _unary(unary.TanhOp)

add = _binary(binary.AddOp)
bitwise_and = _binary(logic.BitwiseAndOp)
bitwise_or = _binary(logic.BitwiseOrOp)
bitwise_xor = _binary(logic.BitwiseXorOp)
equal = _binary(logic.EqualOp)
greater = _binary(logic.GreaterOp)
greater_equal = _binary(logic.GreaterOrEqualOp)
less = _binary(logic.LessOp)
less_equal = _binary(logic.LessOrEqualOp)
logical_and = _binary(logic.AndOp)
logical_or = _binary(logic.OrOp)
logical_xor = _binary(logic.XorOp)
matmul = _binary(MatMulOp)
maximum = _binary(binary.MaxOp)
minimum = _binary(binary.MinOp)
multiply = _binary(binary.MulOp)
pow = _binary(binary.PowOp)
subtract = _binary(binary.SubOp)


def divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Return the quotient of floats."""
    return tensor(x1, x2) / x2


def remainder(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Return the remainder, with the sign of the divisor."""
    return tensor(x1, x2) % x2


def not_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    return logical_not(equal(x1, x2))


def tensor(operand: TensorLike, *others: TensorLike) -> Tensor:
    """Return an operand as a tensor; numbers get the type of the first of `others`."""
    if isinstance(operand, Tensor):
        return operand
    writer = writer_of(*others)
    like = next(other.type for other in others if isinstance(other, Tensor))
    return writer.tensor(writer.value(operand, like))


def where(condition: Tensor, x1: TensorLike, x2: TensorLike) -> Tensor:
    """Return x1 where the condition is true, else x2; one or both are arrays."""
    one, other = tensor(x1, x2, condition), tensor(x2, x1, condition)
    return condition.writer.emit(WhereOp, condition, one, other)


def clip(
    x: Tensor, min: TensorLike | None = None, max: TensorLike | None = None
) -> Tensor:
    return emit(ClipOp, x, min, max)


def astype(x: Tensor, dtype: Any) -> Tensor:
    return x.astype(dtype)


def reshape(x: Tensor, shape: Sequence[int]) -> Tensor:
    return x.reshape(*shape)


def permute_dims(x: Tensor, axes: Sequence[int]) -> Tensor:
    return x.transpose(*axes)


def matrix_transpose(x: Tensor) -> Tensor:
    """Return `x` with its last two axes swapped."""
    rank = x.ndim
    return x.transpose(*range(rank - 2), rank - 1, rank - 2)


def broadcast_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    return x if x.shape == tuple(shape) else emit(ExpandOp, x, shape=tuple(shape))


def expand_dims(x: Tensor, axis: int = 0) -> Tensor:
    """Return `x` with a new axis of extent 1 at `axis`."""
    at = normalize_axis(axis, x.ndim + 1)
    return x.reshape(*x.shape[:at], 1, *x.shape[at:])


def squeeze(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """Return `x` without the given axes, which have extent 1."""
    axes = _axes(x, axis)
    return x.reshape(*(n for i, n in enumerate(x.shape) if i not in axes))


def concat(arrays: Sequence[Tensor], axis: int = 0) -> Tensor:
    return arrays[0] if len(arrays) == 1 else emit(ConcatOp, arrays, axis=axis)


def stack(arrays: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Return tensors of one shape along a new axis."""
    at = normalize_axis(axis, arrays[0].ndim + 1)
    return emit(ConcatOp, [expand_dims(each, at) for each in arrays], axis=at)


def tile(x: Tensor, repetitions: Sequence[int]) -> Tensor:
    return emit(TileOp, x, repeats=tuple(repetitions))


def take(x: Tensor, indices: TensorLike, axis: int = 0) -> Tensor:
    """Return the parts of `x` along an axis that `indices` name."""
    return emit(indexing.GatherOp, x, indices, axis=axis)


def take_along_axis(x: Tensor, indices: TensorLike, axis: int = -1) -> Tensor:
    """Return for each index the element of `x` there along an axis."""
    return emit(indexing.GatherElementsOp, x, indices, axis=axis)


def scatter_add(x: Tensor, indices: TensorLike, updates: Tensor, axis: int) -> Tensor:
    """Return `x` plus updates where `take_along_axis` would read; as in PyTorch."""
    slots = (x, indices, updates)
    return emit(ScatterElementsOp, *slots, axis=axis, reduction="add")


def index_add(x: Tensor, indices: TensorLike, updates: Tensor, axis: int) -> Tensor:
    """Return `x` plus updates where `take` would read; as in PyTorch."""
    at, places = normalize_axis(axis, x.ndim), tensor(indices, x)
    named = tuple(range(at, at + places.ndim))
    rest = [i for i in range(updates.ndim) if i not in named]
    others = [i for i in range(x.ndim) if i != at]
    slots = (
        x.transpose(at, *others),
        places.reshape(*places.shape, 1),
        updates.transpose(*named, *rest),
    )
    return add_at(*slots).transpose(*range(1, at + 1), 0, *range(at + 1, x.ndim))


def add_at(x: Tensor, tuples: TensorLike, updates: Tensor) -> Tensor:
    """Return `x` plus updates at the slices that tuples of indices name."""
    return emit(ScatterNdOp, x, tuples, updates, reduction="add")


def cumulative_sum(x: Tensor, axis: int = -1) -> Tensor:
    return emit(CumsumOp, x, axis=axis)


sum = _reduction(reduction.ReduceSumOp)
prod = _reduction(reduction.ReduceProdOp)
mean = _reduction(reduction.ReduceMeanOp)
max = _reduction(reduction.ReduceMaxOp)
min = _reduction(reduction.ReduceMinOp)


def argmax(x: Tensor, axis: int, keepdims: bool = False) -> Tensor:
    return emit(reduction.ArgMaxOp, x, axis=axis, keepdims=keepdims)


def argmin(x: Tensor, axis: int, keepdims: bool = False) -> Tensor:
    return emit(reduction.ArgMinOp, x, axis=axis, keepdims=keepdims)


def _axes(x: Tensor, axis: AxisLike) -> tuple[int, ...]:
    """Return the axes that a function goes along, counted from the front."""
    if axis is None:
        return tuple(range(x.ndim))
    return normalize_axes([axis] if isinstance(axis, int) else axis, x.ndim)
