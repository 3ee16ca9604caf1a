"""Attention of single queries to all keys, or as many as a run says."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, vector
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.exponential import exponential
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, lowest
from glow.lowering.memory_to_loops.kernels.strips import Fold, Piece, Strips

Values = list[SSAValue]
_ADD = vector.CombiningKindFlag.ADD


@dataclass(frozen=True)
class DecodeAttention(Kernel):
    """
    Scores of the valid keys, their softmax, and the mean of values that it weighs.

    Elements of a head are neighbours. Row: loops over batches, heads of keys, queries
    of one and positions (extent; strides of query, keys, values, result, lengths, and
    positions), keys, how many of them the first query sees, or of the last ones does
    not, strides from key to key and value to value, elements of a key and of a value.
    """

    element: Attribute
    integer: Attribute | None
    """The type of the valid lengths, if there are any."""
    scale: float
    strips: Strips

    @property
    def prefix(self) -> str:
        return "decode_attention"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        buffers = [(name, memory) for name in ("q", "k", "v", "y")]
        if self.integer is not None:
            buffers.append(("lengths", flat(self.integer)))
        buffers.append(("s", memory))
        op, b, args = function(self.symbol, [*buffers, ("rows", TABLE), ("at", INDEX)])
        row = Row(b, args)
        levels, total = row.levels(4, 6), row.next("keys")
        reach = row.next("reach")
        steps, widths = row.take(2, "stride"), row.take(2, "width")

        def query(b: Body, at: Values) -> None:
            count = self._count(b, args, at, total, reach)
            peak = self._scores(b, args, at, count, steps[0], widths[0])
            divisor = self._weights(b, args["s"], count, peak)
            self._mean(b, args, at, count, steps[1], widths[1], divisor)

        nest(b, levels, 6, query)
        b.do(func.ReturnOp())
        return op

    def _numbers(self, b: Body, lanes: int = 0) -> Numbers:
        return Numbers(b, self.element, lanes)

    def _count(
        self,
        b: Body,
        args: dict[str, SSAValue],
        at: Values,
        total: SSAValue,
        reach: SSAValue,
    ) -> SSAValue:
        """Return how many keys a query sees: none if negative, at most all."""
        n, seen = Numbers(b, INDEX), b.sum(at[5], reach)
        if self.integer is not None:
            length = b.load(args["lengths"], at[4])
            cast = arith.IndexCastOp.create(operands=[length], result_types=[INDEX])
            valid = b.add(cast)
            seen = n.minimum(b.sum(valid, seen), valid)
        return n.maximum(n.minimum(seen, total), b.const(0))

    def _scores(
        self,
        b: Body,
        args: dict[str, SSAValue],
        at: Values,
        count: SSAValue,
        step: SSAValue,
        width: SSAValue,
    ) -> SSAValue:
        """Store the scores of the keys; return the largest."""

        def key(b: Body, t: SSAValue, carried: Values) -> Values:
            place = b.sum(at[1], b.product(t, step))

            def fold(b: Body, i: SSAValue, piece: Piece, sums: Values) -> Values:
                n = self._numbers(b, piece.lanes)
                queries = piece.load(b, args["q"], b.sum(at[0], i))
                keys = piece.load(b, args["k"], b.sum(place, i))
                return [n.fma(*t) for t in zip(queries, keys, sums, strict=True)]

            n, score = self._numbers(b), self._sum(b, width, fold)
            score = n.mul(score, n.const(self.scale))
            b.store(score, args["s"], t)
            return [n.greater(carried[0], score)]

        least = self._numbers(b).const(lowest(self.element))
        return b.loop(0, count, 1, [least], key)[0]

    def _sum(self, b: Body, extent: SSAValue, step: Fold) -> SSAValue:
        zeros = [self._numbers(b, lanes).const(0) for lanes in self.strips.carried]
        return self.strips.joined(
            b,
            self.strips.fold(b, extent, zeros, step),
            lambda b, x, y, lanes: self._numbers(b, lanes).add(x, y),
            lambda b, value: self._numbers(b).across(_ADD, value),
        )

    def _weights(
        self, b: Body, scores: SSAValue, count: SSAValue, peak: SSAValue
    ) -> SSAValue:
        """Put exponentials in the place of scores; return what to multiply by."""
        peaks = {n: Piece(n).spread(b, peak) for n in {0, self.strips.lanes}}

        def fold(b: Body, i: SSAValue, piece: Piece, sums: Values) -> Values:
            n = self._numbers(b, piece.lanes)
            values = piece.load(b, scores, i, lowest(self.element))
            powers = [exponential(n, n.sub(v, peaks[piece.lanes])) for v in values]
            piece.store(b, powers, scores, i)
            powers = [piece.cleared(b, power) for power in powers]
            return [n.add(*pair) for pair in zip(sums, powers, strict=True)]

        n, total = self._numbers(b), self._sum(b, count, fold)
        # An infinite or undefined maximum makes it NaN.
        factor = n.div(n.const(1), n.add(total, n.sub(peak, peak)))
        is_blind = Numbers(b, INDEX).compare("eq", count, b.const(0))
        return n.select(is_blind, n.const(0), factor)

    def _mean(
        self,
        b: Body,
        args: dict[str, SSAValue],
        at: Values,
        count: SSAValue,
        step: SSAValue,
        width: SSAValue,
        divisor: SSAValue,
    ) -> None:
        def strip(b: Body, i: SSAValue, piece: Piece) -> None:
            start = b.sum(at[2], i)

            def add(b: Body, t: SSAValue, sums: Values) -> Values:
                n = self._numbers(b, piece.lanes)
                weight = piece.spread(b, b.load(args["s"], t))
                values = piece.load(b, args["v"], b.sum(start, b.product(t, step)))
                pairs = zip(values, sums, strict=True)
                return [n.fma(weight, value, total) for value, total in pairs]

            n = self._numbers(b, piece.lanes)
            sums = b.loop(0, count, 1, [n.const(0)] * piece.count, add)
            factor = piece.spread(b, divisor)
            found = [n.mul(total, factor) for total in sums]
            piece.store(b, found, args["y"], b.sum(at[3], i))

        self.strips.each(b, width, strip)
