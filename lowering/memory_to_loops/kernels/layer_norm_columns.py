"""Normalisation on vectors across neighbours that are normalised apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.layer_norm import Norm, Values
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece
from glow.lowering.memory_to_loops.kernels.windows import fold


@dataclass(frozen=True)
class _Columns:
    """A vector of columns: where each buffer stands, the loops down, their count."""

    starts: dict[str, SSAValue]
    levels: list[Level]
    count: SSAValue


@dataclass(frozen=True)
class NormColumns(Norm):
    """
    Vectors run across columns, which are normalised each on its own.

    What moves from column to column has unit stride.
    Row: `outer` loops and the axis of the columns (extent; strides of all buffers),
    `inner` loops down a column (extent; strides of input, result, scale, bias), the
    number of elements normalised together.
    """

    @property
    def prefix(self) -> str:
        return "layer_norm_columns" if self.centred else "rms_norm_columns"

    def build(self) -> FuncOp:
        op, b, args = self.function()
        row = Row(b, args)
        outer = row.levels(self.outer, len(self.names))
        ((width, _),) = row.levels(1, len(self.names))
        inner = row.levels(self.inner, len(self.operands))
        count = self.numbers(b).of_index(row.next("count"))

        def plane(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                starts = {
                    name: offset if name in self.still else b.sum(offset, i)
                    for name, offset in zip(self.names, offsets, strict=True)
                }
                n = self.numbers(b, piece.lanes)
                columns = _Columns(starts, inner, n.spread(count))
                self._columns(b, args, columns, piece)

            self.strips.each(b, width, step)

        nest(b, outer, len(self.names), plane)
        b.do(func.ReturnOp())
        return op

    def _columns(
        self, b: Body, args: dict[str, SSAValue], columns: _Columns, piece: Piece
    ) -> None:
        n = self.numbers(b, piece.lanes)
        means = [n.const(0)] * piece.count
        if self.centred:
            totals = self._sum(
                b, args["x"], columns, piece, lambda n, x, sum, _: n.add(sum, x)
            )
            means = [n.div(total, columns.count) for total in totals]

        def add_square(
            n: Numbers, value: SSAValue, found: SSAValue, mean: SSAValue
        ) -> SSAValue:
            centred = n.sub(value, mean) if self.centred else value
            return n.fma(centred, centred, found)

        squares = self._sum(b, args["x"], columns, piece, add_square, means)
        inverses = [self.inverse_of(n, sum, columns.count) for sum in squares]
        found = {"mean": means, "inverse": inverses}
        for name in self.names[len(self.operands) :]:
            piece.store(b, found[name], args[name], columns.starts[name])
        self._normalise(b, args, columns, piece, found)

    def _sum(
        self,
        b: Body,
        base: SSAValue,
        columns: _Columns,
        piece: Piece,
        add: Callable[[Numbers, SSAValue, SSAValue, SSAValue], SSAValue],
        means: Values | None = None,
    ) -> Values:
        """Fold `add(numbers, value, found, mean)` down each column."""
        initial = [self.numbers(b, piece.lanes).const(0)] * piece.count
        taps = [(extent, strides[:1]) for extent, strides in columns.levels]

        def step(b: Body, at: Values, carried: Values) -> Values:
            n, values = self.numbers(b, piece.lanes), piece.load(b, base, at[0])
            triples = zip(values, carried, means or initial, strict=True)
            return [add(n, *triple) for triple in triples]

        return fold(b, taps, [columns.starts["x"]], initial, step)

    def _normalise(
        self,
        b: Body,
        args: dict[str, SSAValue],
        columns: _Columns,
        piece: Piece,
        found: dict[str, Values],
    ) -> None:
        def step(b: Body, offsets: Values) -> None:
            n = self.numbers(b, piece.lanes)
            places = dict(zip(self.operands, offsets, strict=True))
            loaded = {
                name: self._loaded(b, args[name], name, places[name], piece)
                for name in self.operands
                if name != "y"
            }
            values = loaded["x"]
            if self.centred:
                values = list(map(n.sub, values, found["mean"]))
            values = list(map(n.mul, values, found["inverse"]))
            values = self.shifted(n, values, loaded)
            piece.store(b, values, args["y"], places["y"])

        starts = [columns.starts[name] for name in self.operands]
        nest(b, columns.levels, len(starts), step, starts)

    def _loaded(
        self, b: Body, base: SSAValue, name: str, at: SSAValue, piece: Piece
    ) -> Values:
        """Return an element for each column; what stands still has one for all."""
        if name not in self.still:
            return piece.load(b, base, at)
        return [piece.spread(b, b.load(base, at))] * piece.count
