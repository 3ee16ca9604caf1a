"""A heap of elements and their places, the worst one at its root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, Region, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.support.types import is_float

Values = list[SSAValue]
Entry = tuple[SSAValue, SSAValue]
"""An element and its place, as i64."""


@dataclass(frozen=True)
class Heap:
    """
    Appends ops on `size` entries, at least 1; `depth` is the binary logarithm of that.

    One entry precedes another if it is better, or as good and has the lower place.
    """

    element: Attribute
    largest: bool
    values: SSAValue
    places: SSAValue
    size: SSAValue
    depth: SSAValue

    def fill(self, b: Body, load: Callable[[Body, SSAValue], Entry]) -> None:
        """Take the first `size` entries."""
        b.each(0, self.size, lambda b, i: self._store(b, i, load(b, i)), nonempty=True)
        half = b.binary(arith.ShRSIOp, self.size, b.const(1))

        def sink(b: Body, i: SSAValue) -> None:
            root = b.difference(b.difference(half, i), b.const(1))
            self._sink(b, self.size, root, self._load(b, root))

        b.each(0, half, sink)

    def offer(self, b: Body, value: SSAValue, place: SSAValue) -> None:
        """Replace the worst entry by one with a higher place, if that is better."""
        zero = b.const(0)
        is_better = self._better(b, value, b.load(self.values, zero))
        when(b, is_better, lambda b: self._sink(b, self.size, zero, (value, place)))

    def sort(self, b: Body) -> None:
        """Put the entries into order, the best first; they are no heap then."""
        zero = b.const(0)

        def step(b: Body, i: SSAValue) -> None:
            last = b.difference(self.size, i)
            entry = self._load(b, last)
            self._store(b, last, self._load(b, zero))
            self._sink(b, last, zero, entry)

        b.each(1, self.size, step)

    def _load(self, b: Body, at: SSAValue) -> Entry:
        return b.load(self.values, at), b.load(self.places, at)

    def _store(self, b: Body, at: SSAValue, entry: Entry) -> None:
        b.store(entry[0], self.values, at)
        b.store(entry[1], self.places, at)

    def _sink(self, b: Body, size: SSAValue, root: SSAValue, entry: Entry) -> None:
        """Put `entry` where `root` is or below; what is worse moves up."""
        one = b.const(1)

        def step(b: Body, _: SSAValue, carried: Values) -> Values:
            (at,) = carried
            n = Numbers(b, INDEX)
            left = b.sum(b.sum(at, at), one)
            right = b.sum(left, one)
            has_left = n.compare("lt", left, size)
            left = n.select(has_left, left, at)
            right = n.select(n.compare("lt", right, size), right, left)
            one_entry, other = self._load(b, left), self._load(b, right)
            is_right = self._precedes(b, one_entry, other)
            child = n.select(is_right, right, left)
            worse = self._choose(b, is_right, other, one_entry)
            moves = b.binary(arith.AndIOp, has_left, self._precedes(b, entry, worse))
            self._store(b, at, self._choose(b, moves, worse, entry))
            return [n.select(moves, child, at)]

        self._store(b, root, entry)
        (at,) = b.loop(0, self.depth, 1, [root], step)
        self._store(b, at, entry)

    def _choose(self, b: Body, condition: SSAValue, x: Entry, y: Entry) -> Entry:
        pick = Numbers(b, INDEX).select
        return pick(condition, x[0], y[0]), pick(condition, x[1], y[1])

    def _precedes(self, b: Body, x: Entry, y: Entry) -> SSAValue:
        is_better = self._better(b, x[0], y[0])
        is_worse = self._better(b, y[0], x[0])
        is_before = b.add(arith.CmpiOp(x[1], y[1], "slt"))
        no = b.scalar(0, i1)
        as_good = Numbers(b, i1).select(is_worse, no, is_before)
        return b.binary(arith.OrIOp, is_better, as_good)

    def _better(self, b: Body, x: SSAValue, y: SSAValue) -> SSAValue:
        """Say whether x is strictly better; NaN is larger than any number."""
        if not is_float(self.element):
            n = Numbers(b, self.element)
            return n.compare("gt" if self.largest else "lt", x, y)
        # Unordered comparisons hold for NaN, which only the better one may be.
        other = y if self.largest else x
        is_number = b.add(arith.CmpfOp(other, other, "ord"))
        is_beyond = b.add(arith.CmpfOp(x, y, "ugt" if self.largest else "ult"))
        return b.binary(arith.AndIOp, is_beyond, is_number)


def when(b: Body, condition: SSAValue, body: Callable[[Body], None]) -> None:
    """Append ops that run if `condition` holds."""
    inner = Body(Block(), b.consts, b.entry)
    body(inner)
    inner.do(scf.YieldOp())
    b.do(scf.IfOp(condition, [], Region(inner.block)))
