"""Layer normalisation: the mean, the variance about it, then the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import func, math, vector
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.lowering.memory_to_loops.kernels.windows import fold

Values = list[SSAValue]


@dataclass(frozen=True)
class _Line:
    """What is normalised together: outer loops, the fastest axis, where it starts."""

    levels: list[Level]
    fastest: Level
    starts: Values

    @property
    def input(self) -> list[Level]:
        """The outer loops, of the input alone."""
        return [(extent, strides[:1]) for extent, strides in self.levels]


@dataclass(frozen=True)
class LayerNorm(Kernel):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias.

    On vectors, input, result, scale and bias have unit stride along the fastest of the
    normalised axes.
    Row: `outer` loops over what is normalised apart (extent; strides of input, result,
    scale, bias, statistics), `inner` loops and the fastest axis (the same without
    statistics), the number of elements normalised together.
    """

    element: Attribute
    outer: int
    inner: int
    epsilon: float
    scale: bool
    bias: bool
    mean: bool
    inverse: bool
    strips: Strips

    @property
    def prefix(self) -> str:
        return "layer_norm"

    @property
    def _operands(self) -> list[str]:
        return [
            "x",
            "y",
            *(["scale"] if self.scale else []),
            *(["bias"] if self.bias else []),
        ]

    @property
    def _statistics(self) -> list[str]:
        return [
            *(["mean"] if self.mean else []),
            *(["inverse"] if self.inverse else []),
        ]

    def build(self) -> FuncOp:
        names = [*self._operands, *self._statistics]
        arguments = [(name, flat(self.element)) for name in names]
        op, b, args = function(
            self.symbol, [*arguments, ("rows", TABLE), ("at", INDEX)]
        )
        row = Row(b, args)
        outer = row.levels(self.outer, len(names))
        inner = row.levels(self.inner, len(self._operands))
        (fastest,) = row.levels(1, len(self._operands))
        count = Numbers(b, self.element).of_index(row.next("count"))

        def line(b: Body, offsets: Values) -> None:
            shared = len(self._operands)
            line = _Line(inner, fastest, offsets[:shared])
            mean, inverse = self._measured(b, args, line, count)
            found = {"mean": mean, "inverse": inverse}
            for name, at in zip(self._statistics, offsets[shared:], strict=True):
                b.store(found[name], args[name], at)
            self._normalise(b, args, line, mean, inverse)

        nest(b, outer, len(names), line)
        b.do(func.ReturnOp())
        return op

    def _measured(
        self, b: Body, args: dict[str, SSAValue], line: _Line, count: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """Return the mean and one over the standard deviation."""
        n = Numbers(b, self.element)
        total = self._sum(
            b, args["x"], line, lambda n, value, found, _: n.add(found, value)
        )
        mean = n.div(total, count)
        means = self._spread(b, mean)

        def add_square(
            n: Numbers, value: SSAValue, found: SSAValue, piece: Piece
        ) -> SSAValue:
            centred = piece.cleared(n.b, n.sub(value, means[n.lanes]))
            return n.fma(centred, centred, found)

        variance = n.div(self._sum(b, args["x"], line, add_square), count)
        deviation = n.function(math.SqrtOp, n.add(variance, n.const(self.epsilon)))
        return mean, n.div(n.const(1), deviation)

    def _sum(
        self,
        b: Body,
        base: SSAValue,
        line: _Line,
        add: Callable[[Numbers, SSAValue, SSAValue, Piece], SSAValue],
    ) -> SSAValue:
        """Fold `add(numbers, value, found, piece)` over the input."""
        extent, (stride, *_) = line.fastest

        def run(b: Body, at: Values, carried: Values) -> Values:
            def step(b: Body, i: SSAValue, piece: Piece, carried: Values) -> Values:
                n = Numbers(b, self.element, piece.lanes)
                move = i if self.strips.lanes else b.product(i, stride)
                values = piece.load(b, base, b.sum(at[0], move))
                pairs = zip(values, carried, strict=True)
                return [add(n, value, found, piece) for value, found in pairs]

            return self.strips.fold(b, extent, carried, step)

        initial = [
            Numbers(b, self.element, lanes).const(0) for lanes in self.strips.carried
        ]
        return self.strips.joined(
            b,
            fold(b, line.input, line.starts[:1], initial, run),
            lambda b, x, y, lanes: Numbers(b, self.element, lanes).add(x, y),
            lambda b, v: Numbers(b, self.element).across(
                vector.CombiningKindFlag.ADD, v
            ),
        )

    def _spread(self, b: Body, value: SSAValue) -> dict[int, SSAValue]:
        """Return `value` as a scalar and in every lane, by the number of lanes."""
        return {n: Piece(n).spread(b, value) for n in {0, self.strips.lanes}}

    def _normalise(
        self,
        b: Body,
        args: dict[str, SSAValue],
        line: _Line,
        mean: SSAValue,
        inverse: SSAValue,
    ) -> None:
        means, inverses = self._spread(b, mean), self._spread(b, inverse)
        extent, strides = line.fastest

        def run(b: Body, offsets: Values) -> None:
            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                moves = [i] * len(strides)
                if not self.strips.lanes:
                    moves = [b.product(i, stride) for stride in strides]
                places = dict(
                    zip(self._operands, map(b.sum, offsets, moves), strict=True)
                )
                n = Numbers(b, self.element, piece.lanes)
                loaded = {
                    name: piece.load(b, args[name], places[name])
                    for name in self._operands
                    if name != "y"
                }
                found = [
                    n.mul(n.sub(x, means[n.lanes]), inverses[n.lanes])
                    for x in loaded["x"]
                ]
                found = self._shifted(n, found, loaded)
                piece.store(b, found, args["y"], places["y"])

            self.strips.each(b, extent, step)

        nest(b, line.levels, len(strides), run, line.starts)

    def _shifted(self, n: Numbers, values: Values, loaded: dict[str, Values]) -> Values:
        """Return values times scale plus bias, where there are such."""
        if self.scale and self.bias:
            return list(map(n.fma, values, loaded["scale"], loaded["bias"]))
        if self.scale:
            return list(map(n.mul, values, loaded["scale"]))
        return list(map(n.add, values, loaded["bias"])) if self.bias else values
