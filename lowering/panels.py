"""Panels: matrices stored by blocks of columns, as register tiles read them."""

from dataclasses import replace
from functools import cache

from xdsl.dialects.builtin import bf16
from xdsl.ir import Attribute

from glow.support.layout import Dim, Layout
from glow.support.targets import Target
from glow.support.types import dtype_of

Digits = tuple[Dim, ...]
"""The dims of one axis, from outer to inner."""
IN_ORDER: Digits = (Dim(0),)
IN_PAIRS: Digits = (Dim(0, None, 2), Dim(0, 2))


@cache
def matrix_panels(
    rank: int, columns: int, width: int, order: Digits = IN_ORDER
) -> Layout:
    """
    Return [batch..., columns / width, rows, width] of a stack of matrices.

    `order` says how rows follow each other in a panel; `IN_PAIRS` is two at a time,
    [batch..., columns / width, rows / 2, width, 2].
    """
    rows = 2 * rank - 3 - columns
    outer, inner = Dim(columns, None, width), Dim(columns, width)
    lines, pair = [replace(dim, axis=rows) for dim in order], []
    if order == IN_PAIRS:
        lines, pair = lines[:1], lines[1:]
    batch = (Dim(axis) for axis in range(rank - 2))
    return Layout([*batch, outer, *lines, inner, *pair])


def has_pairs(layout: Layout | None) -> bool:
    """Return whether `layout` is one of panels with two rows at a time."""
    if layout is None or len(layout.dims) < 4:
        return False
    row, inner, pair = layout.dims[-3:]
    return row.axis == pair.axis != inner.axis and row.stride == pair.extent == 2


def multiplies_pairs(target: Target, element: Attribute, depth: int) -> bool:
    """Return whether `target` sums `depth` products of `element` in pairs."""
    return target.multiplies_bf16 and element == bf16 and depth > 0 and depth % 2 == 0


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


def unit_block(target: Target, element: Attribute, gates: int, units: int) -> int:
    """
    Return how many units of a recurrent cell are computed together: whole vectors.

    With one gate two of them, so that there is more to multiply per state loaded.
    """
    lanes = target.vector_bytes // dtype_of(element).itemsize
    return 2 * lanes if gates == 1 and units > lanes else lanes
