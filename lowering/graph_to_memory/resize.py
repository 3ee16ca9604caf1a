"""Lower images of another size: all axes at once, or one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import SSAValue

from glow.dialects.graph.interpolation import Line
from glow.dialects.graph.resize import ResizeOp, interpolation_of, lines_of
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory import resize
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.lowering.graph_to_memory.state import Lowering, lowers, unsupported
from glow.support.layout import permuted
from glow.support.types import dtype_of, element_of, shape_of

Lines = Mapping[int, Line]

MOST_TAPS = 16
"""Elements that a place is the sum of where all axes are resized at once."""


@lowers(ResizeOp)
def _resize(lowering: Lowering, op: ResizeOp) -> None:
    p = op.parameters()
    region = None if op.roi is None else lowering.logical(op.roi)
    lines = lines_of(shape_of(op.input), p["sizes"], p["scales"], p["axes"], region)
    if op.roi is not None and region is None:
        _crop(lowering, op, op.roi, lines)
        return
    steps = [lines] if region is not None else _steps(op, lines, p)
    buffer = lowering[op.input]
    for step in steps[:-1]:
        smaller = _temporary(lowering, buffer, step)
        _add(lowering, (buffer, None, smaller), step, p, None)
        buffer = smaller
    slots = buffer, None, lowering.destination(op.result)
    _add(lowering, slots, steps[-1], p, region)


def _crop(lowering: Lowering, op: ResizeOp, roi: SSAValue, lines: Lines) -> None:
    """Add a resize that finds positions and weights when it runs."""
    p, element = op.parameters(), element_of(op.input)
    how = interpolation_of(p)
    if how.antialias:
        raise unsupported(op, "has an antialias of a roi known only at run time")
    places = sum(line.places for line in lines.values())
    positions = lowering.temporary(i32, (places * (1 + how.length),))
    weights = None
    if how.mode != "nearest":
        weights = lowering.temporary(element, (places * how.length,))
    buffers = lowering[op.input], lowering[roi], lowering.destination(op.result)
    _add(lowering, (*buffers, positions, weights), lines, p, None)


def _steps(op: ResizeOp, lines: Lines, parameters: dict[str, Any]) -> list[Lines]:
    """
    Return which axes are resized together: few elements make a place, or one axis.

    What becomes shortest goes first.
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


def _temporary(lowering: Lowering, buffer: SSAValue, lines: Lines) -> SSAValue:
    """Return a new buffer as `buffer` but for the axes `lines`, in the same order."""
    a, shape = addressing_of(buffer), list(addressing_of(buffer).shape)
    for axis, line in lines.items():
        shape[axis] = line.places
    order = sorted(range(len(shape)), key=lambda axis: -abs(a.strides[axis]))
    layout = LayoutAttr(permuted(tuple(order)))
    element = buffer_type(buffer).element_type
    return lowering.alloc(MemRefType(element, shape, layout))


def _add(
    lowering: Lowering,
    slots: tuple[SSAValue, SSAValue | None, SSAValue, *tuple[SSAValue | None, ...]],
    lines: Lines,
    parameters: dict[str, Any],
    region: Any,
) -> None:
    seen = [line.start for line in lines.values()]
    seen += [line.end for line in lines.values()]
    new = resize.ResizeOp(
        *slots,
        axes=tuple(lines),
        scales=[line.scale for line in lines.values()],
        region=None if region is None else seen,
        how=interpolation_of(parameters),
        extrapolation_value=parameters["extrapolation_value"],
    )
    lowering.add(new)
