"""Pools, and images of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

import numpy as np

from glow.dialects.graph.pooling import AvgPoolOp, MaxPoolOp
from glow.dialects.graph.resize import ResizeOp
from glow.formats.pytorch.registry import aten, emit, emit_all
from glow.support.errors import UnsupportedModelError
from glow.tracing import namespace as xp


def _pooled(x: Any, rank: int, pool: Callable[[Any], Any]) -> Any:
    """Apply a pool to images, or to one image without an axis of batches."""
    if x.ndim == rank + 2:
        return pool(x)
    made = pool(xp.expand_dims(x, axis=0))
    if isinstance(made, tuple):
        parts = cast(tuple[Any, ...], made)
        return tuple(xp.squeeze(each, axis=0) for each in parts)
    return xp.squeeze(made, axis=0)


def _window(
    rank: int,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: int | Sequence[int],
    ceil_mode: bool,
) -> dict[str, Any]:
    def each(sizes: Any) -> tuple[int, ...]:
        return tuple(np.broadcast_to(sizes, rank).tolist())

    return {
        "kernel_shape": each(kernel),
        "strides": each(stride or kernel),
        "pads": each(padding) * 2,
        "ceil_mode": ceil_mode,
    }


def _max_pool(rank: int) -> Callable[..., Any]:
    def max_pool(
        x: Any,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        ceil_mode: bool = False,
    ) -> tuple[Any, Any]:
        window = _window(rank, kernel, stride, padding, ceil_mode)
        window["dilations"] = tuple(np.broadcast_to(dilation, rank).tolist())

        def pool(x: Any) -> tuple[Any, Any]:
            largest = emit(MaxPoolOp, x, **window)
            places = emit_all(MaxPoolOp, x, **window, with_indices=True)[1]
            return largest, xp.remainder(places, prod(x.shape[2:]))

        return _pooled(x, rank, pool)

    return max_pool


def _avg_pool(rank: int) -> Callable[..., Any]:
    def avg_pool(
        x: Any,
        kernel: Sequence[int],
        stride: Sequence[int] = (),
        padding: int | Sequence[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        window = _window(rank, kernel, stride, padding, ceil_mode)
        window["count_include_pad"] = count_include_pad
        factor = 1.0
        if divisor_override is not None:
            factor = prod(window["kernel_shape"]) / divisor_override
            if ceil_mode or (not count_include_pad and any(window["pads"])):
                raise UnsupportedModelError(
                    "a pool with a divisor, whose windows are not all of one size"
                )
        made = _pooled(x, rank, lambda x: emit(AvgPoolOp, x, **window))
        return made if factor == 1 else made * factor

    return avg_pool


def _adaptive_avg_pool(rank: int) -> Callable[..., Any]:
    def adaptive_avg_pool(x: Any, sizes: Sequence[int]) -> Any:
        """Return the means of `sizes` parts along each axis, which may overlap."""
        extents = x.shape[-rank:]
        if tuple(sizes) == (1,) * rank:
            return xp.mean(x, axis=tuple(range(-rank, 0)), keepdims=True)
        if all(extent % size == 0 for extent, size in zip(extents, sizes, strict=True)):
            kernel = [e // s for e, s in zip(extents, sizes, strict=True)]
            return _avg_pool(rank)(x, kernel)
        for axis, size in zip(range(-rank, 0), sizes, strict=True):
            extent = x.shape[axis]
            starts = [place * extent // size for place in range(size)]
            ends = [-(-(place + 1) * extent // size) for place in range(size)]
            share = np.zeros((size, extent), x.dtype)
            for row, start, end in zip(share, starts, ends, strict=True):
                row[start:end] = 1 / (end - start)
            moved = xp.matmul(xp.moveaxis(x, axis, -1), xp.asarray(share.T.copy()))
            x = xp.moveaxis(moved, -1, axis)
        return x

    return adaptive_avg_pool


for _rank in (1, 2, 3):
    aten(f"max_pool{_rank}d_with_indices")(_max_pool(_rank))
    aten(f"avg_pool{_rank}d")(_avg_pool(_rank))
    aten(f"_adaptive_avg_pool{_rank}d", f"adaptive_avg_pool{_rank}d")(
        _adaptive_avg_pool(_rank)
    )

_RESIZES = {
    "upsample_nearest1d": "nearest",
    "upsample_nearest2d": "nearest",
    "upsample_nearest3d": "nearest",
    "upsample_linear1d": "linear",
    "upsample_bilinear2d": "linear",
    "upsample_trilinear3d": "linear",
    "upsample_bicubic2d": "cubic",
}
"""How operators find elements between those that are there."""


def _resized(
    x: Any, mode: str, sizes: Sequence[int], corners: bool, scales: Sequence[Any]
) -> Any:
    """Return images of these sizes; given scales say where elements are taken."""
    rank = len(sizes)
    extents = x.shape[-rank:]
    given: dict[str, Any] = {"sizes": tuple(sizes)}
    if not corners and all(scale is not None for scale in scales) and scales:
        reached = [int(e * s) for e, s in zip(extents, scales, strict=True)]
        if reached == list(sizes):
            given = {"scales": tuple(map(float, scales))}
    where = "align_corners" if corners else "half_pixel"
    if mode == "nearest":
        where = "asymmetric"
    return emit(
        ResizeOp,
        x,
        **given,
        axes=tuple(range(x.ndim - rank, x.ndim)),
        mode=mode,
        coordinate_transformation_mode=where,
        nearest_mode="floor",
        cubic_coeff_a=-0.75,
    )


def _sizes(x: Any, rank: int, sizes: Any, scales: Any) -> tuple[int, ...]:
    if sizes is not None:
        return tuple(sizes)
    extents = x.shape[-rank:]
    return tuple(int(e * s) for e, s in zip(extents, scales, strict=True))


def _resize(mode: str) -> Callable[..., Any]:
    def resize(x: Any, sizes: Sequence[int], *rest: Any) -> Any:
        corners = mode != "nearest" and bool(rest and rest[0])
        scales = rest if mode == "nearest" else rest[1:]
        return _resized(x, mode, sizes, corners, scales)

    return resize


def _resize_by(rank: int, mode: str) -> Callable[..., Any]:
    def resize(x: Any, sizes: Any, *rest: Any) -> Any:
        corners = mode != "nearest" and bool(rest[0])
        scales = rest[-1] or ()
        return _resized(x, mode, _sizes(x, rank, sizes, scales), corners, scales)

    return resize


for _name, _mode in _RESIZES.items():
    aten(_name)(_resize(_mode))
    aten(f"{_name}.vec")(_resize_by(int(_name[-2]), _mode))
