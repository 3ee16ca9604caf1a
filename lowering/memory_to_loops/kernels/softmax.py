"""Softmax and its logarithm: the maximum, the sum of exponentials, the quotient."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, math, vector
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.exponential import exponential
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, lowest
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.lowering.memory_to_loops.kernels.windows import fold

Values = list[SSAValue]


@dataclass(frozen=True)
class _Softmax(Kernel):
    """
    What both kernels have: `outer` loops, and whether the logarithm is wanted.

    Row: outer loops, then the axis (extent, strides of input and result).
    """

    element: Attribute
    outer: int
    log: bool
    strips: Strips

    def _function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        return function(self.symbol, arguments)

    def _numbers(self, b: Body, lanes: int) -> Numbers:
        return Numbers(b, self.element, lanes)

    def _divisor(self, n: Numbers, total: SSAValue, peak: SSAValue) -> SSAValue:
        """
        Return what `_quotient` takes: a factor, or a difference.

        An infinite or undefined maximum makes it NaN, as ONNX Runtime has it.
        """
        total = n.add(total, n.sub(peak, peak))
        if self.log:
            return n.function(math.LogOp, total)
        return n.div(n.const(1), total)

    def _quotient(
        self, n: Numbers, value: SSAValue, peak: SSAValue, divisor: SSAValue
    ) -> SSAValue:
        """Return the result for an exponential, or for the logarithm of an element."""
        if self.log:
            return n.sub(n.sub(value, peak), divisor)
        return n.mul(value, divisor)


@dataclass(frozen=True)
class SoftmaxRows(_Softmax):
    """Softmax along an axis; on vectors, it has unit stride."""

    @property
    def prefix(self) -> str:
        return "log_softmax" if self.log else "softmax"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, (axis,) = row.levels(self.outer, 2), row.levels(1, 2)
        nest(b, levels, 2, lambda b, offsets: self._line(b, args, offsets, axis))
        b.do(func.ReturnOp())
        return op

    def _line(
        self, b: Body, args: dict[str, SSAValue], offsets: Values, axis: Level
    ) -> None:
        peak = self._peak(b, args["x"], offsets, axis)
        peaks = {n: Piece(n).spread(b, peak) for n in {0, self.strips.lanes}}
        total = self._total(b, args, offsets, axis, peaks)
        divisor = self._divisor(self._numbers(b, 0), total, peak)
        divisors = {n: Piece(n).spread(b, divisor) for n in peaks}
        source, extent = "x" if self.log else "y", axis[0]

        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            lanes, places = piece.lanes, self._places(b, offsets, axis, i)
            n = self._numbers(b, lanes)
            values = piece.load(b, args[source], places[0 if self.log else 1])
            found = [
                self._quotient(n, value, peaks[lanes], divisors[lanes])
                for value in values
            ]
            piece.store(b, found, args["y"], places[1])

        self.strips.each(b, extent, step)

    def _places(
        self, b: Body, offsets: Values, axis: Level, i: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        moves = [i, i]
        if not self.strips.lanes:
            moves = [b.product(i, stride) for stride in axis[1]]
        return b.sum(offsets[0], moves[0]), b.sum(offsets[1], moves[1])

    def _peak(self, b: Body, base: SSAValue, offsets: Values, axis: Level) -> SSAValue:
        def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
            at, _ = self._places(b, offsets, axis, i)
            values = piece.load(b, base, at, lowest(self.element))
            return self._greater(b, carried, values, piece.lanes)

        initial = [
            self._numbers(b, lanes).const(lowest(self.element))
            for lanes in self.strips.carried
        ]
        return self.strips.joined(
            b,
            self.strips.fold(b, axis[0], initial, step),
            lambda b, x, y, lanes: self._numbers(b, lanes).greater(x, y),
            lambda b, v: self._numbers(b, 0).across(
                vector.CombiningKindFlag.MAXNUMF, v
            ),
        )

    def _greater(self, b: Body, x: Values, y: Values, lanes: int) -> Values:
        n = self._numbers(b, lanes)
        return [n.greater(*pair) for pair in zip(x, y, strict=True)]

    def _total(
        self,
        b: Body,
        args: dict[str, SSAValue],
        offsets: Values,
        axis: Level,
        peaks: dict[int, SSAValue],
    ) -> SSAValue:
        """Sum the exponentials, and store them where they are wanted."""

        def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
            source, result = self._places(b, offsets, axis, i)
            n = self._numbers(b, piece.lanes)
            values = piece.load(b, args["x"], source, lowest(self.element))
            powers = [exponential(n, n.sub(v, peaks[piece.lanes])) for v in values]
            if not self.log:
                piece.store(b, powers, args["y"], result)
            return [n.add(*pair) for pair in zip(carried, powers, strict=True)]

        initial = [self._numbers(b, lanes).const(0) for lanes in self.strips.carried]
        return self.strips.joined(
            b,
            self.strips.fold(b, axis[0], initial, step),
            lambda b, x, y, lanes: self._numbers(b, lanes).add(x, y),
            lambda b, v: self._numbers(b, 0).across(vector.CombiningKindFlag.ADD, v),
        )


@dataclass(frozen=True)
class SoftmaxColumns(_Softmax):
    """
    Softmax along an axis that is not the fastest: lanes are neighbouring softmaxes.

    Row: the extent of the fastest axis, of unit stride, comes last.
    """

    @property
    def prefix(self) -> str:
        return "log_softmax_columns" if self.log else "softmax_columns"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, (axis,) = row.levels(self.outer, 2), row.levels(1, 2)
        extent = row.next("width")

        def plane(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                starts = [b.sum(offset, i) for offset in offsets]
                self._columns(b, args, starts, axis, piece)

            self.strips.each(b, extent, step)

        nest(b, levels, 2, plane)
        b.do(func.ReturnOp())
        return op

    def _columns(
        self,
        b: Body,
        args: dict[str, SSAValue],
        starts: Values,
        axis: Level,
        piece: Piece,
    ) -> None:
        n = self._numbers(b, piece.lanes)

        def greatest(b: Body, at: Values, carried: Values) -> Values:
            n, values = self._numbers(b, piece.lanes), piece.load(b, args["x"], at[0])
            return [n.greater(*pair) for pair in zip(carried, values, strict=True)]

        initial = [n.const(lowest(self.element))] * piece.count
        peaks = fold(b, [axis], starts, initial, greatest)

        def add(b: Body, at: Values, carried: Values) -> Values:
            n, values = self._numbers(b, piece.lanes), piece.load(b, args["x"], at[0])
            shifted = [n.sub(*pair) for pair in zip(values, peaks, strict=True)]
            powers = [exponential(n, value) for value in shifted]
            if not self.log:
                piece.store(b, powers, args["y"], at[1])
            return [n.add(*pair) for pair in zip(carried, powers, strict=True)]

        totals = fold(b, [axis], starts, [n.const(0)] * piece.count, add)
        pairs = zip(totals, peaks, strict=True)
        divisors = [self._divisor(n, total, peak) for total, peak in pairs]

        def divide(b: Body, at: Values) -> None:
            n = self._numbers(b, piece.lanes)
            base, place = (args["x"], at[0]) if self.log else (args["y"], at[1])
            triples = zip(piece.load(b, base, place), peaks, divisors, strict=True)
            found = [self._quotient(n, *triple) for triple in triples]
            piece.store(b, found, args["y"], at[1])

        nest(b, [axis], 2, divide, starts)
