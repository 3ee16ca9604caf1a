"""A kernel for the op of this package: lines of the shifted axis, by scalars."""

from dataclasses import dataclass
from typing import ClassVar

from glow.codegen.strips import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import normalize_axis
from glow_outside.scaled_shift import ScaledShiftOp


@dataclass(frozen=True)
class ScaledShift(Rule):
    """Store element i + `first`, counted in a circle, times the scale of i."""

    MOVING: ClassVar = ("x", "scale", "y")
    NUMBERS: ClassVar = ("first",)

    def line(self, line: Line) -> None:
        for at in line.along():
            i = (at.i + line.numbers["first"]) % line.axis.extent
            x = line.call["x"][line.starts["x"] + i * line.stride("x")]
            at.store(x * at.load("scale"))


@lowers(ScaledShiftOp)
def lower_scaled_shift(main: Main, op: ApplyOp) -> None:
    x, scale, y = (op.buffer(name) for name in ("input", "scale", "result"))
    shape, parameters = addressing_of(y).shape, op.graph_op().parameters()
    axis = normalize_axis(parameters["axis"], len(shape))
    scales = with_axes(addressing_of(scale), range(1, len(shape) - axis))
    axes = axes_of(shape, [addressing_of(x), scales, addressing_of(y)])
    along = axes.pop(axis)
    first = -parameters["places"] % along.extent
    lines = LinesOf(ScaledShift(), [along], collapse(axes, (2, 0)), (first,))
    kernel, row, work = lines.plan(Strips(0), None)
    buffers = {"x": x, "scale": scale, "y": y}
    arguments = {name: main.stored(buffer) for name, buffer in buffers.items()}
    main.call(kernel, arguments, row, work)
