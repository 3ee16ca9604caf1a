"""Lower convolutions: choose the algorithm, pack the filter, make the border."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Region, SSAValue

from glow.dialects.graph.convolution import ConvOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory import products
from glow.dialects.memory.address import (
    Addressing,
    addressing_of,
    find_addressing,
    is_blocked,
)
from glow.dialects.memory.base import Buffer, buffer_type, extents_of
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.lowering.convolution.algorithm import (
    GENERIC,
    Algorithm,
    ConvShape,
    choose_algorithm,
)
from glow.lowering.convolution.layouts import find_groups
from glow.lowering.convolution.winograd import (
    Form,
    border_after,
    winograd_scratch_elements,
)
from glow.lowering.graph_to_memory._filters import Filter, packed_weights
from glow.lowering.graph_to_memory.halo import Halos, halo_around, halo_of, widest
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.layout import channels_last
from glow.support.types import is_narrow_float


@dataclass(frozen=True)
class ScalarEpilogue:
    """The ops fused after a product: a region of scalar ops, and buffers it reads."""

    region: Region
    extras: Sequence[SSAValue]


def lower_conv(
    lowering: Lowering,
    op: ConvOp,
    operands: Sequence[SSAValue],
    result: SSAValue,
    epilogue: ScalarEpilogue | None = None,
) -> None:
    """
    Append a convolution whose result passes through `epilogue`.

    `operands` are the values outside a group that the operands of `op` stand for.
    """
    source, value, *bias = operands
    weights = Filter.of(lowering, value, op.parameters()["group"])
    conv = Convolution(
        lowering[source],
        weights,
        lowering.contiguous(bias[0]) if bias else None,
        replace(ConvShape.of(op), is_constant=weights.stored is not None),
        halo_of(op),
        epilogue,
    )
    append_convolution(lowering, conv, lowering.destination(result))


@dataclass(frozen=True)
class Convolution:
    """A convolution whose algorithm is still to be chosen."""

    source: SSAValue
    weights: Filter
    bias: SSAValue | None
    """Without gaps: kernels read it in vectors."""
    shape: ConvShape
    halo: Halos
    """The border of zeros that a fast algorithm may read around `source`."""
    epilogue: ScalarEpilogue | None = None


def append_convolution(lowering: Lowering, conv: Convolution, wanted: SSAValue) -> None:
    """Append `conv` into `wanted`, with copies where a kernel needs other layouts."""
    source, out, halo, shape = conv.source, wanted, conv.halo, conv.shape
    algorithm, scratch = choose_algorithm(shape, lowering.target), None
    if algorithm.form is not None:
        halo = _around_tiles(extents_of(source), halo, shape.pads)
        scratch = _scratch(lowering, algorithm.form, source, out)
    if algorithm.name == "depthwise" and shape.columns > 1:
        source = _repeated(lowering, source, halo, shape.columns)
        shape = replace(shape, group=shape.filter[0])
    elif algorithm != GENERIC and not _reads(lowering, source, algorithm, halo):
        source = bordered(lowering, source, halo)
    if algorithm.name == "direct":
        scratch = room_in_f32(lowering, source, shape.pads)
    if not _is_direct(out, algorithm, shape.group):
        out = _new_channels_last(lowering, wanted, ((0, 0),) * len(halo))
    epilogue = conv.epilogue
    new = products.ConvOp(
        source,
        packed_weights(lowering, conv.weights, algorithm, conv.shape.group),
        conv.bias,
        () if epilogue is None else _read(lowering, epilogue, algorithm, shape.group),
        scratch,
        out,
        epilogue=None if epilogue is None else epilogue.region,
        kernel_shape=shape.filter[2:],
        strides=shape.strides,
        pads=shape.pads,
        dilations=shape.dilations,
        group=shape.group,
        algorithm=algorithm.name,
        halo=algorithm != GENERIC,
    )
    lowering.add(new)
    if out is not wanted:
        lowering.copy(out, wanted)


def _reads(
    lowering: Lowering, source: SSAValue, algorithm: Algorithm, halo: Halos
) -> bool:
    """Return whether `algorithm` reads `source` as it lies, in any order."""
    return algorithm.name == "direct" and _has_border(lowering, source, halo)


def _is_direct(buffer: SSAValue, algorithm: Algorithm, group: int) -> bool:
    """Return whether `algorithm` writes `buffer`, or reads an extra, as it lies."""
    type_ = buffer_type(buffer)
    if algorithm.is_product:
        return find_groups(type_, group) is not None
    own = find_addressing(type_)
    return own is not None and (algorithm == GENERIC or _is_channels_last(own))


def _read(
    lowering: Lowering,
    epilogue: ScalarEpilogue,
    algorithm: Algorithm,
    group: int,
) -> list[SSAValue]:
    """Return the epilogue's buffers, copied where `algorithm` cannot address them."""
    read: list[SSAValue] = []
    for extra in epilogue.extras:
        if is_blocked(extra) and not _is_direct(extra, algorithm, group):
            none = ((0, 0),) * len(extents_of(extra))
            new = _new_channels_last(lowering, extra, none)
            lowering.copy(extra, new)
            extra = new
        read.append(extra)
    return read


