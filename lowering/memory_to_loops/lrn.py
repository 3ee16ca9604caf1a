"""Lower local response normalization: channels in registers, or one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import ClassVar

from xdsl.dialects.builtin import f32

from glow.codegen.functions import exp, fma, log, maximum, minimum, power, sqrt
from glow.codegen.loops import Level, Var, loop
from glow.codegen.memory import Strip, mask_of, rest_of
from glow.codegen.shuffles import shuffled
from glow.codegen.strips import Strips
from glow.codegen.values import Value, index
from glow.dialects.graph.normalization import LrnOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type

# By exponent: whether the fourth root, the square root and the number are factors.
_QUARTERS = {
    0.25: (True, False, False),
    0.5: (False, True, False),
    0.75: (True, True, False),
    1.0: (False, False, True),
}


@dataclass(frozen=True)
class Lrn(Rule):
    """x / (bias + alpha / size * squares of the `size` channels around) ** beta."""

    size: int
    alpha: float
    beta: float
    bias: float

    @property
    def before(self) -> int:
        """The channels of a window before the one that is normalized."""
        return (self.size - 1) // 2

    @property
    def after(self) -> int:
        return self.size // 2

    def response(self, x: Value, squares: Value) -> Value:
        """Return the result for element x and the sum of squares around it."""
        base = fma(squares, self.alpha / self.size, self.bias)
        if self.beta == 0:
            return x
        if self.beta in _QUARTERS:  # by roots; all models have such exponents
            half = sqrt(base)
            factors = zip((sqrt(half), half, base), _QUARTERS[self.beta], strict=True)
            return x / reduce(mul, [root for root, wanted in factors if wanted])
        if x.element == f32:
            return x * exp(log(base) * -self.beta)
        return x / power(base, self.beta)


@dataclass(frozen=True)
class LrnRows(Lrn):
    """
    Normalize lines of channels of unit stride: three vectors at hand, shifted.

    A window reaches no further than one vector to each side. If strips are not masked,
    the number of channels is a multiple of their lanes.
    """

    def line(self, line: Line) -> None:
        lanes, channels = line.strips.lanes, line.axis.extent
        last = channels - 1
        last = last - rest_of(last, lanes)
        (x, squares) = map(Var, self._loaded(line, index(0)))
        before = Var(squares.value.like(0))
        for i in loop(0, last, before, x, squares, step=lanes):
            following, next_squares = self._loaded(line, i + lanes)
            near = self._near(before.value, squares.value, next_squares)
            result = self.response(x.value, near)
            line.call["y"].store(result, line.starts["y"] + i)
            before.value, x.value, squares.value = (
                squares.value,
                following,
                next_squares,
            )
        near = self._near(before.value, squares.value, squares.value.like(0))
        result = self.response(x.value, near)
        strip = self._strip(line, channels - last)
        line.call["y"].store(result, line.starts["y"] + last, strip)

    def _loaded(self, line: Line, i: Value) -> tuple[Value, Value]:
        """Return the elements from i on, and their squares."""
        strip = self._strip(line, line.axis.extent - i)
        x = line.call["x"].load(line.starts["x"] + i, strip)
        return x, x * x

    def _strip(self, line: Line, left: Value) -> Strip:
        """Return a vector whose first `left` lanes are valid."""
        lanes = line.strips.lanes
        masks = (mask_of(left, lanes),) if line.strips.masked else ()
        return Strip(lanes, 1, masks)

    def _near(self, before: Value, own: Value, after: Value) -> Value:
        """Return the sum of squares around each, given those of three vectors."""
        lanes, near = own.lanes, own
        for shift in range(1, self.before + 1):
            taken = range(lanes - shift, 2 * lanes - shift)
            near += shuffled(before, own, taken)
        for shift in range(1, self.after + 1):
            near += shuffled(own, after, range(shift, lanes + shift))
        return near


@dataclass(frozen=True)
class LrnColumns(Lrn):
    """Normalize across channels of any stride; lines run along another axis."""

    MOVING: ClassVar = ("x", "y", "channel")
    NUMBERS: ClassVar = ("channels", "stride")

    def line(self, line: Line) -> None:
        channel = line.starts["channel"]
        first = maximum(channel - self.before, 0)
        end = minimum(channel + (self.after + 1), line.numbers["channels"])
        stride = line.numbers["stride"]
        for at in line.along():
            start = at.place("x") + (first - channel) * stride
            squares = Var(at.strip.constant(0, line.compute))
            for i in loop(0, end - first, squares):
                x = line.call["x"].load(start + i * stride, at.strip)
                squares.value = fma(x, x, squares.value)
            at.store(self.response(at.load(), squares.value))


@lowers(LrnOp)
def lower_lrn(main: Main, op: ApplyOp) -> None:
    x, y = op.buffer("input"), op.buffer("result")
    source, result = addressing_of(x), addressing_of(y)
    compute = compute_type(buffer_type(x).element_type)
    p = op.graph_op().parameters()
    rows = LrnRows(**p)
    axes = axes_of(result.shape, [source, result])
    channels = axes[1]
    strips = main.strips(x)
    fits = strips.masked or channels.extent % strips.lanes == 0
    is_near = max(rows.before, rows.after) <= strips.lanes
    if compute == f32 and channels.strides == (1, 1) and fits and is_near:
        others = collapse([axes[0], *axes[2:]], (1, 0))
        lines = LinesOf(rows, [channels], others)
    else:
        lines = _columns(LrnColumns(**p), axes)
        strips = strips if compute == f32 else Strips(0)
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, {"x": x, "y": y}, row, work)


def _columns(rule: LrnColumns, axes: list[Level[int]]) -> LinesOf:
    """Return lines along the fastest axis; channels are the innermost of the others."""
    channels = axes.pop(1)
    *outer, fastest = collapse(axes, (1, 0)) or [Level(1, (0, 0))]
    counted = [
        Level(axis.extent, (*axis.strides, int(axis is channels)))
        for axis in (*outer, channels, fastest)
    ]
    numbers = (channels.extent, channels.strides[0])
    still = frozenset({"channel"})
    return LinesOf(rule, counted[-1:], counted[:-1], numbers, still)
