"""Heaps of elements and their places, the worst one at the root."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import f32, i1, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.support.types import dtype_of, is_float, is_unsigned

Values = list[SSAValue]
Entry = tuple[SSAValue, ...]
"""What a heap holds of an element, a part in each of its arrays."""

_KEY_BYTES = 4
_MASK = (1 << 32) - 1
_TOP = 1 << 31


@dataclass(frozen=True)
class Line:
    """The elements to choose from: `base[start + i * stride]`."""

    base: SSAValue
    start: SSAValue
    stride: SSAValue

    def load(self, b: Body, i: SSAValue) -> SSAValue:
        return b.load(self.base, b.sum(self.start, b.product(i, self.stride)))


@dataclass(frozen=True)
class Heap:
    """
    Appends ops on `size` entries, at least 1; `depth` is the binary logarithm of that.

    One entry precedes another if it is better, or as good and has the lower place.
    """

    element: Attribute
    largest: bool
    values: SSAValue
    """Room for `size` elements, and so with `places`."""
    places: SSAValue
    size: SSAValue
    depth: SSAValue
    line: Line

    @staticmethod
    def of(element: Attribute) -> type[Heap]:
        """Return the kind of heap for elements of this type."""
        is_small = dtype_of(element).itemsize <= _KEY_BYTES
        return KeyHeap if is_small else PairHeap

    @property
    @abstractmethod
    def arrays(self) -> tuple[SSAValue, ...]:
        """Where the parts of entries are."""

    @abstractmethod
    def entry(self, b: Body, i: SSAValue) -> Entry:
        """Return the entry of element i of the line."""

    @abstractmethod
    def value(self, b: Body, at: SSAValue) -> SSAValue:
        """Return the element of entry `at`."""

    @abstractmethod
    def place(self, b: Body, at: SSAValue) -> SSAValue:
        """Return where in the line entry `at` comes from, as i64."""

    @abstractmethod
    def _enters(self, b: Body, entry: Entry, root: Entry) -> SSAValue:
        """Say whether an entry with a higher place is better than the root."""

    @abstractmethod
    def _precedes(self, b: Body, x: Entry, y: Entry) -> SSAValue: ...

    def fill(self, b: Body) -> None:
        """Take the first `size` elements."""
        b.each(
            0,
            self.size,
            lambda b, i: self._store(b, i, self.entry(b, i)),
            nonempty=True,
        )
        half = b.binary(arith.ShRSIOp, self.size, b.const(1))

        def sink(b: Body, i: SSAValue) -> None:
            root = b.difference(b.difference(half, i), b.const(1))
            self._sink(b, self.size, root, self._load(b, root))

        b.each(0, half, sink)

    def offer(self, b: Body, i: SSAValue) -> None:
        """Replace the worst entry by element i, from a higher place, if better."""
        zero, entry = b.const(0), self.entry(b, i)
        enters = self._enters(b, entry, self._load(b, zero))
        when(b, enters, lambda b: self._sink(b, self.size, zero, entry))

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
        return tuple(b.load(array, at) for array in self.arrays)

    def _store(self, b: Body, at: SSAValue, entry: Entry) -> None:
        for array, part in zip(self.arrays, entry, strict=True):
            b.store(part, array, at)

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
        return tuple(pick(condition, *parts) for parts in zip(x, y, strict=True))


@dataclass(frozen=True)
class KeyHeap(Heap):
    """
    Entries are one i64: above, the element as a number that grows the better it is,
    below, a number that falls with the place. So one comparison orders them.
    """

    @property
    def arrays(self) -> tuple[SSAValue, ...]:
        return (self.places,)

    def entry(self, b: Body, i: SSAValue) -> Entry:
        n = Numbers(b, i64)
        rank = self._rank(b, self.line.load(b, i))
        above = b.binary(arith.ShLIOp, rank, n.const(32))
        return (n.add(above, n.sub(n.const(_MASK), n.of_index(i))),)

    def value(self, b: Body, at: SSAValue) -> SSAValue:
        index = arith.IndexCastOp.create(
            operands=[self.place(b, at)], result_types=[INDEX]
        )
        return self.line.load(b, b.add(index))

    def place(self, b: Body, at: SSAValue) -> SSAValue:
        n, (key,) = Numbers(b, i64), self._load(b, at)
        mask = n.const(_MASK)
        return n.sub(mask, b.binary(arith.AndIOp, key, mask))

    def _enters(self, b: Body, entry: Entry, root: Entry) -> SSAValue:
        return self._precedes(b, entry, root)

    def _precedes(self, b: Body, x: Entry, y: Entry) -> SSAValue:
        return Numbers(b, i64).compare("gt", x[0], y[0])

    def _rank(self, b: Body, value: SSAValue) -> SSAValue:
        """Return an i64 from -2**31 to 2**31 - 1: the larger, the better."""
        n = Numbers(b, i64)
        if self.element == f32:
            value = self._ordered(b, value)
        widen = arith.ExtUIOp if is_unsigned(self.element) else arith.ExtSIOp
        rank = b.add(widen.create(operands=[value], result_types=[i64]))
        if is_unsigned(self.element):
            rank = n.sub(rank, n.const(_TOP))
        return rank if self.largest else b.binary(arith.XOrIOp, rank, n.const(-1))

    def _ordered(self, b: Body, value: SSAValue) -> SSAValue:
        """Return an i32 that is ordered as the float is: zeros are one, NaN the top."""
        floats, n = Numbers(b, f32), Numbers(b, i32)
        is_nan = b.add(arith.CmpfOp(value, value, "uno"))
        positive = floats.add(value, floats.const(0.0))
        bits = b.add(arith.BitcastOp.create(operands=[positive], result_types=[i32]))
        sign = b.binary(arith.ShRSIOp, bits, n.const(31))
        flips = b.binary(arith.AndIOp, sign, n.const(_TOP - 1))
        bits = b.binary(arith.XOrIOp, bits, flips)
        return n.select(is_nan, n.const(_TOP - 1), bits)


@dataclass(frozen=True)
class PairHeap(Heap):
    """Entries are elements and their places, as i64."""

    @property
    def arrays(self) -> tuple[SSAValue, ...]:
        return self.values, self.places

    def entry(self, b: Body, i: SSAValue) -> Entry:
        return self.line.load(b, i), Numbers(b, i64).of_index(i)

    def value(self, b: Body, at: SSAValue) -> SSAValue:
        return b.load(self.values, at)

    def place(self, b: Body, at: SSAValue) -> SSAValue:
        return b.load(self.places, at)

    def _enters(self, b: Body, entry: Entry, root: Entry) -> SSAValue:
        return self._better(b, entry[0], root[0])

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
