"""Which of a list belong together: told by lengths, by offsets, or evenly."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic

from glow.codegen.casts import convert
from glow.codegen.loops import Level, N, Var, loop, nest
from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value, index, is_outside, select
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault


@dataclass(frozen=True)
class Bag:
    """Where the result of a bag goes, the first of the list in it, and how many."""

    result: Value
    start: Value
    count: Value


@dataclass(frozen=True)
class EvenBags(Generic[N]):
    """Bags of one size, in loops that move the result and the list."""

    size: N
    levels: tuple[Level[N], ...]


def even_bags(row: EvenBags[Value], call: Call) -> Generator[Bag]:
    """Write loops over the bags of a call."""
    for result, start in nest(row.levels, 2, bounds=call.range):
        yield Bag(result, start, row.size)


@dataclass(frozen=True)
class ToldBags(Generic[N]):
    """
    Bags that integers tell of, `bounds` of them; what does not fit is a fault.

    `stride` moves the result from bag to bag, `step` the integers; `code` is that of
    the fault.
    """

    count: N
    stride: N
    bounds: N
    step: N
    code: N


@dataclass(frozen=True)
class Told:
    """Bags of a list of `total` that integers tell of; those at fault are empty."""

    row: ToldBags[Value]
    memory: Memory
    fault: Fault
    total: Value

    def _load(self, i: Value) -> Value:
        return convert(self.memory[i * self.row.step], INDEX)

    def by_lengths(self, call: Call) -> Generator[Bag]:
        """Write a loop over the bags of a call; lengths before it are added up."""
        start = Var(index(0))
        for i in loop(0, call.begin, start):
            start.value += self._length(i, start.value)[0]
        for i in loop(*call.range, start, nonempty=True):
            size, is_wrong = self._length(i, start.value)
            self.fault.report(is_wrong)
            yield Bag(i * self.row.stride, start.value, size)
            start.value += size
        is_last = call.end == self.row.count
        self.fault.report(is_last & (start.value != self.total))

    def _length(self, i: Value, start: Value) -> tuple[Value, Value]:
        """Return the size of a bag, 0 if it does not fit, and whether it does not."""
        size = self._load(i)
        is_wrong = is_outside(size, self.total - start + 1)
        return select(is_wrong, 0, size), is_wrong

    def by_offsets(self, call: Call) -> Generator[Bag]:
        """Write a loop over the bags of a call."""
        self.fault.report((call.begin == 0) & (self._load(index(0)) != 0))
        for i in loop(*call.range, nonempty=True):
            start, end = self._load(i), self._end(i)
            is_wrong = is_outside(end, self.total + 1) | (start < 0) | (start > end)
            self.fault.report(is_wrong)
            size = select(is_wrong, 0, end - start)
            yield Bag(i * self.row.stride, start, size)

    def _end(self, i: Value) -> Value:
        """Return the offset after the `i`-th: the total, if there is none."""
        following = i + 1
        is_last = following == self.row.bounds
        return select(is_last, self.total, self._load(select(is_last, 0, following)))
