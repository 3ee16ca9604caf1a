"""Local response normalisation: an element by a power of what its neighbours square."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import func, math
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.shuffles import shuffled
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips, mask_of, rest_of
from glow.lowering.memory_to_loops.kernels.windows import fold

Values = list[SSAValue]

# By exponent: whether the fourth root, the square root and the number are factors.
_QUARTERS = {
    0.25: (True, False, False),
    0.5: (False, True, False),
    0.75: (True, True, False),
    1.0: (False, False, True),
}


@dataclass(frozen=True)
class Response:
    """x / (bias + alpha / size * squares of the `size` channels around) ** beta."""

    size: int
    alpha: float
    beta: float
    bias: float

    @property
    def before(self) -> int:
        """How many of the channels lie before the one that is normalised."""
        return (self.size - 1) // 2

    @property
    def after(self) -> int:
        return self.size // 2

    def of(self, n: Numbers, x: SSAValue, squares: SSAValue) -> SSAValue:
        """Return the result for element x and the sum of squares around it."""
        scale = n.const(self.alpha / self.size)
        return self._divided(n, x, n.fma(squares, scale, n.const(self.bias)))

    def _divided(self, n: Numbers, x: SSAValue, base: SSAValue) -> SSAValue:
        """Return x / base ** beta: by roots for quarters, which all models have."""
        if self.beta == 0:
            return x
        if self.beta in _QUARTERS:
            half = n.function(math.SqrtOp, base)
            quarter = n.function(math.SqrtOp, half)
            factors = zip((quarter, half, base), _QUARTERS[self.beta], strict=True)
            power = reduce(n.mul, [root for root, wanted in factors if wanted])
            return n.div(x, power)
        if n.element == f32:
            power = n.mul(n.function(math.LogOp, base), n.const(-self.beta))
            return n.mul(x, n.function(math.ExpOp, power))
        return n.div(x, n.function(math.PowFOp, base, n.const(self.beta)))


@dataclass(frozen=True)
class _Lrn(Kernel):
    """What both kernels have: the formula, and `outer` loops."""

    element: Attribute
    outer: int
    response: Response

    def _function(self) -> tuple[FuncOp, Body, dict[str, SSAValue]]:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        return function(self.symbol, arguments)


@dataclass(frozen=True)
class LrnRows(_Lrn):
    """
    Normalise across channels of unit stride: three vectors at hand, shifted.

    A window reaches no further than one vector to each side. If not `masked`, the
    number of channels is a multiple of `lanes`.
    Row: outer loops (extent, strides of input and result), the number of channels.
    """

    lanes: int
    masked: bool

    @property
    def prefix(self) -> str:
        return "lrn"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, channels = row.levels(self.outer, 2), row.next("channels")
        nest(b, levels, 2, lambda b, offsets: self._line(b, args, offsets, channels))
        b.do(func.ReturnOp())
        return op

    def _line(
        self, b: Body, args: dict[str, SSAValue], offsets: Values, channels: SSAValue
    ) -> None:
        source, result = offsets
        last = b.difference(channels, b.const(1))
        last = b.difference(last, rest_of(b, last, self.lanes))

        def load(b: Body, i: SSAValue) -> Values:
            """Return the elements from i on, and their squares."""
            left = b.difference(channels, i)
            (x,) = self._piece(b, left).load(b, args["x"], b.sum(source, i))
            return [x, self._numbers(b).mul(x, x)]

        def step(b: Body, i: SSAValue, carried: Values) -> Values:
            before, x, squares = carried
            following, next_squares = load(b, b.sum(i, self.lanes))
            found = self._normalised(b, x, [before, squares, next_squares])
            Piece(self.lanes).store(b, [found], args["y"], b.sum(result, i))
            return [squares, following, next_squares]

        none = self._numbers(b).const(0)
        initial = [none, *load(b, b.const(0))]
        before, x, squares = b.loop(0, last, self.lanes, initial, step)
        found = self._normalised(b, x, [before, squares, none])
        piece = self._piece(b, b.difference(channels, last))
        piece.store(b, [found], args["y"], b.sum(result, last))

    def _numbers(self, b: Body) -> Numbers:
        return Numbers(b, self.element, self.lanes)

    def _piece(self, b: Body, left: SSAValue) -> Piece:
        """Return a vector of which `left` lanes exist, if not all."""
        mask = mask_of(b, left, self.lanes) if self.masked else None
        return Piece(self.lanes, 1, mask)

    def _normalised(self, b: Body, x: SSAValue, squares: Values) -> SSAValue:
        """Return the result for x, given the squares before it, its own, and after."""
        before, own, after = squares
        lanes, n = self.lanes, self._numbers(b)
        near = own
        for shift in range(1, self.response.before + 1):
            taken = range(lanes - shift, 2 * lanes - shift)
            near = n.add(near, shuffled(b, before, own, taken))
        for shift in range(1, self.response.after + 1):
            taken = range(shift, lanes + shift)
            near = n.add(near, shuffled(b, own, after, taken))
        return self.response.of(n, x, near)


@dataclass(frozen=True)
class LrnColumns(_Lrn):
    """
    Normalise across channels of any stride: lanes are neighbours along another axis.

    Row: outer loops, channels, then the fastest of the other axes, of unit stride on
    vectors (extent, strides of input and result).
    """

    strips: Strips

    @property
    def prefix(self) -> str:
        return "lrn_columns"

    def build(self) -> FuncOp:
        op, b, args = self._function()
        row = Row(b, args)
        levels, (channels,) = row.levels(self.outer, 2), row.levels(1, 2)
        (fastest,) = row.levels(1, 2)

        def image(b: Body, offsets: Values) -> None:
            def channel(b: Body, c: SSAValue) -> None:
                self._line(b, args, offsets, c, (channels, fastest))

            b.each(0, channels[0], channel, nonempty=True)

        nest(b, levels, 2, image)
        b.do(func.ReturnOp())
        return op

    def _line(
        self,
        b: Body,
        args: dict[str, SSAValue],
        offsets: Values,
        c: SSAValue,
        axes: tuple[Level, Level],
    ) -> None:
        (channels, across), (extent, along) = axes
        whole = Numbers(b, INDEX)
        low = whole.maximum(b.sum(c, -self.response.before), b.const(0))
        high = whole.minimum(b.sum(c, self.response.after + 1), channels)
        places = [b.product(c, stride) for stride in across]
        source, result = map(b.sum, offsets, places)
        window = b.sum(offsets[0], b.product(low, across[0]))
        taps: list[Level] = [(b.difference(high, low), across[:1])]

        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            moves = [i, i]
            if not self.strips.lanes:
                moves = [b.product(i, stride) for stride in along]
            n = Numbers(b, self.element, piece.lanes)

            def tap(b: Body, at: Values, carried: Values) -> Values:
                n = Numbers(b, self.element, piece.lanes)
                values = piece.load(b, args["x"], at[0])
                pairs = zip(values, carried, strict=True)
                return [n.fma(value, value, found) for value, found in pairs]

            start = [b.sum(window, moves[0])]
            near = fold(b, taps, start, [n.const(0)] * piece.count, tap)
            values = piece.load(b, args["x"], b.sum(source, moves[0]))
            pairs = zip(values, near, strict=True)
            found = [self.response.of(n, value, squares) for value, squares in pairs]
            piece.store(b, found, args["y"], b.sum(result, moves[1]))

        self.strips.each(b, extent, step)
