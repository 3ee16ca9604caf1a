"""GridSample and DeformConv: samples of images at given positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.binary import ModOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.dialects.graph.window import Window
from glow.formats.onnx.node import Node
from glow.formats.onnx.products import kernel_of
from glow.formats.onnx.registry import onnx_op

MODES = {"bilinear": "linear", "bicubic": "cubic"}
CUBIC = -0.75


@dataclass(frozen=True)
class _AxisSample:
    """A place along one axis, its weight, and whether it lies in the image."""

    place: Tensor
    weight: Tensor | None
    inside: Tensor | None


@onnx_op("GridSample")
def grid_sample(node: Node) -> Tensor:
    """The sum, over the places around each position, of weight times element."""
    image, grid = node.input(0), node.input(1)
    batch, channels, *extents = image.shape
    if len(grid.shape) != len(image.shape) or not extents:
        node.invalid(f"expected input and grid of one rank, got {list(grid.shape)}")
    if (grid.shape[0], grid.shape[-1]) != (batch, len(extents)):
        node.invalid(
            f"expected a grid of [{batch}, ..., {len(extents)}], got {list(grid.shape)}"
        )
    count = prod(grid.shape[1:-1])
    points = grid.reshape(batch, count, len(extents))
    taps = [
        _taps(node, points[:, None, :, -1 - axis], extent, image.dtype)
        for axis, extent in enumerate(extents)
    ]
    flat = image.reshape(batch, channels, prod(extents))
    terms = [_term(flat, extents, each) for each in product(*taps)]
    total = reduce(xp.add, terms)
    return total.reshape(batch, channels, *grid.shape[1:-1])


def _taps(
    node: Node, where: Tensor, extent: int, dtype: np.dtype[np.generic]
) -> list[_AxisSample]:
    """Return the places around `where`, which counts from -1 to 1 along an axis."""
    mode = node.string("mode")
    mode = MODES.get(mode, mode)
    padding = node.choice("padding_mode", "zeros", "border", "reflection")
    align = node.flag("align_corners")
    at = (where + 1) / 2 * (extent - 1) if align else ((where + 1) * extent - 1) / 2
    if mode == "nearest":
        at = xp.round(at)
    low, high = (0.0, extent - 1.0) if align else (-0.5, extent - 0.5)
    if padding == "border" and mode != "cubic":
        outside = (at < low) | (at > high)
        at = xp.where(outside, _bounded(at, 0, extent - 1), at)
    elif padding == "reflection":
        at = _reflected(at, low, high)
    if mode == "nearest":
        return [_tap(at, None, extent, padding, low, high)]
    first = xp.floor(at)
    part = at - first
    if mode == "linear":
        weights = {0: 1 - part, 1: part}
    elif mode == "cubic":
        weights = {-1: _far(part + 1), 0: _near(part)}
        weights |= {1: _near(1 - part), 2: _far(2 - part)}
    else:
        node.refuse(f"mode={mode!r}")
    return [
        _tap(first + step, weight.astype(dtype), extent, padding, low, high)
        for step, weight in weights.items()
    ]


def _tap(
    place: Tensor,
    weight: Tensor | None,
    extent: int,
    padding: str,
    *ends: float,
) -> _AxisSample:
    inside = None
    if padding == "zeros":
        inside = (place >= 0) & (place <= extent - 1)
    elif padding == "reflection":
        place = _reflected(place, *ends)
    index = _bounded(place.astype(np.int64), 0, extent - 1)
    return _AxisSample(index, weight, inside)


def _bounded(at: Tensor, low: float, high: float) -> Tensor:
    return xp.minimum(xp.maximum(at, low), high)


def _reflected(at: Tensor, low: float, high: float) -> Tensor:
    """Return `at`, mirrored at both ends until it lies between them."""
    length = high - low
    if not length:
        return _bounded(at, low, high)
    beyond = xp.maximum(xp.maximum(low - at, at - high), 0)
    turns = xp.floor(beyond / length)
    rest = beyond - turns * length
    is_even = emit(ModOp, turns, 2, fmod=True) == 0
    is_low = (at < low) == is_even
    inside = xp.where(is_low, low + rest, high - rest)
    return xp.where(beyond > 0, inside, at)


@onnx_op("DeformConv")
def deform_conv(node: Node) -> Tensor:
    """A product of the filter and of samples, one where each of its elements reads."""
    image, filter, offset = (node.input(i) for i in range(3))
    groups, parts = node.integer("group"), node.integer("offset_group")
    batch, channels, *extents = image.shape
    kernel = kernel_of(node)
    if len(kernel) != 2:
        node.refuse(f"{len(kernel)} spatial axes")
    strides, pads = node.integers("strides"), node.integers("pads")
    window = Window.of(kernel, strides, pads, node.integers("dilations"))
    size, count = prod(kernel), filter.shape[0]
    sizes = offset.shape[2:]
    wanted = (batch, 2 * parts * size, *window.extents(extents))
    fits = not channels % parts and filter.shape[1] * groups == channels
    if offset.shape != wanted or not fits or count % groups:
        node.invalid(
            f"expected offsets {list(wanted)} and channels in {groups} and {parts} "
            f"groups, got {list(offset.shape)} and {channels}"
        )
    moves = offset.reshape(batch, parts, size, 2, prod(sizes))
    rows = (batch * parts, 1, size * prod(sizes))
    taps = [
        _linear((moves[:, :, :, axis] + places.astype(image.dtype)).reshape(*rows), n)
        for axis, n in enumerate(extents)
        for places in [_places(window, axis, sizes)]
    ]
    flat = image.reshape(batch * parts, channels // parts, prod(extents))
    samples = reduce(xp.add, (_term(flat, extents, each) for each in product(*taps)))
    if (mask := node.optional(4)) is not None:
        samples = samples * mask.reshape(*rows)
    columns = samples.reshape(batch, groups, channels // groups * size, prod(sizes))
    matrices = filter.reshape(1, groups, count // groups, columns.shape[2])
    result = (matrices @ columns).reshape(batch, count, *sizes)
    bias = node.optional(3)
    return result if bias is None else result + bias.reshape(-1, 1, 1)


def _places(window: Window, axis: int, sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return where each element of the filter reads for each one of the result."""
    inner = np.indices(window.kernel)[axis].reshape(-1, 1) * window.dilations[axis]
    outer = np.indices(sizes)[axis].reshape(-1) * window.strides[axis]
    return inner + outer - window.pads[axis]


