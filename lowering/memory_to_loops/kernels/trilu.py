"""The part of matrices above or below a diagonal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute

from glow.codegen.functions import maximum, minimum
from glow.codegen.values import INDEX, Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule


@dataclass(frozen=True)
class Trilu(Rule):
    """Copy a part of each row, clear the other; k is 0 where it has no type."""

    COUNTERS: ClassVar = ("row",)
    NUMBERS: ClassVar = ("rows",)

    element: Attribute
    integer: Attribute | None
    upper: bool

    @property
    def name(self) -> str:
        return "triu" if self.upper else "tril"

    def operands(self) -> Mapping[str, Operand]:
        return {name: Operand(self.element) for name in ("x", "y")}

    def others(self) -> Mapping[str, Operand]:
        return {} if self.integer is None else {"k": Operand(self.integer, INDEX)}

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
        if self.integer is None:
            return index(after)
        k = minimum(line.call["k"][0], line.axis.extent)
        return maximum(k, 0 - line.numbers["rows"]) + after
