"""Filters as convolution kernels read them, as layouts and as packed arrays."""

from functools import cache

from glow.lowering.convolution.algorithm import Algorithm
from glow.lowering.convolution.winograd import winograd_filter
from glow.support.arrays import Array, Shape
from glow.support.layout import Dim, Layout, pack, permuted, unpack


@cache
def filter_panels(spatial: int, panel: int, in_pairs: bool = False) -> Layout:
    """
    Return the layout [O/p, k..., I, p] of a filter over `spatial` axes.

    In pairs of channels it is [O/p, k..., I/2, p, 2].
    """
    return Layout(_panels(0, spatial, panel, in_pairs))


@cache
def _panels_of_groups(spatial: int, panel: int, in_pairs: bool = False) -> Layout:
    """Return the layout [G, O/p, k..., I, p] of a filter [G, O, I, k...]."""
    return Layout([Dim(0), *_panels(1, spatial, panel, in_pairs)])


def _panels(axis: int, spatial: int, panel: int, in_pairs: bool) -> list[Dim]:
    """Return the panels of a filter whose outputs run along `axis`."""
    depth, inner = axis + 1, [Dim(axis + 1), Dim(axis, panel)]
    if in_pairs:
        inner = [Dim(depth, None, 2), Dim(axis, panel), Dim(depth, 2)]
    window = (Dim(depth + 1 + i) for i in range(spatial))
    return [Dim(axis, None, panel), *window, *inner]


@cache
def filter_depthwise(spatial: int) -> Layout:
    """Return the layout [k..., 1, C] of a depthwise filter over `spatial` axes."""
    return permuted((*range(2, 2 + spatial), 1, 0))


def filter_layout(algorithm: Algorithm, shape: Shape, group: int) -> Layout | None:
    """
    Return the layout of a filter of `shape` that `algorithm` reads; None for row-major.

    Depthwise filters have output channels innermost. A panel never spans two groups,
    so groups that panels do not divide stay row-major: no layout pads each group.
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
    kernel, wanted = shape[2:], filter_layout(algorithm, shape, group)
    packed = stored
    if wanted is None or layout != wanted:
        logical = stored if layout is None else unpack(layout, stored, tuple(shape))
        if algorithm.form is not None:
            return winograd_filter(logical, algorithm.panel, algorithm.form)
        if algorithm.name == "generic":
            return logical
        if wanted is not None:
            packed = pack(wanted, logical)
        else:
            apart = logical.reshape(group, shape[0] // group, *shape[1:])
            packed = pack(layout_by_groups(algorithm, len(kernel)), apart)
    return packed.reshape(packed_shape(algorithm, shape, group))


def packed_shape(algorithm: Algorithm, shape: Shape, group: int) -> tuple[int, ...]:
    """Return the shape of the result of `packed_filter`, except for Winograd."""
    outputs, depth, *kernel = shape
    panel = algorithm.panel
    if not panel:
        return (*kernel, outputs)
    panels = (depth // 2, panel, 2) if algorithm.name == "pairs" else (depth, panel)
    return (group, -(-outputs // group // panel), *kernel, *panels)


def layout_by_groups(algorithm: Algorithm, spatial: int) -> Layout:
    """Return the layout that `algorithm` reads, of a filter [G, O/G, I, k...]."""
    if not algorithm.panel:
        return permuted((*range(3, 3 + spatial), 2, 0, 1))
    return _panels_of_groups(spatial, algorithm.panel, algorithm.name == "pairs")
