"""How kernels want weights, and which algorithm a convolution gets: rules of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.support.layout import Dim, Layout, permuted
from glow.support.targets import Target

Array = NDArray[Any]
Shape = Sequence[int]


def choose_conv_algorithm(
    target: Target,
    element: Attribute,
    input: Shape,
    filter: Shape,
    result: Shape,
    strides: Shape,
    dilations: Shape,
    group: int,
) -> str:
    """Return direct, depthwise, winograd or generic; shapes are logical."""
    if element != f32:
        return "generic"
    if group > 1 and group == input[1] == filter[0]:
        return "depthwise"
    return "direct"


def panel_width(target: Target, columns: int) -> int:
    """
    Return how many columns (of one group) go into a panel.

    The last panel is computed in no more registers than it has columns for, so that
    a wide one costs nothing but some memory.
    """
    return target.panel_widths[0]


@cache
def filter_panels(spatial: int, panel: int) -> Layout:
    """Return the layout [O/p, k..., I, p] of a filter over `spatial` axes."""
    outer, inner = Dim(0, None, panel), Dim(0, panel)
    return Layout([outer, *(Dim(2 + i) for i in range(spatial)), Dim(1), inner])


@cache
def filter_depthwise(spatial: int) -> Layout:
    """Return the layout [k..., 1, C] of a depthwise filter over `spatial` axes."""
    return permuted((*range(2, 2 + spatial), 1, 0))


@cache
def matrix_panels(rank: int, columns: int, width: int) -> Layout:
    """Return [batch..., columns / width, rows, width] of a stack of matrices."""
    rows = 2 * rank - 3 - columns
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    return Layout([*(Dim(axis) for axis in range(rank - 2)), outer, Dim(rows), inner])


def pack_filter(array: Array, group: int, panel: int) -> Array:
    """Return [O, I/g, k...] as [g, ceil(O/g/p), k..., I/g, p], padded with zeros."""
    outputs, depth, *kernel = array.shape
    columns = outputs // group
    panels = -(-columns // panel)
    padded = np.zeros((group, panels * panel, depth, *kernel), array.dtype)
    padded[:, :columns] = array.reshape(group, columns, depth, *kernel)
    split = padded.reshape(group, panels, panel, depth, *kernel)
    spatial = range(4, 4 + len(kernel))
    return np.ascontiguousarray(split.transpose(0, 1, *spatial, 3, 2))


def pack_depthwise(array: Array) -> Array:
    """Return [C, 1, k...] as [k..., C]."""
    return np.ascontiguousarray(np.moveaxis(array[:, 0], 0, -1))


def winograd_filter(array: Array, target: Target) -> Array:
    """Return the transform of [O, I, 3, 3] for F(4x4, 3x3), in panels."""
    raise AssertionError("choose_conv_algorithm never answers winograd")


def winograd_scratch_elements(target: Target, input: Shape, result: Shape) -> int:
    """Return the elements of scratch that the Winograd kernel needs."""
    raise AssertionError("choose_conv_algorithm never answers winograd")
