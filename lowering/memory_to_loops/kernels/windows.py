"""Loops over windows that slide along spatial axes, clipped to the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest

WINDOW_FIELDS = 3
"""Per window: its first position in the input, its positions there, its divisor."""


@dataclass(frozen=True)
class Window:
    """Where operands stand for one window, and the loops over what it reads."""

    offsets: list[SSAValue]
    taps: tuple[Level, ...] = ()
    divisor: SSAValue | None = None


@dataclass(frozen=True)
class _Axis:
    level: Level
    table: SSAValue
    positions: list[SSAValue]
    taps: list[SSAValue]


@dataclass(frozen=True)
class Windows:
    """
    What the row says of windows: loops over batch and places, then channels.

    Operands come in the order: `read` ones that windows slide over, then others.
    Row: batch (extent, strides); per spatial axis: places (extent, strides), where its
    windows start in the table, the strides of a position and of a tap of the read
    operands; channels (extent, strides).
    """

    batch: Level
    axes: tuple[_Axis, ...]
    channels: Level

    @staticmethod
    def of(row: Row, spatial: int, operands: int, read: int) -> Windows:
        """Read the row of a kernel."""
        (batch,) = row.levels(1, operands)
        axes = tuple(
            _Axis(
                row.levels(1, operands)[0],
                row.next("table"),
                row.take(read, "position"),
                row.take(read, "tap"),
            )
            for _ in range(spatial)
        )
        (channels,) = row.levels(1, operands)
        return Windows(batch, axes, channels)

    def each(
        self, b: Body, table: SSAValue, body: Callable[[Body, Window], None]
    ) -> None:
        """Append loops that call `body(b, window)`, channels not among them."""

        def image(b: Body, offsets: list[SSAValue]) -> None:
            _slide(b, self.axes, table, Window(offsets), body)

        nest(b, [self.batch], len(self.batch[1]), image)


def _slide(
    b: Body,
    axes: Sequence[_Axis],
    table: SSAValue,
    window: Window,
    body: Callable[[Body, Window], None],
) -> None:
    if not axes:
        body(b, window)
        return
    axis, *inner = axes
    extent, strides = axis.level

    def place(b: Body, i: SSAValue) -> None:
        entry = b.sum(axis.table, b.product(i, WINDOW_FIELDS))
        first, count, divisor = (
            b.offset(table, b.sum(entry, field)) for field in range(WINDOW_FIELDS)
        )
        offsets = [
            b.sum(offset, b.product(i, stride))
            for offset, stride in zip(window.offsets, strides, strict=True)
        ]
        for k, step in enumerate(axis.positions):
            offsets[k] = b.sum(offsets[k], b.product(first, step))
        if window.divisor is not None:
            divisor = b.product(window.divisor, divisor)
        taps = (*window.taps, (count, axis.taps))
        _slide(b, inner, table, Window(offsets, taps, divisor), body)

    b.each(0, extent, place, nonempty=True)


Carried = list[SSAValue]


def fold(
    b: Body,
    taps: Sequence[Level],
    offsets: list[SSAValue],
    carried: Carried,
    body: Callable[[Body, list[SSAValue], Carried], Carried],
) -> Carried:
    """Append loops over `taps` that carry values from element to element."""
    if not taps:
        return body(b, offsets, carried)
    (count, strides), *inner = taps

    def step(b: Body, i: SSAValue, carried: Carried) -> Carried:
        moved = [
            b.sum(offset, b.product(i, stride))
            for offset, stride in zip(offsets, strides, strict=True)
        ]
        return fold(b, inner, moved, carried, body)

    return b.loop(0, count, 1, carried, step)
