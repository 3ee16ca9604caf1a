"""Operators of backward graphs: gradients of what this folder has already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from glow.formats.pytorch.indexing import index_put
from glow.formats.pytorch.products import convolution
from glow.formats.pytorch.registry import ATEN, aten
from glow.tracing import namespace as xp
from glow.tracing.gradients import Pullback


def _pulled(
    function: Callable[..., Any], gradient: Any, *arguments: Any
) -> tuple[Any, ...]:
    """Return the gradients of arguments of a function, from that of its result."""
    pullback = Pullback("backward", function, arguments, range(len(arguments)))
    return pullback(gradient)


@aten("convolution_backward")
def convolution_backward(
    gradient: Any,
    x: Any,
    filter: Any,
    bias_sizes: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    wanted: Sequence[bool],
) -> tuple[Any, Any, Any]:
    window = stride, padding, dilation, transposed, output_padding, groups
    found: list[Any] = [None, None, None]

    def of_input(x: Any) -> Any:
        return convolution(x, filter, None, *window)

    def of_filter(filter: Any) -> Any:
        return convolution(x, filter, None, *window)

    if wanted[0]:
        (found[0],) = _pulled(of_input, gradient, x)
    if wanted[1]:
        (found[1],) = _pulled(of_filter, gradient, filter)
    if wanted[2]:
        rank = filter.ndim - 2
        axes = {*range(gradient.ndim)} - {gradient.ndim - rank - 1}
        found[2] = xp.sum(gradient, axis=tuple(sorted(axes)))
    return found[0], found[1], found[2]


@aten("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward")
def max_pool_backward(gradient: Any, x: Any, kernel: Sequence[int], *pool: Any) -> Any:
    """Add each gradient to where the largest element was."""
    places = pool[-1]
    rank = len(kernel)
    planes = x.shape[:-rank]
    flat = xp.zeros((*planes, prod(x.shape[-rank:])), x.dtype)
    given = [xp.reshape(each, (*planes, -1)) for each in (places, gradient)]
    return xp.reshape(ATEN["scatter_add"](flat, -1, *given), x.shape)


def _pool_backward(name: str) -> Callable[..., Any]:
    def backward(gradient: Any, x: Any, *pool: Any) -> Any:
        def forward(x: Any) -> Any:
            return ATEN[name](x, *pool)

        return _pulled(forward, gradient, x)[0]

    return backward


for _rank in (2, 3):
    aten(f"avg_pool{_rank}d_backward")(_pool_backward(f"avg_pool{_rank}d"))


@aten("_adaptive_avg_pool2d_backward")
def adaptive_avg_pool_backward(gradient: Any, x: Any) -> Any:

    def forward(x: Any) -> Any:
        return ATEN["_adaptive_avg_pool2d"](x, gradient.shape[-2:])

    return _pulled(forward, gradient, x)[0]


def _resize_backward(name: str) -> Callable[..., Any]:
    def backward(
        gradient: Any, sizes: Sequence[int], shape: Sequence[int], *rest: Any
    ) -> Any:
        def resize(x: Any) -> Any:
            return ATEN[name](x, sizes, *rest)

        return _pulled(resize, gradient, xp.zeros(tuple(shape), gradient.dtype))[0]

    return backward


for _name in (
    "nearest1d",
    "nearest2d",
    "nearest3d",
    "linear1d",
    "bilinear2d",
    "trilinear3d",
    "bicubic2d",
):
    aten(f"upsample_{_name}_backward")(_resize_backward(f"upsample_{_name}"))


@aten("embedding_dense_backward")
def embedding_backward(
    gradient: Any, indices: Any, rows: int, padding_idx: int, by_frequency: bool
) -> Any:
    if by_frequency:
        counts = xp.zeros((rows,), gradient.dtype)
        one = xp.ones(indices.shape, gradient.dtype)
        counts = index_put(counts, [indices], one, accumulate=True)
        gradient = gradient / xp.expand_dims(xp.take(counts, indices, axis=0), axis=-1)
    if padding_idx >= 0:
        is_padding = xp.expand_dims(indices == padding_idx, axis=-1)
        gradient = xp.where(is_padding, 0, gradient)
    table = xp.zeros((rows, gradient.shape[-1]), gradient.dtype)
    return index_put(table, [indices], gradient, accumulate=True)
