"""Filters as convolution kernels read them, as layouts and as packed arrays."""

from functools import cache

import numpy as np

from glow.lowering.convolution.algorithm import Algorithm
from glow.lowering.convolution.winograd import winograd_filter
from glow.support.arrays import Array, Shape, aligned
from glow.support.layout import Dim, Layout, pack, permuted, unpack


@cache
def filter_panels(spatial: int, panel: int, in_pairs: bool = False) -> Layout:
    """
    Return the layout [O/p, k..., I, p] of a filter over `spatial` axes.

    In pairs of channels it is [O/p, k..., I/2, p, 2].
    """
    outer, inner = Dim(0, None, panel), [Dim(1), Dim(0, panel)]
    if in_pairs:
        inner = [Dim(1, None, 2), Dim(0, panel), Dim(1, 2)]
    return Layout([outer, *(Dim(2 + i) for i in range(spatial)), *inner])


@cache
def filter_depthwise(spatial: int) -> Layout:
    """Return the layout [k..., 1, C] of a depthwise filter over `spatial` axes."""
    return permuted((*range(2, 2 + spatial), 1, 0))


def filter_layout(algorithm: Algorithm, shape: Shape, group: int) -> Layout | None:
    """
    Return the layout of a filter of `shape` that `algorithm` reads; None for row-major.

    Depthwise filters have output channels innermost. A panel never spans two groups,
    so groups that no panel divides stay row-major: their padding is no layout.
    """
    outputs, _, *kernel = shape
    match algorithm:
        case Algorithm("depthwise"):
            return filter_depthwise(len(kernel))
        case Algorithm("direct" | "pairs" as name, panel) if (
            group == 1 or not outputs // group % panel
        ):
            return filter_panels(len(kernel), panel, name == "pairs")
        case _:
            return None


def packed_filter(
    algorithm: Algorithm, stored: Array, layout: Layout | None, shape: Shape, group: int
) -> Array:
    """
    Return a filter of logical `shape`, stored in `layout`, as `algorithm` reads it.

    Bytes that layout assignment has put in that order already are not copied.
    """
    outputs, depth, *kernel = shape
    panel, wanted = algorithm.panel, filter_layout(algorithm, shape, group)
    packed = stored
    if wanted is None or layout != wanted:
        logical = stored if layout is None else unpack(layout, stored, tuple(shape))
        if algorithm.form is not None:
            return winograd_filter(logical, panel, algorithm.form)
        if algorithm.name == "generic":
            return logical
        packed = _packed(algorithm, wanted, logical, group)
    panels = (depth // 2, panel, 2) if algorithm.name == "pairs" else (depth, panel)
    return packed.reshape(
        (group, -1, *kernel, *panels) if panel else (*kernel, outputs)
    )


def _packed(
    algorithm: Algorithm, layout: Layout | None, array: Array, group: int
) -> Array:
    """Return `array` in `layout`, or in panels of which none spans two groups."""
    if layout is not None:
        return pack(layout, array)
    in_pairs = algorithm.name == "pairs"
    panels = filter_panels(array.ndim - 2, algorithm.panel, in_pairs)
    return aligned(np.stack([pack(panels, part) for part in np.split(array, group)]))