def _linear(at: Tensor, extent: int) -> list[_AxisSample]:
    """Return the two neighbors of `at` with their weights, 0 outside."""
    first = xp.floor(at)
    part = at - first
    weights = {0: 1 - part, 1: part}
    return [_tap(first + step, w, extent, "zeros") for step, w in weights.items()]


def _near(x: Tensor) -> Tensor:
    """Return the weight of a place at most 1 away (R. Keys, 1981)."""
    return ((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1


def _far(x: Tensor) -> Tensor:
    """Return the weight of a place 1 to 2 away."""
    return ((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC


def _term(flat: Tensor, extents: list[int], taps: tuple[_AxisSample, ...]) -> Tensor:
    """Return weight times element for one place around each position."""
    place, weight, inside = taps[0].place, taps[0].weight, taps[0].inside
    for tap, extent in zip(taps[1:], extents[1:], strict=True):
        place = place * extent + tap.place
        if weight is not None and tap.weight is not None:
            weight = weight * tap.weight
        if inside is not None and tap.inside is not None:
            inside = inside & tap.inside
    batch, channels, _ = flat.shape
    index = xp.broadcast_to(place, (batch, channels, place.shape[-1]))
    term = xp.take_along_axis(flat, index, axis=2)
    if inside is not None:
        term = xp.where(inside, term, 0)
    return term if weight is None else term * weight
