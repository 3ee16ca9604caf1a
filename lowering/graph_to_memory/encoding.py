"""Lower one_hot: each index is compared with each place."""

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.casts import convert
from glow.codegen.conditions import select
from glow.codegen.values import Value, constant
from glow.dialects.graph.indexing import OneHotOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.elementwise import ElementwiseOp
from glow.lowering.graph_to_memory.scalar import ScalarRegion
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.arrays import check_room
from glow.support.locations import name_of
from glow.support.types import element_of, normalize_axis, shape_of


@lowers(OneHotOp)
def _one_hot(lowering: Lowering, op: OneHotOp) -> None:
    depth, rank = op.depth, len(shape_of(op.result))
    axis = normalize_axis(op.axis, rank)
    out = lowering.destination(op.result)
    places = _places(lowering, lowering[op.indices], depth)
    places = lowering.view(places, addressing_of(places).with_axis(axis))
    check_room(4 * depth, f"the table of {op.name} (from {name_of(op)})")
    if depth >= 1 << 31:
        raise PassFailedException(
            f"{op.name} (from {name_of(op)}): expected a depth below 2**31, got {depth}"
        )
    numbers = np.arange(depth, dtype=np.int32).reshape(-1, *[1] * (rank - 1 - axis))
    inputs = [places, lowering.constant(numbers, "places")]
    region = ScalarRegion()
    place, number = region.argument(i32), region.argument(i32)
    with region.writing():
        off, on = (_value(lowering, op.values, i, inputs, region) for i in (0, 1))
        value = select(place == number, on, off)
    lowering.add(ElementwiseOp(inputs, [out], region.finish(value)))


def _places(lowering: Lowering, indices: SSAValue, depth: int) -> SSAValue:
    """Return the indices counted from the front, as i32: -1 where there is no place."""
    element, shape = buffer_type(indices).element_type, extents_of(indices)
    region = ScalarRegion()
    index = region.argument(element)
    with region.writing():
        from_end = index + depth
        place = select(index < 0, from_end, index)
        # Indices that are too low stay negative; too high ones must not wrap in i32.
        place = convert(select(place < depth, place, -1), i32)
        place = select(from_end >= 0, place, -1)
    places = lowering.temporary(i32, shape)
    lowering.add(ElementwiseOp([indices], [places], region.finish(place)))
    return places


def _value(
    lowering: Lowering,
    values: SSAValue,
    index: int,
    inputs: list[SSAValue],
    region: ScalarRegion,
) -> Value:
    """Return off or on: a constant if it is known, else one more input."""
    element, known = element_of(values), lowering.logical(values)
    if known is not None:
        return constant(known[index].item(), element)
    scalar = addressing_of(lowering[values]).at(0, index)
    inputs.append(lowering.view(lowering[values], scalar))
    return region.argument(element)
