"""The shared parts of attention kernels: form, row, places of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic

from glow.codegen.functions import fma, minimum
from glow.codegen.loops import Level, N, Var, loop
from glow.codegen.memory import Memory, Strip
from glow.codegen.values import Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Call
from glow.lowering.memory_to_loops.kernels.microkernel import Tile

TENSORS: tuple[str, ...] = ("query", "key", "value", "result")
MOVED: tuple[str, ...] = (*TENSORS, "mask", "bias", "lengths", "start")
"""The offsets that loops over blocks of queries advance; `start` is the first query."""


class Spread(Enum):
    """How a mask or bias varies over the scores of a block."""

    KEYS = "keys"
    """From key to key alone."""
    LINES = "lines"
    """From query to query, and from key to key, which are neighbors."""
    ANY = "any"
    """From query to query, and from key to key in any way."""

    def __repr__(self) -> str:
        return self.value


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
        """Whether a query may not see a key, or see it otherwise than others."""
        has_operand = self.mask is not None or self.bias is not None
        return has_operand or self.is_windowed


@dataclass(frozen=True)
class Strides(Generic[N]):
    """How far an operand moves from head to head, query to query and key to key."""

    head: N
    query: N
    key: N


@dataclass(frozen=True)
class Room(Generic[N]):
    """Where parts of the scratch begin, as `room_of` says."""

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

    `columns` are the queries of a head of keys, or of queries, `length` those of one
    head that are next to each other; `sum_step` is from query to query in the sums.
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
    call: Call
    row: AttentionRow[Value]
    at: Mapping[str, Value]

    @property
    def scratch(self) -> Memory:
        return self.call["scratch"]

    @property
    def columns(self) -> Strip:
        """The queries that are handled together."""
        return self.form.scores.row

    def split(self, column: Value) -> tuple[Value, Value]:
        """Return the head and the number of a query; those beyond the last are that."""
        query = minimum(self.at["start"] + column, self.row.columns - 1)
        if not self.form.joins_heads:
            return index(0), query
        head = query // self.row.length
        return head, query - head * self.row.length

    def of(self, name: str, column: Value) -> Value:
        """Return where what operand `name` has of a query begins."""
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


def products(
    left: tuple[Memory, Sequence[Value], Value],
    right: tuple[Memory, Value, Value],
    strip: Strip,
    run: Value,
    sums: Sequence[Value],
) -> list[Value]:
    """
    Return `sums` with `run` products of rows and columns added, one per row.

    `left` is a buffer, where each row begins, and the step from element to element;
    `right` a buffer, where the first row of the panel begins, and the step to the next.
    """
    (buffer, rows, step), (other, start, pitch) = left, right
    k, line, totals = Var(index(0)), Var(start), [Var(x) for x in sums]
    for _ in loop(0, run, k, line, *totals, name="k", nonempty=True):
        columns = other.load(line.value, strip)
        for row, total in zip(rows, totals, strict=True):
            total.value = fma(buffer[row + k.value], columns, total.value)
        k.value += step
        line.value += pitch
    return [total.value for total in totals]
