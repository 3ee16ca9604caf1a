"""Lower one_hot: each index is compared with each place."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region, SSAValue

from glow.dialects.graph.encoding import OneHotOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.elementwise import ElementwiseOp, YieldOp
from glow.lowering.graph_to_memory.scalar_body import ScalarBody
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import element_of, normalize_axis, shape_of


@lowers(OneHotOp)
def _one_hot(lowering: Lowering, op: OneHotOp) -> None:
    depth, rank = op.depth, len(shape_of(op.result))
    axis = normalize_axis(op.axis, rank)
    out = lowering.destination(op.result)
    places = _with_axis(lowering, _places(lowering, lowering[op.indices], depth), axis)
    numbers = np.arange(depth, dtype=np.int32).reshape(-1, *[1] * (rank - 1 - axis))
    inputs = [places, lowering.constant(numbers, "places")]
    block = Block(arg_types=[i32, i32])
    body = ScalarBody(block)
    values = [_value(lowering, op.values, i, inputs, body) for i in (0, 1)]
    is_here = body.compare("eq", *block.args[:2])
    block.add_op(YieldOp([body.select(is_here, values[1], values[0])]))
    lowering.add(ElementwiseOp(inputs, [out], Region(block)))


def _places(lowering: Lowering, indices: SSAValue, depth: int) -> SSAValue:
    """Return the indices counted from the front, as i32: -1 where there is no place."""
    element, shape = buffer_type(indices).element_type, extents_of(indices)
    block = Block(arg_types=[element])
    body, (index,) = ScalarBody(block), block.args
    zero, length = body.const(0, element), body.const(depth, element)
    from_end = body.add(index, length)
    place = body.select(body.compare("lt", index, zero), from_end, index)
    # What is too low is negative still; what is too high must not be cut to fit.
    is_low = body.compare("lt", place, length)
    place = body.cast(body.select(is_low, place, body.const(-1, element)), i32)
    is_high = body.compare("ge", from_end, zero)
    place = body.select(is_high, place, body.const(-1, i32))
    block.add_op(YieldOp([place]))
    found = lowering.temporary(i32, shape)
    lowering.add(ElementwiseOp([indices], [found], Region(block)))
    return found


def _with_axis(lowering: Lowering, places: SSAValue, axis: int) -> SSAValue:
    """Return `places` with one more axis, of extent 1."""
    a = addressing_of(places)
    shape = (*a.shape[:axis], 1, *a.shape[axis:])
    strides = (*a.strides[:axis], 0, *a.strides[axis:])
    return lowering.view(places, Addressing(shape, strides, a.offset))


def _value(
    lowering: Lowering,
    values: SSAValue,
    index: int,
    inputs: list[SSAValue],
    body: ScalarBody,
) -> SSAValue:
    """Return off or on: a constant if it is known, else one more input."""
    element, known = element_of(values), lowering.logical(values)
    if known is not None:
        return body.const(known[index].item(), element)
    a = addressing_of(lowering[values])
    scalar = Addressing((), (), a.offset + index * a.strides[0])
    inputs.append(lowering.view(lowering[values], scalar))
    return body.argument(element)
