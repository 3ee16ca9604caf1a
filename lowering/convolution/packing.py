"""How kernels want weights, and which algorithm a convolution gets: rules of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.lowering.convolution.winograd import Form, winograd_form
from glow.support.arrays import aligned
from glow.support.layout import Dim, Layout, permuted
from glow.support.targets import Target
from glow.support.types import dtype_of

Array = NDArray[Any]
Shape = Sequence[int]


class Algorithm(NamedTuple):
    """How a convolution is computed: direct, depthwise, winograd or generic."""

    name: str
    form: Form | None = None
    """Winograd's transforms, where they are used."""


GENERIC = Algorithm("generic")


def choose_conv_algorithm(
    target: Target,
    element: Attribute,
    input: Shape,
    filter: Shape,
    result: Shape,
    strides: Shape,
    dilations: Shape,
    group: int,
    *,
    exact: bool = False,
) -> Algorithm:
    """
    Return how to compute a convolution; shapes are logical.

    Winograd's algorithm rounds more than the others; `exact` forgoes it.
    """
    if element != f32 or 0 in filter:
        return GENERIC
    if group > 1 and group == input[1] == filter[0]:
        return Algorithm("depthwise")
    is_plain = all(n == 1 for n in (*strides, *dilations, group))
    form = winograd_form(filter, result) if is_plain and not exact else None
    return Algorithm("direct" if form is None else "winograd", form)


def panel_width(target: Target, columns: int) -> int:
    """
    Return how many columns (of one group) go into a panel.

    The last panel is computed in no more registers than it has columns for, so that
    a wide one costs nothing but some memory.
    """
    return target.panel_widths[0]


def unit_block(target: Target, element: Attribute, gates: int, units: int) -> int:
    """
    Return how many units of a recurrent cell are computed together: whole vectors.

    With one gate two of them, so that there is more to multiply per state loaded.
    """
    lanes = target.vector_bytes // dtype_of(element).itemsize
    return 2 * lanes if gates == 1 and units > lanes else lanes


@cache
def filter_panels(spatial: int, panel: int) -> Layout:
    """Return the layout [O/p, k..., I, p] of a filter over `spatial` axes."""
    outer, inner = Dim(0, None, panel), Dim(0, panel)
    return Layout([outer, *(Dim(2 + i) for i in range(spatial)), Dim(1), inner])


@cache
def filter_depthwise(spatial: int) -> Layout:
    """Return the layout [k..., 1, C] of a depthwise filter over `spatial` axes."""
    return permuted((*range(2, 2 + spatial), 1, 0))


Digits = tuple[Dim, ...]
"""The dims of one axis, from outer to inner."""
IN_ORDER: Digits = (Dim(0),)


@cache
def matrix_panels(
    rank: int, columns: int, width: int, order: Digits = IN_ORDER
) -> Layout:
    """
    Return [batch..., columns / width, rows, width] of a stack of matrices.

    `order` says how rows follow each other in a panel.
    """
    rows = 2 * rank - 3 - columns
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    lines = [replace(dim, axis=rows) for dim in order]
    return Layout([*(Dim(axis) for axis in range(rank - 2)), outer, *lines, inner])


def depth_order(layout: Layout, shape: tuple[int, ...], axis: int) -> Digits | None:
    """
    Return in which order a left factor holds what is summed, which runs along `axis`.

    None unless each row is dense, and other axes are whole.
    """
    count = len(layout.digits(axis))
    outer, order = layout.dims[:-count], layout.dims[-count:]
    is_plain = not layout.has_halo and not layout.is_aligned
    if not is_plain or any(dim.axis != axis for dim in order):
        return None
    if len({dim.axis for dim in outer}) != len(outer):
        return None
    top = max(order, key=lambda dim: dim.stride)
    return None if shape[axis] % top.stride else order


MOST_PLANES = 8
"""The groups whose channels a kernel interleaves."""


@cache
def grouped_channels(spatial: int, columns: int) -> Layout:
    """Return [N, ..., columns, groups]: channels last, those of groups taking turns."""
    turns = (Dim(1, columns), Dim(1, None, columns))
    return Layout([Dim(0), *(Dim(2 + i) for i in range(spatial)), *turns])


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


def pack_depthwise(array: Array) -> Array:
    """Return [C, 1, k...] as [k..., C]."""
    return aligned(np.moveaxis(array[:, 0], 0, -1))
