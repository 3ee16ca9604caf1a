"""Windows that slide over images, each clipped by a table to the taps that exist."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from glow.codegen.loops import Level, N, loop, moved
from glow.codegen.values import Value
from glow.dialects.graph.window import Window
from glow.lowering.memory_to_loops.kernels.kernel import Bounds, Call

_FIELDS = 3
"""Per window: its first tap inside of the input, its taps there, its divisor."""


@dataclass(frozen=True)
class SpatialAxis(Generic[N]):
    """
    The windows along one axis.

    `places` moves all operands, `taps` those that come first: what windows slide over,
    and filters. `table` is where the entries of these places begin.
    """

    places: Level[N]
    taps: tuple[N, ...]
    table: N


def spatial_axes(
    extents: Sequence[int],
    places: Sequence[tuple[int, ...]],
    taps: Sequence[tuple[int, ...]],
) -> tuple[SpatialAxis[int], ...]:
    """Return axes of so many places, by how far operands move per place and per tap."""
    levels = map(Level, extents, places)
    starts = accumulate(extents, lambda at, extent: at + _FIELDS * extent, initial=0)
    return tuple(map(SpatialAxis[int], levels, taps, starts))


def window_table(
    window: Window, spatial: Sequence[int], places: Sequence[int], counts_pads: bool
) -> NDArray[np.int64]:
    """
    Return (first tap, taps, divisor) of each window, axis after axis.

    A divisor counts the taps inside, or those in the padding, too; what lies beyond
    that is left out either way.
    """
    tables: list[NDArray[np.int64]] = []
    for axis, (extent, count) in enumerate(zip(spatial, places, strict=True)):
        step = window.dilations[axis]
        starts = np.arange(count) * window.strides[axis] - window.begins[axis]
        limits = (0, extent, extent + window.ends[axis])
        first, end, padded_end = (
            np.clip((limit - starts - 1) // step + 1, 0, window.kernel[axis])
            for limit in limits
        )
        divisor = padded_end if counts_pads else end - first
        columns = [first, end - first, np.maximum(divisor, 1)]
        tables.append(np.stack(columns, axis=1))
    return np.concatenate(tables)


@dataclass(frozen=True)
class WindowPlace:
    """Addresses of operands for one window, and the loops over what it reads."""

    offsets: list[Value]
    taps: tuple[Level[Value], ...] = ()
    divisor: Value | None = None


def slide(
    call: Call[Any],
    axes: Sequence[SpatialAxis[Value]],
    window: WindowPlace,
    part: Bounds | None = None,
) -> Generator[WindowPlace]:
    """
    Write a loop per axis, the outermost over `part` if given; yield each window.

    The call has the table of windows as `windows`.
    """
    if not axes:
        yield window
        return
    axis, *inner = axes
    for i in loop(*(part or (0, axis.places.extent)), nonempty=True):
        entry = axis.table + i * _FIELDS
        first, count, divisor = (
            call["windows"][entry + field] for field in range(_FIELDS)
        )
        offsets = moved(window.offsets, i, axis.places)
        for k, step in enumerate(axis.taps):
            offsets[k] = offsets[k] + first * step
        if window.divisor is not None:
            divisor = window.divisor * divisor
        taps = (*window.taps, Level(count, axis.taps))
        yield from slide(call, inner, WindowPlace(offsets, taps, divisor))
