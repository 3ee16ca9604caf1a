"""Heaps of elements and their places, the worst one at the root."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import Attribute

from glow.codegen.casts import bitcast, convert
from glow.codegen.loops import Var, loop, when
from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value, compare_floats, index, is_nan, select
from glow.support.types import dtype_of, is_float, is_unsigned

Entry = tuple[Value, ...]
"""An element of a heap, a part in each of its arrays."""

_KEY_BYTES = 4
_MASK = (1 << 32) - 1
_TOP = 1 << 31


@dataclass(frozen=True)
class Candidates:
    """The elements to choose from: `memory[start + i * stride]`."""

    memory: Memory
    start: Value
    stride: Value

    def __getitem__(self, i: Value) -> Value:
        return self.memory[self.start + i * self.stride]


@dataclass(frozen=True)
class Heap(ABC):
    """
    `size` entries, at least 1; `depth` is the binary logarithm of that.

    One entry precedes another if it is better, or as good and has the lower place.
    `values` and `places` have room for `size` elements.
    """

    line: Candidates
    values: Memory
    places: Memory
    size: Value
    depth: Value
    largest: bool

    @property
    @abstractmethod
    def arrays(self) -> tuple[Memory, ...]:
        """Where the parts of entries are."""

    @abstractmethod
    def entry(self, i: Value) -> Entry:
        """Return the entry of element i of the line."""

    @abstractmethod
    def value(self, at: Value) -> Value:
        """Return the element of entry `at`."""

    @abstractmethod
    def place(self, at: Value) -> Value:
        """Return where in the line entry `at` comes from, as i64."""

    @abstractmethod
    def precedes(self, x: Entry, y: Entry) -> Value: ...

    def enters(self, entry: Entry, root: Entry) -> Value:
        """Return whether an entry with a higher place is better than the root."""
        return self.precedes(entry, root)

    def fill(self) -> None:
        """Take the first `size` elements."""
        for i in loop(0, self.size, nonempty=True):
            self._store(i, self.entry(i))
        half = self.size >> 1
        for i in loop(0, half):
            root = half - i - 1
            self._sink(self.size, root, self._load(root))

    def offer(self, i: Value) -> None:
        """Replace the worst entry by element i, from a higher place, if better."""
        entry, root = self.entry(i), index(0)
        with when(self.enters(entry, self._load(root))):
            self._sink(self.size, root, entry)

    def sort(self) -> None:
        """Put the entries into order, the best first; they are no heap then."""
        root = index(0)
        for i in loop(1, self.size):
            last = self.size - i
            entry = self._load(last)
            self._store(last, self._load(root))
            self._sink(last, root, entry)

    def _load(self, at: Value) -> Entry:
        return tuple(array[at] for array in self.arrays)

    def _store(self, at: Value, entry: Entry) -> None:
        for array, part in zip(self.arrays, entry, strict=True):
            array[at] = part

    def _sink(self, size: Value, root: Value, entry: Entry) -> None:
        """Put `entry` where `root` is or below; what is worse moves up."""
        self._store(root, entry)
        at = Var(root)
        for _ in loop(0, self.depth, at):
            left = at.value + at.value + 1
            right = left + 1
            has_left = left < size
            left = select(has_left, left, at.value)
            right = select(right < size, right, left)
            one, other = self._load(left), self._load(right)
            is_right = self.precedes(one, other)
            child = select(is_right, right, left)
            worse = _choose(is_right, other, one)
            moves = has_left & self.precedes(entry, worse)
            self._store(at.value, _choose(moves, worse, entry))
            at.value = select(moves, child, at.value)
        self._store(at.value, entry)


def _choose(condition: Value, x: Entry, y: Entry) -> Entry:
    return tuple(select(condition, *parts) for parts in zip(x, y, strict=True))


def heap_of(element: Attribute) -> type[Heap]:
    """Return the kind of heap for elements of this type."""
    return KeyHeap if dtype_of(element).itemsize <= _KEY_BYTES else PairHeap


@dataclass(frozen=True)
class KeyHeap(Heap):
    """
    Entries are one i64: above, the element as a number that grows the better it is,
    below, a number that falls with the place. So one comparison orders them.
    """

    @property
    def arrays(self) -> tuple[Memory, ...]:
        return (self.places,)

    def entry(self, i: Value) -> Entry:
        return ((self._rank(self.line[i]) << 32) + (_MASK - convert(i, i64)),)

    def value(self, at: Value) -> Value:
        return self.line[convert(self.place(at), INDEX)]

    def place(self, at: Value) -> Value:
        return _MASK - (self.places[at] & _MASK)

    def precedes(self, x: Entry, y: Entry) -> Value:
        return x[0] > y[0]

    def _rank(self, x: Value) -> Value:
        """Return an i64 from -2**31 to 2**31 - 1: the larger, the better."""
        rank = convert(_ordered(x) if is_float(x.element) else x, i64)
        if is_unsigned(x.element):
            rank = rank - _TOP
        return rank if self.largest else ~rank


def _ordered(x: Value) -> Value:
    """Return an i32 that is ordered as the float is: zeros are one, NaN the top."""
    x = convert(x, f32)
    bits = bitcast(x + 0.0, i32)
    bits = bits ^ ((bits >> 31) & (_TOP - 1))
    return select(is_nan(x), _TOP - 1, bits)


@dataclass(frozen=True)
class PairHeap(Heap):
    """Entries are elements and their places, as i64."""

    @property
    def arrays(self) -> tuple[Memory, ...]:
        return self.values, self.places

    def entry(self, i: Value) -> Entry:
        return self.line[i], convert(i, i64)

    def value(self, at: Value) -> Value:
        return self.values[at]

    def place(self, at: Value) -> Value:
        return self.places[at]

    def enters(self, entry: Entry, root: Entry) -> Value:
        return self._better(entry[0], root[0])

    def precedes(self, x: Entry, y: Entry) -> Value:
        is_better, is_worse = self._better(x[0], y[0]), self._better(y[0], x[0])
        return is_better | select(is_worse, 0, x[1] < y[1])

    def _better(self, x: Value, y: Value) -> Value:
        """Return whether x is strictly better; NaN is larger than any number."""
        if not is_float(x.element):
            return may_enter(x, y, self.largest)
        # Unordered comparisons hold for NaN, which only the better one may be.
        other = y if self.largest else x
        return may_enter(x, y, self.largest) & compare_floats("ord", other, other)


def may_enter(x: Value, y: Value, largest: bool) -> Value:
    """Return whether x is better than y, or either is NaN."""
    if is_float(x.element):
        return compare_floats("ugt" if largest else "ult", x, y)
    return x > y if largest else x < y
