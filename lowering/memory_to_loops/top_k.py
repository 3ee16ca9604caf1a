"""Lower top_k: a heap per line, whose root is the worst of the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

from xdsl.dialects.builtin import f32, f64, i32, i64

from glow.codegen.casts import bitcast, bits_of, convert, highest, lowest
from glow.codegen.conditions import compare_floats, is_nan, select
from glow.codegen.functions import across
from glow.codegen.loops import Level, N, Var, loop, nest, when
from glow.codegen.memory import Memory, Strip, rest_of
from glow.codegen.values import INDEX, Value, broadcast, index
from glow.dialects.graph.along_axis import TopKOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, work_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import (
    dtype_of,
    element_of,
    is_float,
    is_unsigned,
    normalize_axis,
)

Entry = tuple[Value, ...]
"""An element of a heap, a part in each of its arrays."""

_RANK_BYTES = 4
_MASK = (1 << 32) - 1


@dataclass(frozen=True)
class Candidates:
    """The elements to choose from: `memory[start + i * stride]`."""

    memory: Memory
    start: Value
    stride: Value

    def __getitem__(self, i: Value) -> Value:
        return self.memory[self.start + i * self.stride]


@dataclass(frozen=True)
class Heap:
    """
    `size` entries, the worst at the root; `depth` is the binary logarithm of `size`.

    An entry is the rank of an element, an i64 that is larger the better it is, and its
    place. One precedes another if its rank is higher, or as high and its place lower.
    Ranks of at most 32 bits are joined with the place, so that one comparison orders
    entries; there `ranks` is not used. Both arrays have room for `size` elements.
    """

    line: Candidates
    ranks: Memory
    places: Memory
    size: Value
    depth: Value
    largest: bool

    @property
    def is_joined(self) -> bool:
        return dtype_of(self.line.memory.element).itemsize <= _RANK_BYTES

    @property
    def arrays(self) -> tuple[Memory, ...]:
        """Where the parts of entries are."""
        return (self.places,) if self.is_joined else (self.ranks, self.places)

    def entry(self, i: Value) -> Entry:
        """Return the entry of element i of the line."""
        rank, place = _rank(self.line[i]), convert(i, i64)
        rank = rank if self.largest else ~rank
        return ((rank << 32) + (_MASK - place),) if self.is_joined else (rank, place)

    def place(self, at: Value) -> Value:
        """Return where in the line entry `at` comes from, as i64."""
        place = self.places[at]
        return _MASK - (place & _MASK) if self.is_joined else place

    def value(self, at: Value) -> Value:
        """Return the element of entry `at`."""
        return self.line[convert(self.place(at), INDEX)]

    def precedes(self, x: Entry, y: Entry) -> Value:
        if self.is_joined:
            return x[0] > y[0]
        return (x[0] > y[0]) | ((x[0] == y[0]) & (x[1] < y[1]))

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
        with when(entry[0] > self._load(root)[0]):
            self._sink(self.size, root, entry)

    def sort(self) -> None:
        """Put the entries into order, the best first; they are not a heap then."""
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


def _rank(x: Value) -> Value:
    """Return an i64 that grows with x: zeros are one, NaN is the greatest number."""
    if not is_float(x.element):
        number = convert(x, i64)
        if not is_unsigned(x.element):
            return number
        return number ^ lowest(i64) if bits_of(x.element) == 64 else number - (1 << 31)
    wide, integer = (f64, i64) if x.element == f64 else (f32, i32)
    x, top = convert(x, wide), highest(integer)
    bits = bitcast(x + 0.0, integer)
    bits = bits ^ ((bits >> (bits_of(integer) - 1)) & top)
    return convert(select(is_nan(x), top, bits), i64)


def may_enter(x: Value, y: Value, largest: bool) -> Value:
    """Return whether x is better than y, or either is NaN."""
    if is_float(x.element):
        return compare_floats("ugt" if largest else "ult", x, y)
    return x > y if largest else x < y


@dataclass(frozen=True)
class TopKRow(Generic[N]):
    """
    Loops over lines, which move the input and the results, and what to take of a line.

    `depth` is the binary logarithm of k; `strides` are those along a line.
    """

    outer: tuple[Level[N], ...]
    extent: N
    k: N
    depth: N
    strides: tuple[N, ...]


@dataclass(frozen=True)
class TopK(Kernel):
    """
    Keep the best elements of a line in a heap, its worst at the root; then sort them.

    With lanes, the line has unit stride, and so many elements are compared with the
    root at once.
    Unit: an iteration of the outermost loop over lines.
    Scratch: `ranks` and `places` hold one line; pieces that run at once need their own.
    """

    largest: bool
    lanes: int

    def write(self, call: Call[TopKRow[Value]]) -> None:
        row = call.row
        scratch = call["ranks"], call["places"], row.k, row.depth
        for starts in nest(row.outer, len(row.strides), bounds=call.range):
            line = Candidates(call["x"], starts[0], row.strides[0])
            heap = Heap(line, *scratch, self.largest)
            heap.fill()
            start = self._filtered(row.extent, heap) if self.lanes else row.k
            for i in loop(start, row.extent):
                heap.offer(i)
            heap.sort()
            results = [name for name in ("values", "indices") if name in call.operands]
            for name, start, stride in zip(
                results, starts[1:], row.strides[1:], strict=True
            ):
                for i in loop(0, row.k, nonempty=True):
                    kept = heap.value(i) if name == "values" else heap.place(i)
                    call[name][start + i * stride] = kept

    def _filtered(self, extent: Value, heap: Heap) -> Value:
        """Offer what lies after the first ones, in vectors; return where they end."""
        end = extent - rest_of(extent - heap.size, self.lanes)
        line = heap.line
        for i in loop(heap.size, end, step=self.lanes):
            several = line.memory.load(line.start + i, Strip(self.lanes))
            root = broadcast(heap.value(index(0)), self.lanes)
            with when(across("or", may_enter(several, root, self.largest))):
                for one in loop(i, i + self.lanes, nonempty=True):
                    heap.offer(one)
        return end


def _scratch(op: TopKOp) -> list[Buffer]:
    """Return room to put one line into order: a heap, and where its elements are."""
    return [Buffer(element_of(op.input), [op.k]), Buffer(i64, [op.k])]


@lowers(TopKOp, scratch=_scratch)
def lower_top_k(main: Main, op: ApplyOp) -> None:
    x, p = op.buffer("input"), op.graph_op().parameters()
    source, k = addressing_of(x), p["k"]
    operands = [source, *map(addressing_of, op.outs)]
    at = normalize_axis(p["axis"], len(source.shape))
    shape = (*source.shape[:at], 1, *source.shape[at + 1 :])
    lines = collapse(axes_of(shape, operands), range(len(operands) - 1, -1, -1))
    extent, lanes = source.shape[at], main.target.f32_lanes
    # Most elements are worse than a small heap's worst: several are seen at once.
    if source.strides[at] != 1 or extent - k < lanes:
        lanes = 0
    names = [name for name in ("values", "indices") if p[f"with_{name}"]]
    ranks, places = op.scratch
    arguments = {
        "x": main.base(x),
        **{n: main.base(out) for n, out in zip(names, op.outs, strict=True)},
        "ranks": main.own(ranks, seen_as=i64),
        "places": main.own(places),
    }
    levels = tuple(lines)
    strides = tuple(operand.strides[at] for operand in operands)
    row = TopKRow(levels, extent, k, k.bit_length() - 1, strides)
    main.call(
        TopK(p["largest"], lanes), arguments, row, work_of(levels, prod(source.shape))
    )
