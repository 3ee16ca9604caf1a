"""Lower normalization over the last axes: on vectors along these, or across others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.codegen.memory import Strips
from glow.dialects.graph.group_norm import GroupNormOp, InstanceNormOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type, extents_of
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.layer_norm import Norm
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import compute_type, normalize_axis, number_attribute

STATISTICS = ("mean", "inverse")

Operands = dict[str, tuple[SSAValue, Addressing]]
"""Buffers, and as what they are seen: x and y, scale and bias, then statistics."""


@lowers(LayerNormOp, RmsNormOp, in_place=True)
def lower_last_axes_norm(main: Main, op: ApplyOp) -> None:
    graph_op, shape = op.graph_op(), extents_of(op.buffer("result"))
    statistics = op.several("statistics")
    if 0 in shape:
        _describe_nothing(main, op, statistics)
        return
    buffers = _buffers(op) | dict(zip(STATISTICS, statistics, strict=False))
    operands = {name: (value, addressing_of(value)) for name, value in buffers.items()}
    split = normalize_axis(graph_op.parameters()["axis"], len(shape))
    _lower(main, op, operands, split, isinstance(graph_op, LayerNormOp))


@lowers(InstanceNormOp, GroupNormOp, in_place=True)
def lower_channel_norm(main: Main, op: ApplyOp) -> None:
    """Lower to what normalizes [N, groups, channels of each, ...] from axis 2 on."""
    shape = extents_of(op.buffer("result"))
    if 0 in shape:
        return
    groups = op.graph_op().parameters().get("num_groups", shape[1])
    operands: Operands = {}
    for name, value in _buffers(op).items():
        is_vector = name in ("scale", "bias")
        places = len(shape) - 2 if is_vector else 0
        seen = _grouped(addressing_of(value), 0 if is_vector else 1, groups, places)
        operands[name] = value, seen
    _lower(main, op, operands, 2, True)


def _buffers(op: ApplyOp) -> dict[str, SSAValue]:
    slots = {"x": "input", "y": "result", "scale": "scale", "bias": "bias"}
    buffers = {name: op.find(slot) for name, slot in slots.items()}
    return {name: value for name, value in buffers.items() if value is not None}


def _grouped(a: Addressing, axis: int, groups: int, places: int) -> Addressing:
    """Return `a` with `axis` as groups and members, and `places` axes behind."""
    size = a.shape[axis] // groups
    shape, strides = list(a.shape), list(a.strides)
    shape[axis : axis + 1] = groups, size
    strides[axis : axis + 1] = size * a.strides[axis], a.strides[axis]
    shape, strides = (*shape, *(1,) * places), (*strides, *(0,) * places)
    return Addressing(shape, strides, a.offset)


def _lower(
    main: Main, op: ApplyOp, operands: Operands, split: int, centered: bool
) -> None:
    """Append the call that normalizes over the axes from `split` on."""
    buffers, seen = zip(*operands.values(), strict=True)
    axes = axes_of(seen[1].shape, seen)
    elements = tuple(buffer_type(value).element_type for value in buffers)
    compute, given = compute_type(elements[0]), tuple(operands)[2:]
    epsilon = op.graph_op().parameters()["epsilon"]
    rule = Norm(elements, compute, epsilon, centered, given)
    along, apart = collapse(axes[split:], (0, 1)), collapse(axes[:split], (1, 0))
    count = math.prod(axis.extent for axis in axes[split:])
    still = frozenset({"scale", "bias", *STATISTICS})
    lines = LinesOf(rule, along, apart, (count,), still)
    strips = Strips.of(main.target, [*elements, compute], unroll=4)
    across = Strips.of(main.target, [*elements, compute], unroll=2)
    if along and lines.still_on(along[-1]) is not None:
        kernel, row, work = lines.plan(strips, None)
    else:
        kernel, row, work = lines.plan(Strips(0), across)
    main.call(kernel, [main.base(value) for value in buffers], row, work)


def _describe_nothing(main: Main, op: ApplyOp, statistics: Sequence[SSAValue]) -> None:
    """Append calls that say of no elements that their mean and variance are NaN."""
    for value in statistics:
        element = buffer_type(value).element_type
        nan = ScalarProgram.constant(number_attribute(math.nan, element), element)
        run_program(main, op, nan, [value], [addressing_of(value)])
