"""Where the greatest or the least element of a line is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute

from glow.codegen.casts import convert, highest, lowest
from glow.codegen.functions import Combination, combined
from glow.codegen.values import Value, compare, is_nan, select
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.support.types import is_float


@dataclass(frozen=True)
class ArgReduce(Rule):
    """
    Index of the greatest (max) or least (min) element; of equal ones the first or last.

    NaN is never better than what came before, and nothing is better than NaN.
    """

    kind: str
    element: Attribute
    compute: Attribute
    last: bool

    @property
    def name(self) -> str:
        return f"arg_{self.kind}"

    def operands(self) -> Mapping[str, Operand]:
        return {"x": Operand(self.element, self.compute), "y": Operand(i64, i32)}

    def line(self, line: Line) -> None:
        is_vector = line.across is None and line.strips.lanes
        line.store(self._located(line) if is_vector else self._searched(line))

    def _searched(self, line: Line) -> Value:
        """Return the index, looking at one element after the other."""
        first = line.first().load()
        best, place = line.carry(first), line.carry(line.lanes.constant(0, i32))
        predicate = "gt" if self.kind == "max" else "lt"
        if self.last:
            predicate = "ge" if self.kind == "max" else "le"
        for at in line.along(best, place, start=1):
            x = at.load()
            is_better = compare(predicate, x, best.value)
            best.value = select(is_better, x, best.value)
            place.value = select(is_better, convert(at.i, i32), place.value)
        return place.result("add")

    def _located(self, line: Line) -> Value:
        """Return the index: find the best element on vectors, then where it is."""
        best = self._best(line)
        nowhere = -1 if self.last else highest(i32)
        further = "max" if self.last else "min"
        places = line.total(nowhere, i32)
        for at in line.along(places):
            is_here = at.load() == best
            if at.strip.masks:
                is_here &= at.strip.mask
            place = select(is_here, at.numbers(i32), nowhere)
            places.value = combined(further, places.value, place)
        place = places.result(further)
        if is_float(self.compute):
            place = select(is_nan(line.first().load()), 0, place)
        return place

    def _best(self, line: Line) -> Value:
        """Return the greatest or least element, NaN aside."""
        bound = (lowest if self.kind == "max" else highest)(self.compute)
        kind: Combination = "max" if self.kind == "max" else "min"
        if is_float(self.compute):
            kind = "larger" if self.kind == "max" else "smaller"
        best = line.total(bound, self.compute)
        for at in line.along(best):
            best.value = combined(kind, at.load("x", bound), best.value)
        return best.result(kind)
