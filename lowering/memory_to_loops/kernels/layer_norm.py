"""Normalisation on vectors along what is normalised: statistics, then the result."""

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
class Norm(Kernel):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias; uncentred, the mean is 0.

    `given` are the operands after input and result, out of scale, bias, mean and
    inverse (one over the standard deviation) in this order. On vectors, `still` are
    those out of scale and bias that do not move along the axis of vectors.
    """

    element: Attribute
    outer: int
    inner: int
    epsilon: float
    centred: bool
    given: tuple[str, ...]
    still: tuple[str, ...]
    strips: Strips

    @property
    def names(self) -> list[str]:
        """The buffers in order."""
        return ["x", "y", *self.given]

    @property
    def operands(self) -> list[str]:
        """The buffers that have an element for each of the input."""
        return [name for name in self.names if name not in ("mean", "inverse")]

    def function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        arguments = [(name, flat(self.element)) for name in self.names]
        return function(self.symbol, [*arguments, ("rows", TABLE), ("at", INDEX)])

    def numbers(self, b: Body, lanes: int = 0) -> Numbers:
        return Numbers(b, self.element, lanes)

    def inverse_of(self, n: Numbers, squares: SSAValue, count: SSAValue) -> SSAValue:
        """Return one over the standard deviation, given the sum of squares."""
        variance = n.add(n.div(squares, count), n.const(self.epsilon))
        return n.div(n.const(1), n.function(math.SqrtOp, variance))

    def shifted(self, n: Numbers, values: Values, loaded: dict[str, Values]) -> Values:
        """Return values times scale plus bias, where there are such."""
        scale, bias = loaded.get("scale"), loaded.get("bias")
        if scale and bias:
            return list(map(n.fma, values, scale, bias))
        if scale:
            return list(map(n.mul, values, scale))
        return list(map(n.add, values, bias)) if bias else values


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
class NormRows(Norm):
    """
    Vectors run along the fastest of the axes that are normalised together.

    What moves along that axis has unit stride then.
    Row: `outer` loops over what is normalised apart (extent; strides of all buffers),
    `inner` loops and the fastest axis (extent; strides of input, result, scale, bias),
    the number of elements normalised together.
    """

    @property
    def prefix(self) -> str:
        return "layer_norm" if self.centred else "rms_norm"

    def build(self) -> FuncOp:
        op, b, args = self.function()
        row, shared = Row(b, args), len(self.operands)
        outer = row.levels(self.outer, len(self.names))
        inner = row.levels(self.inner, shared)
        (fastest,) = row.levels(1, shared)
        count = self.numbers(b).of_index(row.next("count"))

        def line(b: Body, offsets: Values) -> None:
            line = _Line(inner, fastest, offsets[:shared])
            mean, inverse = self._measured(b, args, line, count)
            found = {"mean": mean, "inverse": inverse}
            for name, at in zip(self.names[shared:], offsets[shared:], strict=True):
                b.store(found[name], args[name], at)
            self._normalise(b, args, line, mean, inverse)

        nest(b, outer, len(self.names), line)
        b.do(func.ReturnOp())
        return op

    def _measured(
        self, b: Body, args: dict[str, SSAValue], line: _Line, count: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """Return the mean and one over the standard deviation."""
        n, mean = self.numbers(b), self.numbers(b).const(0)
        if self.centred:
            total = self._sum(b, args["x"], line, lambda n, x, sum, _: n.add(sum, x))
            mean = n.div(total, count)
        means = self._spread(b, mean)

        def add_square(
            n: Numbers, value: SSAValue, found: SSAValue, piece: Piece
        ) -> SSAValue:
            if self.centred:
                value = piece.cleared(n.b, n.sub(value, means[n.lanes]))
            return n.fma(value, value, found)

        squares = self._sum(b, args["x"], line, add_square)
        return mean, self.inverse_of(n, squares, count)

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
                n = self.numbers(b, piece.lanes)
                move = i if self.strips.lanes else b.product(i, stride)
                values = piece.load(b, base, b.sum(at[0], move))
                pairs = zip(values, carried, strict=True)
                return [add(n, value, found, piece) for value, found in pairs]

            return self.strips.fold(b, extent, carried, step)

        initial = [self.numbers(b, lanes).const(0) for lanes in self.strips.carried]
        return self.strips.joined(
            b,
            fold(b, line.input, line.starts[:1], initial, run),
            lambda b, x, y, lanes: self.numbers(b, lanes).add(x, y),
            lambda b, v: self.numbers(b).across(vector.CombiningKindFlag.ADD, v),
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
            starts = dict(zip(self.operands, offsets, strict=True))
            steps = dict(zip(self.operands, strides, strict=True))
            still = {
                name: self._spread(b, b.load(args[name], starts[name]))
                for name in self.still
            }

            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                n = self.numbers(b, piece.lanes)
                places = {
                    name: b.sum(at, self._move(b, i, steps[name]))
                    for name, at in starts.items()
                    if name not in still
                }
                loaded = {
                    name: [still[name][n.lanes]] * piece.count
                    if name in still
                    else piece.load(b, args[name], places[name])
                    for name in self.operands
                    if name != "y"
                }
                found = loaded["x"]
                if self.centred:
                    found = [n.sub(x, means[n.lanes]) for x in found]
                found = [n.mul(x, inverses[n.lanes]) for x in found]
                found = self.shifted(n, found, loaded)
                piece.store(b, found, args["y"], places["y"])

            self.strips.each(b, extent, step)

        nest(b, line.levels, len(strides), run, line.starts)

    def _move(self, b: Body, i: SSAValue, stride: SSAValue) -> SSAValue:
        return i if self.strips.lanes else b.product(i, stride)
