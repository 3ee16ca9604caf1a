"""
Lower transposed convolutions: one per phase of the strides, or over spread inputs.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from glow.dialects.graph.convolution import ConvTransposeOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.address import Addressing, addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.elementwise import FillOp
from glow.lowering.convolution.algorithm import (
    GENERIC,
    ConvShape,
    batches_of,
    choose_algorithm,
)
from glow.lowering.graph_to_memory._filters import Filter, hint_of
from glow.lowering.graph_to_memory.convolution import (
    Convolution,
    append_convolution,
    bordered,
)
from glow.lowering.graph_to_memory.phases import Phase, border_of, phases_of
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.arrays import Shape
from glow.support.layout import channels_last
from glow.support.types import element_of, number_attribute, shape_of


@lowers(ConvTransposeOp)
def _conv_transpose(lowering: Lowering, op: ConvTransposeOp) -> None:
    wanted = lowering.destination(op.result)
    weights = _mirrored(lowering, op.filter, op.parameters()["group"])
    bias = None if op.bias is None else lowering.contiguous(op.bias)
    phases = None if find_addressing(buffer_type(wanted)) is None else phases_of(op)
    parts = [_part(lowering, op, weights, bias, phase) for phase in phases or ()]
    algorithms = [choose_algorithm(conv.shape, lowering.target) for conv, _ in parts]
    if phases is None or GENERIC in algorithms:
        _spread(lowering, op, weights, bias)
        return
    border = border_of(phases)
    source = lowering[op.input]
    if any(side for pair in border for side in pair):
        source = bordered(lowering, source, border)
    for conv, part in parts:
        append_convolution(lowering, replace(conv, source=source), part)


def _part(
    lowering: Lowering,
    op: ConvTransposeOp,
    weights: Filter,
    bias: SSAValue | None,
    phase: Phase,
) -> tuple[Convolution, SSAValue]:
    """Return the convolution of a phase, and the part of the result that it writes."""
    taken = _picked(weights, phase)
    whole = addressing_of(lowering[op.result])
    starts = (0, 0, *(axis.first for axis in phase))
    sizes = (*whole.shape[:2], *(axis.places for axis in phase))
    part = whole.part(starts, sizes, (1, 1, *op.parameters()["strides"]))
    pads = (*(axis.before for axis in phase), *(axis.after for axis in phase))
    dilations = tuple(axis.dilation for axis in phase)
    shape = _shape(op, shape_of(op.input), taken, sizes, pads, dilations)
    source, halo = lowering[op.input], border_of([phase])
    conv = Convolution(source, taken, bias, shape, halo)
    return conv, lowering.view(lowering[op.result], part)


def _picked(weights: Filter, phase: Phase) -> Filter:
    """Return the taps of mirrored `weights` that a phase reads, equally far apart."""
    taps = [
        [n - 1 - tap for tap in axis.taps]
        for n, axis in zip(weights.shape[2:], phase, strict=True)
    ]
    shape = (*weights.shape[:2], *map(len, taps))
    if weights.stored is not None:
        picked = np.ascontiguousarray(weights.stored[:, :, *np.ix_(*taps)])
        return Filter(shape, weights.hint, picked)
    assert weights.apart is not None
    starts = (0, 0, 0, *(axis[0] for axis in taps))
    steps = (1, 1, 1, *(axis[1] - axis[0] if axis[1:] else 1 for axis in taps))
    sizes = (*weights.apart.shape[:3], *shape[2:])
    part = weights.apart.part(starts, sizes, steps)
    return replace(weights, shape=shape, apart=part)


def _shape(
    op: ConvTransposeOp,
    image: Shape,
    weights: Filter,
    result: Shape,
    pads: Shape,
    dilations: Shape,
) -> ConvShape:
    """Return the shape of a convolution of stride 1 that `op` is made of."""
    return ConvShape(
        element_of(op.input),
        image,
        weights.shape,
        result,
        (1,) * len(dilations),
        pads,
        dilations,
        op.group,
        weights.stored is not None,
        batches_of(op, result[0]),
    )


def _spread(
    lowering: Lowering, op: ConvTransposeOp, weights: Filter, bias: SSAValue | None
) -> None:
    """
    Append a convolution over the input spread out by zeros, with a mirrored filter.

    A transposed convolution of stride s is a convolution of stride 1 over an input with
    s - 1 zeros between its elements.
    """
    p = op.parameters()
    n, channels, *spatial = shape_of(op.input)
    kernel = shape_of(op.filter)[2:]
    span = [d * (k - 1) for d, k in zip(p["dilations"], kernel, strict=True)]
    rank = len(kernel)
    before = [s - lo for s, lo in zip(span, p["pads"][:rank], strict=True)]
    after = [
        s - hi + extra
        for s, hi, extra in zip(
            span, p["pads"][rank:], p["output_padding"], strict=True
        )
    ]
    spread = [(e - 1) * s + 1 for e, s in zip(spatial, p["strides"], strict=True)]
    sizes = (b + e + a for b, e, a in zip(before, spread, after, strict=True))
    extents = (n, channels, *sizes)
    canvas = _canvas(lowering, op, extents, before, p["strides"])
    none, result = (0,) * (2 * rank), shape_of(op.result)
    shape = _shape(op, extents, weights, result, none, p["dilations"])
    conv = Convolution(canvas, weights, bias, shape, ((0, 0),) * (rank + 2))
    append_convolution(lowering, conv, lowering.destination(op.result))


def _canvas(
    lowering: Lowering,
    op: ConvTransposeOp,
    shape: tuple[int, ...],
    before: Sequence[int],
    strides: Sequence[int],
) -> SSAValue:
    """Return a channels-last buffer of zeros with the input spread over it."""
    element = element_of(op.input)
    layout = LayoutAttr(channels_last(len(shape)))
    canvas = lowering.alloc(MemRefType(element, shape, layout))
    lowering.add(FillOp(number_attribute(0, element), canvas))
    source, target = addressing_of(lowering[op.input]), addressing_of(canvas)
    skips, firsts, sizes = [0, 0], [0, 0], list(source.shape)
    for i, (lo, stride) in enumerate(zip(before, strides, strict=True), start=2):
        # A negative border cuts the input instead of moving it.
        skips.append(max(0, -(lo // stride)) if lo < 0 else 0)
        firsts.append(lo + skips[i] * stride)
        room = -(-(shape[i] - firsts[i]) // stride)
        sizes[i] = max(0, min(sizes[i] - skips[i], room))
    if 0 not in sizes:
        taken = source.part(skips, sizes)
        spread = target.part(firsts, sizes, (1, 1, *strides))
        lowering.copy(
            lowering.view(lowering[op.input], taken), lowering.view(canvas, spread)
        )
    return canvas


def _mirrored(lowering: Lowering, value: SSAValue, group: int) -> Filter:
    """Return filter [C, O/group, k...] as [O, C/group, k...], each k reversed."""
    channels, outputs, *kernel = shape_of(value)
    shape = (group * outputs, channels // group, *kernel)
    array, hint = lowering.logical(value), hint_of(value)
    if array is not None:
        split = array.reshape(group, channels // group, outputs, *kernel)
        mirrored = np.flip(np.swapaxes(split, 1, 2), tuple(range(3, array.ndim + 1)))
        return Filter(shape, hint, np.ascontiguousarray(mirrored).reshape(shape))
    source = lowering.contiguous(value)
    a = addressing_of(source)
    channel, output, *window = a.strides
    last = sum((k - 1) * s for k, s in zip(kernel, window, strict=True))
    strides = (channels // group * channel, output, channel, *(-s for s in window))
    apart = (group, outputs, *shape[1:])
    mirrored = Addressing(apart, strides, a.offset + last)
    return Filter(shape, hint, buffer=source, apart=mirrored)
