"""Scores of a block of queries and keys: products, capped, masked and biased."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xdsl.dialects import math
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.attention_parts import (
    Form,
    Named,
    Place,
    Spread,
    Values,
    least,
    numbers,
    products,
)
from glow.lowering.memory_to_loops.kernels.microkernel import Columns
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.shuffles import transposed
from glow.lowering.memory_to_loops.kernels.strips import rest_of


@dataclass(frozen=True)
class Scores:
    """Writes the scores of `count` keys from `key` on; `at` says where heads begin."""

    form: Form
    args: Named
    row: Named
    at: Named
    key: SSAValue
    count: SSAValue

    def spread(self, b: Body, name: str, place: Place, upto: SSAValue) -> None:
        """Transpose what a mask (as 0 and 1) or bias says of each query."""
        row, source, form = self.row, self.args[name], self.form
        start, step = row["masks" if name == "mask" else "biases"], row[f"{name}_key"]
        own, size = form.mask if name == "mask" else form.bias, form.square
        rest = rest_of(b, self.count, size) if own is Spread.LINES else self.count
        whole = b.difference(self.count, rest)

        def some(b: Body, c: SSAValue) -> None:
            first = b.product(self.key, step)
            lines = [b.sum(place.of(b, name, b.sum(c, i)), first) for i in range(size)]
            to = b.sum(start, c)

            def line(b: Body, t: SSAValue) -> SSAValue:
                return b.sum(to, b.product(t, row["query_block"]))

            def square(b: Body, t: SSAValue) -> None:
                found = [
                    b.load_vector(source, b.sum(at, t), lanes=size) for at in lines
                ]
                found = [self._number(b, name, value, size) for value in found]
                for i, column in enumerate(transposed(b, found, 32)):
                    b.store_vector(column, self.args["scratch"], line(b, b.sum(t, i)))

            def one(b: Body, t: SSAValue) -> None:
                for i, at in enumerate(lines):
                    value = b.load(source, b.sum(at, b.product(t, step)))
                    value = self._number(b, name, value)
                    b.store(value, self.args["scratch"], b.sum(line(b, t), i))

            if own is Spread.LINES:
                b.each(0, whole, square, step=size, name="t")
            b.each(whole, self.count, one, name="t")

        b.each(0, upto, some, step=size, name="c")

    @staticmethod
    def _number(b: Body, name: str, value: SSAValue, lanes: int = 0) -> SSAValue:
        """Return a bias, or a mask as 0 or 1."""
        n = numbers(b, lanes)
        return value if name == "bias" else n.select(value, n.const(1), n.const(0))

    def tiles(self, b: Body, c: SSAValue) -> tuple[Values, Values]:
        """
        Store the scores of a panel of queries, the first one being `c`.

        Return the largest of each query, and its best shift if there are any.
        """
        row, tile = self.row, self.form.scores
        n, columns = numbers(b, tile.lanes), Columns(tile)
        parts = 2 if self.form.is_shifted else 1
        lowest = [n.const(-inf)] * tile.vectors * parts
        final = b.sum(self.count, -1)
        # The last tile has the last key in all rows that are left over.

        def one(b: Body, t: SSAValue, carried: Values) -> Values:
            peaks, best = carried[: tile.vectors], carried[tile.vectors :]
            keys = [least(b, b.sum(t, i), final) for i in range(tile.rows)]
            rows = [
                b.sum(self.at["key"], b.product(b.sum(self.key, key), row["key_step"]))
                for key in keys
            ]
            zeros = [numbers(b, tile.lanes).const(0)] * (tile.rows * tile.vectors)
            left = (self.args["key"], rows, b.const(1))
            first = b.sum(row["queries"], c)
            right = (self.args["scratch"], first, row["query_block"])
            found = products(b, columns, left, right, row["elements"], zeros)
            n = numbers(b, tile.lanes)
            for i, key in enumerate(keys):
                line = found[i * tile.vectors : (i + 1) * tile.vectors]
                line, shifts = self._seen(b, line, key, c)
                peaks = [n.greater(x, y) for x, y in zip(peaks, line, strict=True)]
                best = [n.greater(x, y) for x, y in zip(best, shifts, strict=True)]
                to = b.product(b.sum(t, i), row["query_block"])
                place = b.sum(b.sum(row["scores"], to), c)
                columns.store(b, line, self.args["scratch"], place)
            return [*peaks, *best]

        done = b.loop(0, self.count, tile.rows, lowest, one, name="t", nonempty=True)
        return done[: tile.vectors], done[tile.vectors :]

    def _seen(
        self, b: Body, scores: Values, key: SSAValue, c: SSAValue
    ) -> tuple[Values, Values]:
        """Return what queries from `c` on make of a key, and how they are shifted."""
        form, tile = self.form, self.form.scores
        n = numbers(b, tile.lanes)
        if form.softcap:
            cap = n.const(form.softcap)
            scores = [n.mul(cap, n.function(math.TanhOp, x)) for x in scores]
        if not form.is_shifted:
            return scores, []
        shifts = [n.const(0)] * tile.vectors
        if form.bias is not None:
            shifts = self._given(b, n, "bias", form.bias, key, c)
        if form.mask is not None:
            given = self._given(b, n, "mask", form.mask, key, c)
            kept = [n.compare("gt", x, n.const(0)) for x in given]
            if form.masked_score == -inf:
                shifts = self._where(n, kept, shifts, -inf)
            else:
                scores = self._where(n, kept, scores, form.masked_score)
        if form.is_windowed:
            place = numbers(b).of_index(b.sum(self.key, key))
            place = b.splat(place, tile.lanes)
            for name, test in (("first", "ge"), ("last", "lt")):
                limits = self._columns(b, b.sum(self.row[name], c))
                kept = [n.compare(test, place, limit) for limit in limits]
                shifts = self._where(n, kept, shifts, -inf)
        hidden = [n.compare("eq", x, n.const(-inf)) for x in shifts]
        moved = [n.add(x, y) for x, y in zip(scores, shifts, strict=True)]
        triples = zip(hidden, moved, strict=True)
        return [n.select(h, n.const(-inf), x) for h, x in triples], shifts

    @staticmethod
    def _where(n: Numbers, kept: Values, values: Values, otherwise: float) -> Values:
        pairs = zip(kept, values, strict=True)
        return [n.select(k, x, n.const(otherwise)) for k, x in pairs]

    def _given(
        self,
        b: Body,
        n: Numbers,
        name: str,
        spread: Spread,
        key: SSAValue,
        c: SSAValue,
    ) -> Values:
        """Return what a mask or bias has for a key, for each query."""
        row, tile = self.row, self.form.scores
        if spread is not Spread.KEYS:
            start = row["masks" if name == "mask" else "biases"]
            line = b.sum(start, b.product(key, row["query_block"]))
            return self._columns(b, b.sum(line, c))
        place = b.product(b.sum(self.key, key), row[f"{name}_key"])
        value = b.load(self.args[name], b.sum(self.at[name], place))
        return [b.splat(self._number(b, name, value), n.lanes)] * tile.vectors

    def _columns(self, b: Body, at: SSAValue) -> Values:
        return Columns(self.form.scores).load(b, self.args["scratch"], at)
