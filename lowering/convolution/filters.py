"""Filters as convolution kernels read them, as layouts and as packed arrays."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.lowering.convolution.algorithm import Algorithm
from glow.lowering.convolution.winograd import winograd_filter
from glow.support.arrays import aligned
from glow.support.layout import Dim, Layout, permuted, unpack

Array = NDArray[Any]
Shape = Sequence[int]


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
    logical, panel = stored, algorithm.panel
    if layout is not None:
        if layout == filter_layout(algorithm, shape, group):
            panels = (group, -1, *kernel, depth, panel)
            if algorithm.name == "pairs":
                panels = (group, -1, *kernel, depth // 2, panel, 2)
            return stored.reshape(panels if panel else (*kernel, outputs))
        logical = unpack(layout, stored, tuple(shape))
    match algorithm:
        case Algorithm("direct"):
            return pack_filter(logical, group, panel)
        case Algorithm("pairs"):
            return _in_pairs(pack_filter(logical, group, panel))
        case Algorithm("depthwise"):
            return pack_depthwise(logical)
        case Algorithm("winograd", form=form) if form is not None:
            return winograd_filter(logical, panel, form)
        case _:
            return logical


def pack_filter(array: Array, group: int, panel: int) -> Array:
    """Return [O, I/g, k...] as [g, ceil(O/g/p), k..., I/g, p], padded with zeros."""
    outputs, depth, *kernel = array.shape
    columns = outputs // group
    panels = -(-columns // panel)
    split = array.reshape(group, columns, depth, *kernel)
    if columns % panel:
        rest = panels * panel - columns
        split = np.pad(split, [(0, 0), (0, rest), *[(0, 0)] * (1 + len(kernel))])
    split = split.reshape(group, panels, panel, depth, *kernel)
    spatial = range(4, 4 + len(kernel))
    return aligned(split.transpose(0, 1, *spatial, 3, 2))


def _in_pairs(packed: Array) -> Array:
    """Return [..., I, p] as [..., I / 2, p, 2]."""
    *outer, depth, panel = packed.shape
    return aligned(packed.reshape(*outer, depth // 2, 2, panel).swapaxes(-1, -2))


def pack_depthwise(array: Array) -> Array:
    """Return [C, 1, k...] as [k..., C]."""
    return aligned(np.moveaxis(array[:, 0], 0, -1))