def _scratch(
    lowering: Lowering, form: Form, source: SSAValue, out: SSAValue
) -> SSAValue:
    shapes = extents_of(source), extents_of(out)
    elements = winograd_scratch_elements(lowering.target, form, *shapes)
    return lowering.temporary(f32, [elements])


def room_in_f32(
    lowering: Lowering, source: SSAValue, pads: Sequence[int] = ()
) -> SSAValue | None:
    """
    Return room for `source`, and `pads` around it, in f32: None where it is not needed.

    Kernels load the elements of a left factor one by one and many times. Floats of 16
    bits are converted three times slower that way than once, in vectors.
    """
    type_ = buffer_type(source)
    own, half = find_addressing(type_), len(pads) // 2
    if own is None or 0 in own.shape or not is_narrow_float(type_.element_type):
        return None
    more = [0] * (len(own.shape) - half)
    more += [sum(both) for both in zip(pads[:half], pads[half:], strict=True)]
    shape = tuple(n + m for n, m in zip(own.shape, more, strict=True))
    first, last = replace(own, shape=shape).bounds
    return lowering.temporary(f32, [last - first + 1])


def _around_tiles(shape: Sequence[int], halo: Halos, pads: Sequence[int]) -> Halos:
    """Return `halo` widened to the border that Winograd's last tiles read."""
    spatial = zip(shape[2:], pads[:2], pads[2:], strict=True)
    tiles = [(before, border_after(n, before, after)) for n, before, after in spatial]
    return widest(halo, ((0, 0), (0, 0), *tiles))


def bordered(lowering: Lowering, source: SSAValue, halo: Halos) -> SSAValue:
    """Return a channels-last buffer with `source` and zeros around it."""
    is_last = _is_channels_last(addressing_of(source))
    if is_last and _has_border(lowering, source, halo):
        return source
    new = _new_channels_last(lowering, source, halo)
    lowering.copy(source, new)
    return new


def _repeated(
    lowering: Lowering, source: SSAValue, halo: Halos, times: int
) -> SSAValue:
    """Return a channels-last buffer with each channel of `source` `times` times."""
    own, type_ = addressing_of(source), buffer_type(source)
    batch, channels, *spatial = own.shape
    layout = channels_last(len(halo)).with_halo(halo)
    shape = batch, channels * times, *spatial
    new = lowering.alloc(Buffer(type_.element_type, shape, LayoutAttr(layout)))
    lowering.zero_padding(new)
    out = addressing_of(new)
    extents = batch, channels, times, *spatial

    def split(a: Addressing, steps: tuple[int, int]) -> Addressing:
        return Addressing(extents, (a.strides[0], *steps, *a.strides[2:]), a.offset)

    lowering.copy(
        lowering.view(source, split(own, (own.strides[1], 0))),
        lowering.view(new, split(out, (times, 1))),
    )
    return new


def _has_border(lowering: Lowering, source: SSAValue, halo: Halos) -> bool:
    have = halo_around(source)
    return all(
        h[0] >= want[0] and h[1] >= want[1] for h, want in zip(have, halo, strict=True)
    )


def _new_channels_last(lowering: Lowering, like: SSAValue, halo: Halos) -> SSAValue:
    """Return a new channels-last buffer with this border and the shape of `like`."""
    layout = channels_last(len(halo)).with_halo(halo)
    element = buffer_type(like).element_type
    new = lowering.alloc(MemRefType(element, extents_of(like), LayoutAttr(layout)))
    if layout.has_halo:
        lowering.add(ZeroHaloOp(new))
    return new


def _is_channels_last(a: Addressing) -> bool:
    return a.shape[1] == 1 or a.strides[1] == 1
