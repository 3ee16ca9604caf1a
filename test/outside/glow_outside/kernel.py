"""A kernel for the op of this package: lines of the shifted axis, by scalars."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.kernels.kernel import Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, LinesOf, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis
from glow_outside.scaled_shift import ScaledShiftOp


@dataclass(frozen=True)
class ScaledShift(Rule):
    """Store element i + `first`, counted in a circle, times the scale of i."""

    NUMBERS: ClassVar = ("first",)

    element: Attribute

    @property
    def name(self) -> str:
        return "scaled_shift"

    def operands(self) -> Mapping[str, Operand]:
        return {name: Operand(self.element) for name in ("x", "scale", "y")}

    def line(self, line: Line) -> None:
        for at in line.along():
            i = (at.i + line.numbers["first"]) % line.axis.extent
            x = line.call["x"][line.starts["x"] + i * line.stride("x")]
            at.store(x * at.load("scale"))


@lowers(ScaledShiftOp)
def lower_scaled_shift(main: Main, op: ApplyOp) -> None:
    x, scale, y = (op.buffer(name) for name in ("input", "scale", "result"))
    shape, parameters = addressing_of(y).shape, op.graph_op().parameters()
    if 0 in shape:
        return
    axis = normalize_axis(parameters["axis"], len(shape))
    scales = with_axes(addressing_of(scale), range(1, len(shape) - axis))
    axes = axes_of(shape, [addressing_of(x), scales, addressing_of(y)])
    along = axes.pop(axis)
    first = -parameters["places"] % along.extent
    rule = ScaledShift(buffer_type(x).element_type)
    lines = LinesOf(rule, [along], collapse(axes, (2, 0)), (first,))
    kernel, row, work = lines.plan(Strips(0), None)
    main.call(kernel, [main.base(value) for value in (x, scale, y)], row, work)
