"""One block of queries of an attention: loops over the keys that any of them sees."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import f32

from glow.codegen.casts import convert
from glow.codegen.conditions import select
from glow.codegen.functions import exponential, larger, maximum, minimum
from glow.codegen.loops import Var, loop
from glow.codegen.memory import Strip, rest_of
from glow.codegen.shuffles import transposed
from glow.codegen.values import INDEX, Value, constant, index
from glow.lowering.memory_to_loops.kernels.attention_scores import (
    QueryBlock,
    ScoreBlock,
    Spread,
)
from glow.lowering.memory_to_loops.kernels.microkernel import Tile, products

_ZEROED = 16
"""The elements that are zeroed at a time."""


@dataclass(frozen=True)
class Block(QueryBlock):
    """
    Writes what an attention does with a block of queries.

    In its methods, `valid` is the number of queries, and `upto` that of columns, of
    which those left over repeat the last query.
    """

    def write(self) -> None:
        """Write the loop over the keys that any of the queries sees."""
        row, width = self.row, self.form.scores.columns
        count, position = self._keys()
        valid = minimum(row.columns - self.at["start"], row.query_block)
        more = valid + (width - 1)
        upto = more - rest_of(more, width)
        self._pack(upto)
        self._clear(upto)
        first, last = self._limits(upto, position, count)
        for key in loop(first, last, step=row.key_block, name="key"):
            self._meet(key, minimum(row.key_block, last - key), valid, upto)
        self._finish(valid, upto, count)

    def _keys(self) -> tuple[Value, Value]:
        """Return how many keys are valid, and at which position the first query is."""
        if "lengths" not in self.call.operands:
            return self.row.total, index(0)
        given = convert(self.call["lengths"][self.at["lengths"]], INDEX)
        count = maximum(minimum(given, self.row.total), 0)
        return count, given - self.row.length

    def _pack(self, upto: Value) -> None:
        """Transpose the queries, times the scale, squares of registers at a time."""
        row, query, size = self.row, self.call["query"], self.form.square
        factor = self.form.scale / (self.form.softcap or 1)
        whole = row.elements - rest_of(row.elements, size)
        for c in loop(0, upto, step=size, name="c"):
            starts = [self.of("query", c + i) for i in range(size)]
            first = row.room.queries + c
            for e in loop(0, whole, step=size, name="e"):
                square = [query.load(at + e, Strip(size)) for at in starts]
                for i, column in enumerate(transposed(square)):
                    self.scratch[first + (e + i) * row.query_block] = column * factor
            for e in loop(whole, row.elements, name="e"):
                to = first + e * row.query_block
                for i, at in enumerate(starts):
                    self.scratch[to + i] = query[at + e] * factor

    def _clear(self, upto: Value) -> None:
        """Begin with no sums and no scores."""
        zeros = constant(0, f32, _ZEROED)
        for i in loop(0, upto * self.row.sum_step, step=_ZEROED):
            self.scratch[self.row.room.sums + i] = zeros
        initial = {"peak": -inf, "total": 0.0}
        if self.form.is_shifted:
            initial["best"] = -inf
        for c in self._panels_of_queries(upto):
            for part, number in initial.items():
                self.keep(part, c, self.columns.constant(number, f32))

    def _panels_of_queries(self, upto: Value) -> Generator[Value]:
        return loop(0, upto, step=self.form.scores.columns, name="c")

    def _limits(
        self, upto: Value, position: Value, count: Value
    ) -> tuple[Value, Value]:
        """Note the range of keys that each query sees; return that of all queries."""
        if not self.form.is_windowed:
            return index(0), count
        row, first, last = self.row, Var(count), Var(index(0))
        for c in loop(0, upto, first, last, name="c"):
            own = position + self.split(c)[1]
            begin = maximum(own - row.left, 0)
            end = minimum(own + row.right + 1, count)
            self.keep("first", c, convert(begin, f32))
            self.keep("last", c, convert(end, f32))
            first.value = minimum(first.value, begin)
            last.value = maximum(last.value, end)
        return first.value, last.value

    def _meet(self, key: Value, count: Value, valid: Value, upto: Value) -> None:
        """Write what the queries do with `count` keys, from `key` on."""
        scores = ScoreBlock(self, key, count)
        if scores.is_widened:
            scores.widen()
        for name in ("mask", "bias"):
            if getattr(self.form, name) in (Spread.LINES, Spread.ANY):
                scores.spread(name, upto)
        for c in self._panels_of_queries(upto):
            self._soften(c, count, *scores.tiles(c))
        start = self.at["value"] + key * self.row.value_step
        for v, tile, strip in self._panels_of_values():
            self._add(v, tile, strip, start + v, valid, count)

    def _soften(self, c: Value, count: Value, peaks: Value, best: Value) -> None:
        """Replace scores by their exponentials, and add these up."""
        older = self.load("peak", c)
        peaks = larger(older, peaks)
        # Where all scores are -inf, so are their differences from 0.
        level = select(peaks == -inf, 0, peaks)
        shrinkage = exponential(older - level)
        total = Var(self.load("total", c) * shrinkage)
        for t in loop(0, count, total, name="t", nonempty=True):
            place = t * self.row.query_block + c
            power = exponential(self.load("scores", place) - level)
            self.keep("scores", place, power)
            total.value += power
        self.keep("peak", c, peaks)
        self.keep("total", c, total.value)
        self.keep("shrinkage", c, shrinkage)
        if self.form.is_shifted:
            self.keep("best", c, larger(self.load("best", c), best))

    def _panels_of_values(self) -> Generator[tuple[Value, Tile, Strip]]:
        """Write loops over the elements of values: the first one, its tile, a row."""
        width, tile, tail = self.row.width, self.form.values, self.form.tail
        rest = width % tile.columns
        for v in loop(0, width - rest, step=tile.columns, name="v"):
            yield v, tile, tile.row
        if tail is not None:
            yield width - rest, tail, tail.row_of(rest)

    def _add(
        self, v: Value, tile: Tile, strip: Strip, start: Value, valid: Value, run: Value
    ) -> None:
        """Add the products of exponentials and a panel of values to the sums."""
        row, scratch = self.row, self.scratch
        for c in loop(0, valid, step=tile.rows, name="c", nonempty=True):
            queries = [c + i for i in range(tile.rows)]
            places = [q * row.sum_step + (row.room.sums + v) for q in queries]
            sums = [
                scratch.load(place, tile.row) * scratch[row.room.shrinkage + query]
                for place, query in zip(places, queries, strict=True)
            ]
            first = row.room.scores + c
            rows = [first + i for i in range(tile.rows)]
            left = scratch, rows, row.query_block
            right = self.call["value"], start, row.value_step
            lines = products(left, right, strip, run, sums)
            for place, line in zip(places, lines, strict=True):
                scratch[place] = line

    def _finish(self, valid: Value, upto: Value, count: Value) -> None:
        """Divide the sums and store them."""
        row, scratch = self.row, self.scratch
        self._divide(upto, count)
        for c in loop(0, valid, name="c", nonempty=True):
            to, source = self.of("result", c), c * row.sum_step + row.room.sums
            factor = scratch[row.room.shrinkage + c]
            for v, tile, strip in self._panels_of_values():
                wide = tile.row.spread(factor)
                sums = scratch.load(source + v, tile.row)
                means = select(wide == 0, 0, sums * wide)
                self.call["result"].store(means, to + v, strip)

    def _divide(self, upto: Value, count: Value) -> None:
        """Note the factor of the sums of each query; 0 stands for a result of 0."""
        for c in self._panels_of_queries(upto):
            peaks, totals = self.load("peak", c), self.load("total", c)
            # An infinite or undefined maximum makes it NaN.
            factor = 1 / (totals + (peaks - peaks))
            if self.form.unseen == "zero":
                if self.form.is_shifted:
                    is_blind = self.load("best", c) == -inf
                else:
                    is_blind = self.columns.spread(count == 0)
                factor = select(is_blind, 0, factor)
            elif self.form.unseen == "nan_to_zero":
                factor = select(factor == factor, factor, 0)
            self.keep("shrinkage", c, factor)
