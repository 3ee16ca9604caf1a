"""What the parts of an attention kernel share: its form, columns and vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.microkernel import Columns, Tile
from glow.lowering.memory_to_loops.kernels.numbers import Numbers

Named = dict[str, SSAValue]
Values = list[SSAValue]


class Spread(Enum):
    """How a mask or bias varies over the scores of a block."""

    KEYS = "keys"
    """From key to key alone."""
    LINES = "lines"
    """From query to query, and from key to key, which are neighbours."""
    ANY = "any"
    """From query to query, and from key to key in any way."""

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Form:
    """
    What the code of an attention kernel depends on.

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


def products(
    b: Body,
    panel: Columns,
    left: tuple[SSAValue, Values, SSAValue | int],
    right: tuple[SSAValue, SSAValue, SSAValue],
    run: SSAValue,
    sums: Values,
) -> Values:
    """
    Add `run` products of rows and columns to `sums`, row after row.

    `left` is a buffer, where each row begins, and the step from element to element;
    `right` a buffer, where the first row of the panel begins, and the step to the next.
    """
    (buffer, rows, step), (other, start, pitch) = left, right

    def one(b: Body, _: SSAValue, carried: Values) -> Values:
        k, line, *acc = carried
        columns = panel.load(b, other, line)
        for i, row in enumerate(rows):
            x = b.splat(b.load(buffer, b.sum(row, k)), panel.tile.lanes)
            for j, y in enumerate(columns):
                n = i * panel.tile.vectors + j
                acc[n] = b.fma(x, y, acc[n])
        return [b.sum(k, step), b.sum(line, pitch), *acc]

    first = [b.const(0), start, *sums]
    _, _, *done = b.loop(0, run, 1, first, one, name="k", nonempty=True)
    return done


def each_vector(
    b: Body,
    count: SSAValue,
    tile: Tile,
    body: Callable[[Body, SSAValue], None],
) -> None:
    """Append a loop over `count` columns, as many at a time as a tile has."""
    b.each(0, count, body, step=tile.columns, name="c")


def vectors(b: Body, tile: Tile, base: SSAValue, at: SSAValue) -> Values:
    """Load a row of `tile`."""
    return Columns(tile).load(b, base, at)


def numbers(b: Body, lanes: int = 0) -> Numbers:
    return Numbers(b, f32, lanes)


def divided(b: Body, x: SSAValue, y: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Return quotient and remainder of indices that are not negative."""
    quotient = b.binary(arith.DivUIOp, x, y)
    return quotient, b.difference(x, b.product(quotient, y))


def least(b: Body, x: SSAValue, y: SSAValue) -> SSAValue:
    """Return the smaller one of two indices."""
    return Numbers(b, INDEX).minimum(x, y)


def most(b: Body, x: SSAValue, y: SSAValue) -> SSAValue:
    """Return the larger one of two indices."""
    return Numbers(b, INDEX).maximum(x, y)


@dataclass(frozen=True)
class Place:
    """Where the queries of a block and what goes with them lie."""

    form: Form
    row: Named
    at: Named
    start: SSAValue

    def split(self, b: Body, column: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return the head and the number of a query; those behind the last are that."""
        last = b.sum(self.row["columns"], -1)
        query = least(b, b.sum(self.start, column), last)
        if not self.form.joins_heads:
            return b.const(0), query
        return divided(b, query, self.row["length"])

    def of(self, b: Body, name: str, column: SSAValue) -> SSAValue:
        """Return where what operand `name` has of a query begins."""
        head, step = self.split(b, column)
        found = b.sum(self.at[name], b.product(step, self.row[f"{name}_step"]))
        if not self.form.joins_heads:
            return found
        return b.sum(found, b.product(head, self.row[f"{name}_head"]))
