"""Reductions along any axes, on vectors along the fastest axis."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.reductions import Reduction
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.lowering.memory_to_loops.kernels.windows import fold

Values = list[SSAValue]


@dataclass(frozen=True)
class _Reduce(Kernel):
    """What both kernels have: `kept` loops around `reduced` ones."""

    reduction: Reduction
    kept: int
    reduced: int
    strips: Strips

    @property
    def element(self) -> Attribute:
        return self.reduction.element

    @property
    def _maximum(self) -> Reduction:
        return replace(self.reduction, kind="max")

    @property
    def _has_peak(self) -> bool:
        return self.reduction.kind == "log_sum_exp"

    def _function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        return function(self.symbol, arguments)


@dataclass(frozen=True)
class ReduceColumns(_Reduce):
    """
    Reduce along slow axes: a result per element of the fastest axis, which is kept.

    On vectors, that axis has unit stride.
    Row: kept loops (extent, strides of input and result), the fastest axis (the same),
    reduced loops (extent, stride), the number of elements per result.
    """

    @property
    def prefix(self) -> str:
        return f"reduce_{self.reduction.kind}"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, ((extent, strides),) = row.levels(self.kept, 2), row.levels(1, 2)
        reduced, count = row.levels(self.reduced, 1), row.next("count")

        def line(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                moves = [i, i]
                if not self.strips.lanes:
                    moves = [b.product(i, stride) for stride in strides]
                source, result = map(b.sum, offsets, moves)
                found = self._reduced(b, args["x"], source, piece, reduced, count)
                piece.store(b, found, args["y"], result)

            self.strips.each(b, extent, step)

        nest(b, levels, 2, line)
        b.do(func.ReturnOp())
        return op

    def _reduced(
        self,
        b: Body,
        base: SSAValue,
        at: SSAValue,
        piece: Piece,
        levels: list[Level],
        count: SSAValue,
    ) -> Values:
        lanes = piece.lanes
        peaks: list[SSAValue | None] = [None] * piece.count
        if self._has_peak:
            greatest = self._folded(b, self._maximum, base, at, piece, levels, peaks)
            peaks = [self.reduction.peak(b, value, lanes) for value in greatest]
        found = self._folded(b, self.reduction, base, at, piece, levels, peaks)
        return [
            self.reduction.finish(b, value, lanes, count, peak)
            for value, peak in zip(found, peaks, strict=True)
        ]

    def _folded(
        self,
        b: Body,
        reduction: Reduction,
        base: SSAValue,
        at: SSAValue,
        piece: Piece,
        levels: list[Level],
        peaks: list[SSAValue | None],
    ) -> Values:
        lanes = piece.lanes
        start = reduction.numbers(b, lanes).const(reduction.neutral)

        def tap(b: Body, at: Values, carried: Values) -> Values:
            values = piece.load(b, base, at[0])
            return [
                reduction.add(b, found, value, lanes, peak)
                for found, value, peak in zip(carried, values, peaks, strict=True)
            ]

        return fold(b, levels, [at], [start] * piece.count, tap)


@dataclass(frozen=True)
class ReduceRows(_Reduce):
    """
    Reduce along axes of which the fastest, of unit stride on vectors, is one.

    Row: kept loops (extent, strides of input and result), reduced loops (extent,
    stride), the fastest axis (extent, stride), the number of elements per result.
    """

    @property
    def prefix(self) -> str:
        return f"reduce_{self.reduction.kind}_rows"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels = row.levels(self.kept, 2)
        reduced, (fastest,) = row.levels(self.reduced, 1), row.levels(1, 1)
        count = row.next("count")

        def place(b: Body, offsets: Values) -> None:
            peak = None
            source, result = offsets
            if self._has_peak:
                peak = self._folded(
                    b, self._maximum, args["x"], source, (reduced, fastest), None
                )
                peak = self.reduction.peak(b, peak, 0)
            found = self._folded(
                b, self.reduction, args["x"], source, (reduced, fastest), peak
            )
            found = self.reduction.finish(b, found, 0, count, peak)
            b.store(found, args["y"], result)

        nest(b, levels, 2, place)
        b.do(func.ReturnOp())
        return op

    def _folded(
        self,
        b: Body,
        reduction: Reduction,
        base: SSAValue,
        at: SSAValue,
        loops: tuple[list[Level], Level],
        peak: SSAValue | None,
    ) -> SSAValue:
        levels, (extent, (stride,)) = loops
        peaks = self._spread(b, peak)

        def line(b: Body, at: Values, carried: Values) -> Values:
            def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
                move = i if self.strips.lanes else b.product(i, stride)
                values = piece.load(b, base, b.sum(at[0], move), reduction.absent)
                lanes = piece.lanes
                return [
                    reduction.add(b, found, value, lanes, peaks.get(lanes))
                    for found, value in zip(carried, values, strict=True)
                ]

            return self.strips.fold(b, extent, carried, step)

        initial = [
            reduction.numbers(b, lanes).const(reduction.neutral)
            for lanes in self.strips.carried
        ]
        carried = fold(b, levels, [at], initial, line)
        return self.strips.joined(b, carried, reduction.join, reduction.across)

    def _spread(self, b: Body, peak: SSAValue | None) -> dict[int, SSAValue]:
        """Return `peak` as a scalar and in every lane, by the number of lanes."""
        if peak is None:
            return {}
        return {n: Piece(n).spread(b, peak) for n in {0, *self.strips.carried}}
