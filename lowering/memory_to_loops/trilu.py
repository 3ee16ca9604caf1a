"""Lower parts of matrices: per row a copy and zeros, with a run-time border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from glow.codegen.functions import maximum, minimum
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX, Value, index
from glow.dialects.graph.slicing import TriluOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers


@dataclass(frozen=True)
class Trilu(Rule):
    """Copy a part of each row, clear the other; k is 0 where it is not given."""

    MOVING: ClassVar = ("x", "y", "row")
    NUMBERS: ClassVar = ("rows",)

    upper: bool

    @property
    def name(self) -> str:
        return "triu" if self.upper else "tril"

    def line(self, line: Line) -> None:
        border = self._first(line) + line.starts["row"]
        border = minimum(maximum(border, 0), line.axis.extent)
        first, second = (index(0), border), (border, line.axis.extent)
        cleared, copied = (first, second) if self.upper else (second, first)
        for at in line.along(start=cleared[0], end=cleared[1]):
            at.store(0)
        for at in line.along(start=copied[0], end=copied[1]):
            at.store(at.load())

    def _first(self, line: Line) -> Value:
        """Return where the second part of the first row would begin."""
        after = 0 if self.upper else 1
        if "k" not in line.call.operands:
            return index(after)
        k = minimum(line.call["k"][0], line.axis.extent)
        return maximum(k, 0 - line.numbers["rows"]) + after


@lowers(TriluOp, in_place=True)
def lower_trilu(main: Main, op: ApplyOp) -> None:
    x, y, k = op.buffer("input"), op.buffer("result"), op.find("k")
    source, result = addressing_of(x), addressing_of(y)
    numbers = [0] * len(source.shape)
    numbers[-2] = 1
    *apart, columns = [
        Axis(axis.extent, (*axis.strides, number))
        for axis, number in zip(
            axes_of(source.shape, [source, result]), numbers, strict=True
        )
    ]
    strips = main.strips(x, unroll=2, moved=True)
    if columns.extent < strips.lanes:
        strips = Strips(0)
    rule = Trilu(op.graph_op().parameters()["upper"])
    lines = LinesOf(
        *(rule, [columns], collapse(apart, (1, 0))),
        *((source.shape[-2],), frozenset({"row"})),
    )
    arguments = {"x": main.stored(x), "y": main.stored(y)}
    if k is not None:
        arguments["k"] = main.base(k, compute=INDEX)
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, arguments, row, work)
