"""What a kernel is told at run time: its row of integers, and loops made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Level = tuple[SSAValue, list[SSAValue]]
"""A loop: its extent, at least 1, and how far each operand moves per step."""


class Row:
    """Reads a call's row of integers from its start, one after the other."""

    def __init__(self, b: Body, arguments: Mapping[str, SSAValue]):
        self._b, self._rows, self._at = b, arguments["rows"], arguments["at"]
        self._count = 0

    def next(self, name: str) -> SSAValue:
        """Return the next integer of the row."""
        found = self._b.load(self._rows, self._b.sum(self._at, self._count))
        found.name_hint = name
        self._count += 1
        return found

    def take(self, count: int, name: str) -> list[SSAValue]:
        """Return the next `count` integers of the row."""
        return [self.next(name) for _ in range(count)]

    def levels(self, depth: int, operands: int) -> list[Level]:
        """Return the next `depth` loops over `operands`, the outermost first."""
        return [
            (self.next("extent"), self.take(operands, "stride")) for _ in range(depth)
        ]


def nest(
    b: Body,
    levels: Sequence[Level],
    operands: int,
    body: Callable[[Body, list[SSAValue]], None],
    starts: Sequence[SSAValue] | None = None,
) -> None:
    """
    Append a loop per level; `body(b, offsets)` is told where each operand stands.

    Offsets count from `starts`, or from 0.
    """
    if not levels:
        body(b, list(starts or [b.const(0)] * operands))
        return
    (extent, strides), *inner = levels

    def step(b: Body, i: SSAValue) -> None:
        offsets = [b.product(i, stride) for stride in strides]
        if starts is not None:
            offsets = [b.sum(a, o) for a, o in zip(starts, offsets, strict=True)]
        nest(b, inner, operands, body, offsets)

    b.each(0, extent, step, nonempty=True)


def nest_pieces(
    b: Body,
    levels: Sequence[Level],
    strips: Strips,
    body: Callable[[Body, list[SSAValue], Piece], None],
    starts: Sequence[SSAValue],
) -> None:
    """
    Append a loop per level, the innermost in pieces; `body(b, offsets, piece)`.

    On vectors, every operand has unit stride along the innermost level.
    """
    if not strips.lanes:
        nest(b, levels, len(starts), lambda b, at: body(b, at, Piece(0)), starts)
        return
    *outer, (extent, _) = levels

    def line(b: Body, offsets: list[SSAValue]) -> None:
        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            body(b, [b.sum(offset, i) for offset in offsets], piece)

        strips.each(b, extent, step)

    nest(b, outer, len(starts), line, starts)
