"""Lower images of another size: all axes at once, or one after the other."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import SSAValue

from glow.dialects.graph.interpolation import ScaledAxis
from glow.dialects.graph.resize import ResizeOp, interpolation_of, lines_of
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.graph_to_memory.state import Lowering, lowers, unsupported
from glow.support.layout import permuted
from glow.support.types import dtype_of, element_of, shape_of

ScaledAxes = Mapping[int, ScaledAxis]

MOST_TAPS = 16
"""The most elements summed up per place where all axes are resized at once."""


@lowers(ResizeOp)
def _resize(lowering: Lowering, op: ResizeOp) -> None:
    p = op.parameters()
    region = None if op.roi is None else lowering.logical(op.roi)
    lines = lines_of(shape_of(op.input), p, region)
    buffer, out = lowering[op.input], lowering.destination(op.result)
    if op.roi is None:
        *before, last = _steps(op, lines, p)
        for step in before:
            smaller = _temporary(lowering, buffer, step)
            _add(lowering, (buffer, None, smaller), step, p)
            buffer = smaller
        _add(lowering, (buffer, None, out), last, p)
    elif region is not None:
        roi = lowering.constant(region, "region")
        _add(lowering, (buffer, roi, out), lines, p)
    else:
        scratch = _tables(lowering, op, lines)
        _add(lowering, (buffer, lowering[op.roi], out), lines, p, scratch)


def _tables(lowering: Lowering, op: ResizeOp, lines: ScaledAxes) -> list[SSAValue]:
    """Return room for positions and weights of a roi known only at run time."""
    how = interpolation_of(op.parameters())
    if how.antialias:
        raise unsupported(op, "has an antialias of a roi known only at run time")
    places = sum(line.places for line in lines.values())
    positions = lowering.temporary(i32, (places * (1 + how.length),))
    if how.mode == "nearest":
        return [positions]
    element = element_of(op.input)
    return [positions, lowering.temporary(element, (places * how.length,))]


def _steps(
    op: ResizeOp, lines: ScaledAxes, parameters: dict[str, Any]
) -> list[ScaledAxes]:
    """
    Return the axes of each step: all at once if few elements make a place, else singly.

    Axes that shrink most go first; those with one element per place go with the last.
    """
    how, dtype = interpolation_of(parameters), dtype_of(element_of(op.input))
    counts = {a: how.taps(line, dtype).positions.shape[1] for a, line in lines.items()}
    if prod(counts.values()) <= MOST_TAPS:
        return [lines]
    alone = [axis for axis in lines if counts[axis] > 1]
    alone.sort(key=lambda axis: lines[axis].places / lines[axis].extent)
    rest = {axis: line for axis, line in lines.items() if counts[axis] == 1}
    *before, last = alone
    return [*({axis: lines[axis]} for axis in before), {last: lines[last], **rest}]


def _temporary(lowering: Lowering, buffer: SSAValue, lines: ScaledAxes) -> SSAValue:
    """Return a new buffer like `buffer`, with its order, but resized along `lines`."""
    a, shape = addressing_of(buffer), list(addressing_of(buffer).shape)
    for axis, line in lines.items():
        shape[axis] = line.places
    order = sorted(range(len(shape)), key=lambda axis: -abs(a.strides[axis]))
    layout = LayoutAttr(permuted(tuple(order)))
    element = buffer_type(buffer).element_type
    return lowering.alloc(MemRefType(element, shape, layout))


def _add(
    lowering: Lowering,
    buffers: tuple[SSAValue, SSAValue | None, SSAValue],
    lines: ScaledAxes,
    parameters: dict[str, Any],
    scratch: Sequence[SSAValue] = (),
) -> None:
    """Add a resize of axes `lines` from input, by a roi if there is one, to result."""
    source, roi, result = buffers
    axes, scales = tuple(lines), [line.scale for line in lines.values()]
    along: dict[str, Any] = {
        "axes": axes,
        "sizes": [line.places for line in lines.values()],
        # A ratio of sizes is exact; a scale that is given is rounded to f32.
        "scales": scales if parameters["scales"] and scales else None,
    }
    ins, named = [source, roi], parameters | along
    lowering.add(ApplyOp(ResizeOp, ins, [result], scratch=scratch, **named))
