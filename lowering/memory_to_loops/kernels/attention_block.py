"""One block of queries of an attention: loops over the keys that any of them sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.attention_parts import (
    Form,
    Named,
    Place,
    Spread,
    Values,
    each_vector,
    least,
    most,
    numbers,
    products,
    vectors,
)
from glow.lowering.memory_to_loops.kernels.attention_scores import Scores
from glow.lowering.memory_to_loops.kernels.exponential import exponential
from glow.lowering.memory_to_loops.kernels.microkernel import Columns, Tile
from glow.lowering.memory_to_loops.kernels.shuffles import transposed
from glow.lowering.memory_to_loops.kernels.strips import rest_of

_ZEROED = 16
"""The elements that are zeroed at a time."""


@dataclass(frozen=True)
class Block:
    """
    Writes what an attention does with operands `args`; `row` has its integers.

    `start`, `valid` and `upto` say which queries a block has: its first one, how many
    there are, and how many columns, the last query in all that are left over.
    """

    form: Form
    args: Named
    row: Named

    def head(self, b: Body, at: Named) -> None:
        """Append the blocks of the queries that share a head of keys."""
        count, position = self._keys(b, at)

        def block(b: Body, start: SSAValue) -> None:
            left = b.difference(self.row["columns"], start)
            valid = least(b, left, self.row["query_block"])
            width = self.form.scores.columns
            more = b.sum(valid, width - 1)
            upto = b.difference(more, rest_of(b, more, width))
            place = Place(self.form, self.row, at, start)
            self._pack(b, place, upto)
            self._clear(b, upto)
            first, last = self._limits(b, place, upto, position, count)
            b.each(
                first,
                last,
                lambda b, key: self._meet(b, at, place, (valid, upto), key, last),
                step=self.row["key_block"],
                name="key",
            )
            self._finish(b, place, valid, upto, count)

        b.each(
            0,
            self.row["columns"],
            block,
            step=self.row["query_block"],
            name="block",
            nonempty=True,
        )

    def _keys(self, b: Body, at: Named) -> tuple[SSAValue, SSAValue]:
        """Return how many keys are valid, and at which position the first query is."""
        if "lengths" not in self.args:
            return self.row["total"], b.const(0)
        length = b.load(self.args["lengths"], at["lengths"])
        cast = arith.IndexCastOp.create(operands=[length], result_types=[INDEX])
        given = b.add(cast)
        count = most(b, least(b, given, self.row["total"]), b.const(0))
        return count, b.difference(given, self.row["length"])

    def _pack(self, b: Body, place: Place, upto: SSAValue) -> None:
        """Transpose the queries, times the scale, squares of registers at a time."""
        row, args, lanes = self.row, self.args, self.form.square
        factor = self.form.scale / (self.form.softcap or 1)
        whole = b.difference(row["elements"], rest_of(b, row["elements"], lanes))

        def some(b: Body, c: SSAValue) -> None:
            starts = [place.of(b, "query", b.sum(c, i)) for i in range(lanes)]
            first = b.sum(row["queries"], c)

            def square(b: Body, e: SSAValue) -> None:
                lines = [
                    b.load_vector(args["query"], b.sum(at, e), lanes=lanes)
                    for at in starts
                ]
                n = numbers(b, lanes)
                for i, column in enumerate(transposed(b, lines, 32)):
                    to = b.product(b.sum(e, i), row["query_block"])
                    scaled = n.mul(column, n.const(factor))
                    b.store_vector(scaled, args["scratch"], b.sum(first, to))

            def element(b: Body, e: SSAValue) -> None:
                n, to = numbers(b), b.sum(first, b.product(e, row["query_block"]))
                for i, at in enumerate(starts):
                    found = n.mul(b.load(args["query"], b.sum(at, e)), n.const(factor))
                    b.store(found, args["scratch"], b.sum(to, i))

            b.each(0, whole, square, step=lanes, name="e")
            b.each(whole, row["elements"], element, name="e")

        b.each(0, upto, some, step=lanes, name="c")

    def _clear(self, b: Body, upto: SSAValue) -> None:
        """Begin with no sums and no scores."""
        row, scratch = self.row, self.args["scratch"]
        size = b.product(upto, row["sum_step"])
        zeros = numbers(b, _ZEROED).const(0)
        b.each(
            0,
            size,
            lambda b, i: b.store_vector(zeros, scratch, b.sum(row["sums"], i)),
            step=_ZEROED,
        )
        tile = self.form.scores
        initial = {"peak": -inf, "total_at": 0.0}
        if self.form.is_shifted:
            initial["best"] = -inf

        def fill(b: Body, c: SSAValue) -> None:
            for name, number in initial.items():
                values = [numbers(b, tile.lanes).const(number)] * tile.vectors
                Columns(tile).store(b, values, scratch, b.sum(row[name], c))

        each_vector(b, upto, tile, fill)

    def _limits(
        self,
        b: Body,
        place: Place,
        upto: SSAValue,
        position: SSAValue,
        count: SSAValue,
    ) -> tuple[SSAValue, SSAValue]:
        """Note which keys each query sees; return what of them any does."""
        if not self.form.is_windowed:
            return b.const(0), count
        row, scratch, zero = self.row, self.args["scratch"], b.const(0)

        def query(b: Body, c: SSAValue, carried: Values) -> Values:
            _, step = place.split(b, c)
            own, n = b.sum(position, step), numbers(b)
            first = most(b, b.difference(own, row["left"]), zero)
            last = least(b, b.sum(b.sum(own, row["right"]), 1), count)
            b.store(n.of_index(first), scratch, b.sum(row["first"], c))
            b.store(n.of_index(last), scratch, b.sum(row["last"], c))
            return [least(b, carried[0], first), most(b, carried[1], last)]

        first, last = b.loop(0, upto, 1, [count, zero], query, name="c")
        return first, last

    def _meet(
        self,
        b: Body,
        at: Named,
        place: Place,
        counts: tuple[SSAValue, SSAValue],
        key: SSAValue,
        last: SSAValue,
    ) -> None:
        """Append what the queries do with a block of keys, from `key` on."""
        valid, upto = counts
        row, form = self.row, self.form
        count = least(b, row["key_block"], b.difference(last, key))
        scores = Scores(form, self.args, row, at, key, count)
        for name, spread in (("mask", form.mask), ("bias", form.bias)):
            if spread in (Spread.LINES, Spread.ANY):
                scores.spread(b, name, place, upto)

        def columns(b: Body, c: SSAValue) -> None:
            self._soften(b, c, count, *scores.tiles(b, c))

        each_vector(b, upto, form.scores, columns)
        start = b.sum(at["value"], b.product(key, row["value_step"]))
        self._panels(
            b, lambda b, v, panel: self._add(b, panel, valid, b.sum(start, v), v, count)
        )

    def _soften(
        self, b: Body, c: SSAValue, count: SSAValue, peaks: Values, best: Values
    ) -> None:
        """Put exponentials in the place of scores; add them up."""
        row, scratch, tile = self.row, self.args["scratch"], self.form.scores
        n, columns = numbers(b, tile.lanes), Columns(tile)

        def kept(name: str) -> SSAValue:
            return b.sum(row[name], c)

        older = columns.load(b, scratch, kept("peak"))
        peaks = [n.greater(x, y) for x, y in zip(older, peaks, strict=True)]
        # Where all scores are -inf, so are their differences from 0.
        levels = [
            n.select(n.compare("eq", peak, n.const(-inf)), n.const(0), peak)
            for peak in peaks
        ]
        shrinkage = [
            exponential(n, n.sub(x, level))
            for x, level in zip(older, levels, strict=True)
        ]
        totals = columns.load(b, scratch, kept("total_at"))
        totals = [n.mul(x, y) for x, y in zip(totals, shrinkage, strict=True)]

        def one(b: Body, t: SSAValue, totals: Values) -> Values:
            n = numbers(b, tile.lanes)
            place = b.sum(b.sum(row["scores"], b.product(t, row["query_block"])), c)
            powers = [
                exponential(n, n.sub(score, level))
                for score, level in zip(
                    columns.load(b, scratch, place), levels, strict=True
                )
            ]
            columns.store(b, powers, scratch, place)
            return [n.add(x, y) for x, y in zip(totals, powers, strict=True)]

        totals = b.loop(0, count, 1, totals, one, name="t", nonempty=True)
        columns.store(b, peaks, scratch, kept("peak"))
        columns.store(b, totals, scratch, kept("total_at"))
        columns.store(b, shrinkage, scratch, kept("shrinkage"))
        if self.form.is_shifted:
            older = columns.load(b, scratch, kept("best"))
            best = [n.greater(x, y) for x, y in zip(older, best, strict=True)]
            columns.store(b, best, scratch, kept("best"))

    def _panels(self, b: Body, body: Callable[[Body, SSAValue, Columns], None]) -> None:
        """Append loops over the elements of values, `body(b, first, panel)`."""
        width, tile, tail = self.row["width"], self.form.values, self.form.tail
        rest = b.binary(arith.RemUIOp, width, b.const(tile.columns))
        whole = b.difference(width, rest)
        b.each(
            0,
            whole,
            lambda b, v: body(b, v, Columns(tile)),
            step=tile.columns,
            name="v",
        )
        if tail is not None:
            body(b, whole, Columns.of(b, tail, rest))

    def _add(
        self,
        b: Body,
        panel: Columns,
        valid: SSAValue,
        start: SSAValue,
        v: SSAValue,
        count: SSAValue,
    ) -> None:
        """Add the products of exponentials and a panel of values to the sums."""
        row, scratch, tile = self.row, self.args["scratch"], panel.tile
        plain = Columns(replace(tile, masked=False))

        def some(b: Body, c: SSAValue) -> None:
            n, sums, places = numbers(b, tile.lanes), list[SSAValue](), list[SSAValue]()
            for i in range(tile.rows):
                query = b.sum(c, i)
                place = b.sum(b.product(query, row["sum_step"]), b.sum(row["sums"], v))
                factor = b.load(scratch, b.sum(row["shrinkage"], query))
                factor = b.splat(factor, tile.lanes)
                older = plain.load(b, scratch, place)
                sums += [n.mul(x, factor) for x in older]
                places.append(place)
            first = b.sum(row["scores"], c)
            rows = [b.sum(first, i) for i in range(tile.rows)]
            left = (scratch, rows, row["query_block"])
            right = (self.args["value"], start, row["value_step"])
            found = products(b, panel, left, right, count, sums)
            for i, place in enumerate(places):
                line = found[i * tile.vectors : (i + 1) * tile.vectors]
                plain.store(b, line, scratch, place)

        b.each(0, valid, some, step=tile.rows, name="c", nonempty=True)

    def _finish(
        self, b: Body, place: Place, valid: SSAValue, upto: SSAValue, count: SSAValue
    ) -> None:
        """Divide the sums and store them."""
        row, scratch = self.row, self.args["scratch"]
        self._divisors(b, upto, count)

        def query(b: Body, c: SSAValue) -> None:
            to = place.of(b, "result", c)
            source = b.sum(b.product(c, row["sum_step"]), row["sums"])
            factor = b.load(scratch, b.sum(row["shrinkage"], c))

            def panel(b: Body, v: SSAValue, panel: Columns) -> None:
                tile = panel.tile
                n, wide = numbers(b, tile.lanes), b.splat(factor, tile.lanes)
                is_nothing = n.compare("eq", wide, n.const(0))
                sums = vectors(
                    b, replace(tile, masked=False), scratch, b.sum(source, v)
                )
                found = [n.select(is_nothing, n.const(0), n.mul(x, wide)) for x in sums]
                panel.store(b, found, self.args["result"], b.sum(to, v))

            self._panels(b, panel)

        b.each(0, valid, query, name="c", nonempty=True)

    def _divisors(self, b: Body, upto: SSAValue, count: SSAValue) -> None:
        """Note what to multiply sums by; 0 stands for a result of 0."""
        row, scratch, tile = self.row, self.args["scratch"], self.form.scores

        def columns(b: Body, c: SSAValue) -> None:
            n = numbers(b, tile.lanes)
            peaks, totals = (
                vectors(b, tile, scratch, b.sum(row[name], c))
                for name in ("peak", "total_at")
            )
            if self.form.is_shifted:
                best = vectors(b, tile, scratch, b.sum(row["best"], c))
                blind = [n.compare("eq", x, n.const(-inf)) for x in best]
            else:
                known = b.splat(numbers(b).of_index(count), tile.lanes)
                blind = [n.compare("eq", known, n.const(0))] * tile.vectors
            found = [
                self._divisor(b, tile, *numbers_of)
                for numbers_of in zip(peaks, totals, blind, strict=True)
            ]
            Columns(tile).store(b, found, scratch, b.sum(row["shrinkage"], c))

        each_vector(b, upto, tile, columns)

    def _divisor(
        self, b: Body, tile: Tile, peak: SSAValue, total: SSAValue, is_blind: SSAValue
    ) -> SSAValue:
        n = numbers(b, tile.lanes)
        # An infinite or undefined maximum makes it NaN.
        factor = n.div(n.const(1), n.add(total, n.sub(peak, peak)))
        if self.form.unseen == "zero":
            return n.select(is_blind, n.const(0), factor)
        if self.form.unseen == "nan_to_zero":
            return n.select(n.compare("eq", factor, factor), factor, n.const(0))
        return factor
