"""Scores of blocks of queries: products, capped, masked and biased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Generic

from xdsl.dialects.builtin import f32

from glow.codegen.casts import convert
from glow.codegen.conditions import select
from glow.codegen.functions import larger, minimum, tanh
from glow.codegen.loops import Level, N, Var, loop
from glow.codegen.memory import Memory, Strip, rest_of
from glow.codegen.shuffles import transposed
from glow.codegen.strips import Strips
from glow.codegen.values import Value, constant, index
from glow.lowering.memory_to_loops.kernels.kernel import Call
from glow.lowering.memory_to_loops.kernels.microkernel import Tile, products

TENSORS: tuple[str, ...] = ("query", "key", "value", "result")
MOVED: tuple[str, ...] = (*TENSORS, "mask", "bias", "lengths", "start")
"""The offsets that loops over blocks of queries advance; `start` is the first query."""


class Spread(Enum):
    """The axes of the scores of a block along which a mask or bias varies."""

    KEYS = "keys"
    """From key to key alone."""
    LINES = "lines"
    """From query to query, and from key to key, which are neighbors."""
    ANY = "any"
    """From query to query, and from key to key in any way."""


@dataclass(frozen=True)
class AttentionForm:
    """
    The parameters of an attention kernel's code.

    `scores` is a tile of keys by queries, `values` one of queries by elements of
    values, and `tail` another for what these leave of them.
    """

    scale: float
    softcap: float
    masked_score: float
    unseen: str
    mask: Spread | None
    bias: Spread | None
    is_windowed: bool
    joins_heads: bool
    scores: Tile
    values: Tile
    tail: Tile | None
    square: int
    """The queries that are transposed together."""

    @property
    def is_shifted(self) -> bool:
        """Whether a key may be hidden from some queries, or its scores biased."""
        has_operand = self.mask is not None or self.bias is not None
        return has_operand or self.is_windowed


@dataclass(frozen=True)
class Strides(Generic[N]):
    """Distances of an operand from head to head, query to query and key to key."""

    head: N
    query: N
    key: N


@dataclass(frozen=True)
class Room(Generic[N]):
    """Offsets of the parts of the scratch, as `room_of` says."""

    queries: N
    scores: N
    sums: N
    peak: N
    total: N
    shrinkage: N
    best: N
    first: N
    last: N
    mask: N
    bias: N
    keys: N


@dataclass(frozen=True)
class AttentionRow(Generic[N]):
    """
    Loops over blocks, which move `MOVED`, sizes, strides and parts of the scratch.

    `columns` are the queries of a head of keys if the form joins heads, else of a head
    of queries; `length` are those of one head; `sum_step` is how far their sums lie
    apart.
    """

    blocks: tuple[Level[N], ...]
    columns: N
    length: N
    total: N
    elements: N
    width: N
    left: N
    right: N
    query_block: N
    key_block: N
    key_step: N
    value_step: N
    sum_step: N
    query: Strides[N]
    result: Strides[N]
    mask: Strides[N]
    bias: Strides[N]
    room: Room[N]


@dataclass(frozen=True)
class QueryBlock:
    """A block of queries: what is computed with it, and where operands stand."""

    form: AttentionForm
    call: Call[AttentionRow[Value]]
    at: Mapping[str, Value]

    @property
    def row(self) -> AttentionRow[Value]:
        return self.call.row

    @property
    def scratch(self) -> Memory:
        return self.call["scratch"]

    @property
    def columns(self) -> Strip:
        """The queries that are handled together."""
        return self.form.scores.row

    def split(self, column: Value) -> tuple[Value, Value]:
        """Return the head and the number of a query, those of the last one at most."""
        query = minimum(self.at["start"] + column, self.row.columns - 1)
        if not self.form.joins_heads:
            return index(0), query
        head = query // self.row.length
        return head, query - head * self.row.length

    def of(self, name: str, column: Value) -> Value:
        """Return where the part of operand `name` for a query begins."""
        head, step = self.split(column)
        strides: Strides[Value] = getattr(self.row, name)
        place = self.at[name] + step * strides.query
        return place + head * strides.head if self.form.joins_heads else place

    def load(self, part: str, at: Value) -> Value:
        """Load what a part of the scratch has for the queries from `at` on."""
        return self.scratch.load(getattr(self.row.room, part) + at, self.columns)

    def keep(self, part: str, at: Value, value: Value) -> None:
        """Store what a part of the scratch has for the queries from `at` on."""
        self.scratch[getattr(self.row.room, part) + at] = value


@dataclass(frozen=True)
class ScoreBlock:
    """Writes the scores of `count` keys from `key` on, for the queries of a block."""

    block: QueryBlock
    key: Value
    count: Value

    def spread(self, name: str, upto: Value) -> None:
        """Transpose what a mask (as 0 and 1) or bias says of each query."""
        block, row, size = self.block, self.block.row, self.block.form.square
        spread, source = getattr(block.form, name), block.call[name]
        strides: Strides[Value] = getattr(row, name)
        rest = rest_of(self.count, size) if spread is Spread.LINES else self.count
        whole = self.count - rest
        for c in loop(0, upto, step=size, name="c"):
            first = self.key * strides.key
            lines = [block.of(name, c + i) + first for i in range(size)]
            to = getattr(row.room, name) + c
            if spread is Spread.LINES:
                for t in loop(0, whole, step=size, name="t"):
                    square = [source.load(at + t, Strip(size)) for at in lines]
                    columns = transposed([_number(name, line) for line in square])
                    for i, column in enumerate(columns):
                        block.scratch[to + (t + i) * row.query_block] = column
            for t in loop(whole, self.count, name="t"):
                for i, at in enumerate(lines):
                    number = _number(name, source[at + t * strides.key])
                    block.scratch[to + t * row.query_block + i] = number

    @property
    def is_widened(self) -> bool:
        """Whether keys are in the scratch, in f32: they are loaded one by one."""
        return self.block.call["key"].element != f32

    def widen(self) -> None:
        """Put the keys into the scratch."""
        row, key = self.block.row, self.block.call["key"]
        strips = Strips(self.block.form.square)
        for t in loop(0, self.count, name="t", nonempty=True):
            source = self.block.at["key"] + (self.key + t) * row.key_step
            to = row.room.keys + t * row.elements
            for e, strip in strips.along(row.elements):
                self.block.scratch.store(key.load(source + e, strip), to + e, strip)

    def tiles(self, c: Value) -> tuple[Value, Value]:
        """
        Store the scores of a panel of queries, the first one being `c`.

        Return the largest of each query, and its best shift if there are any.
        """
        block, row, tile = self.block, self.block.row, self.block.form.scores
        nothing = tile.row.constant(-inf, f32)
        peaks, best = Var(nothing), Var(nothing)
        carried = (peaks, best) if block.form.is_shifted else (peaks,)
        # In the last tile, the rows that are left over repeat the last key.
        final = self.count - 1
        for t in loop(0, self.count, *carried, step=tile.rows, name="t", nonempty=True):
            keys = [minimum(t + i, final) for i in range(tile.rows)]
            if self.is_widened:
                starts = [row.room.keys + k * row.elements for k in keys]
                left = block.scratch, starts, index(1)
            else:
                starts = [block.at["key"] + (self.key + k) * row.key_step for k in keys]
                left = block.call["key"], starts, index(1)
            right = block.scratch, row.room.queries + c, row.query_block
            zeros = [tile.row.constant(0, f32)] * tile.rows
            lines = products(left, right, tile.row, row.elements, zeros)
            for i, (key, line) in enumerate(zip(keys, lines, strict=True)):
                line, shifts = self._seen(line, key, c)
                peaks.value = larger(peaks.value, line)
                if block.form.is_shifted:
                    best.value = larger(best.value, shifts)
                block.keep("scores", (t + i) * row.query_block + c, line)
        return peaks.value, best.value

    def _seen(self, scores: Value, key: Value, c: Value) -> tuple[Value, Value]:
        """Return final scores of a key for queries from `c` on, and their shifts."""
        form, strip = self.block.form, self.block.columns
        shifts = strip.constant(0, f32)
        if form.softcap:
            scores = tanh(scores) * form.softcap
        if not form.is_shifted:
            return scores, shifts
        if form.bias is not None:
            shifts = self._given("bias", key, c)
        if form.mask is not None:
            kept = self._given("mask", key, c) > 0
            if form.masked_score == -inf:
                shifts = select(kept, shifts, -inf)
            else:
                scores = select(kept, scores, form.masked_score)
        if form.is_windowed:
            place = strip.spread(convert(self.key + key, f32))
            shifts = select(place >= self.block.load("first", c), shifts, -inf)
            shifts = select(place < self.block.load("last", c), shifts, -inf)
        return select(shifts == -inf, -inf, scores + shifts), shifts

    def _given(self, name: str, key: Value, c: Value) -> Value:
        """Return the values of a mask or bias for a key and each query."""
        block = self.block
        if getattr(block.form, name) is not Spread.KEYS:
            return block.load(name, key * block.row.query_block + c)
        strides: Strides[Value] = getattr(block.row, name)
        place = block.at[name] + (self.key + key) * strides.key
        return block.columns.spread(_number(name, block.call[name][place]))


def _number(name: str, value: Value) -> Value:
    """Return a bias, or a mask as 0 or 1."""
    return value if name == "bias" else select(value, constant(1, f32, value.lanes), 0)
