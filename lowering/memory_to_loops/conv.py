"""Lower convolutions: implicit products over packed filters."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.loops import Level
from glow.dialects.graph.window import Window
from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing, addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.products import ConvOp
from glow.lowering.convolution.layouts import CHANNELS, GROUPS, find_groups
from glow.lowering.memory_to_loops._contraction import ContractionRow, call_contraction
from glow.lowering.memory_to_loops._epilogue import Matrix, epilogue_of
from glow.lowering.memory_to_loops._winograd import call_winograd
from glow.lowering.memory_to_loops.axes import strides_in
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.product import Product
from glow.lowering.memory_to_loops.product_calls import call_product
from glow.lowering.memory_to_loops.rows import Offsets, offsets_of
from glow.lowering.memory_to_loops.windows import spatial_axes, window_table
from glow.support.targets import Target
from glow.support.types import compute_type


@lowers(ConvOp, epilogue=1)
def lower_conv(main: Main, op: ConvOp) -> None:
    match op.algorithm.data:
        case "direct" | "pairs" | "depthwise":
            call_product(main, op, (op.input, op.filter), _direct(main.target, op))
        case "winograd":
            _winograd(main, op, ConvGeometry.of(op))
        case _:
            _generic(main, op, ConvGeometry.of(op))


@dataclass(frozen=True)
class ConvGeometry:
    """The geometry of a convolution and where its input lies."""

    input: Addressing
    result: tuple[int, ...]
    """The shape of the result."""
    window: Window
    group: int

    @staticmethod
    def of(op: ConvOp) -> ConvGeometry:
        shape, group = extents_of(op.result), op.group.value.data
        return ConvGeometry(addressing_of(op.input), shape, op.window, group)

    @property
    def depth(self) -> int:
        """The channels of the input that one output reads."""
        return self.input.shape[1] // self.group

    def rows(self) -> Offsets:
        """Where each output pixel's window begins in the input, batch outermost."""
        spatial = self.input.strides[2:]
        start = -sum(p * s for p, s in zip(self.window.begins, spatial, strict=True))
        steps = [s * step for s, step in zip(self.window.strides, spatial, strict=True)]
        batch, _, *pixels = self.result
        return offsets_of((batch, *pixels), (self.input.strides[0], *steps), start)

    def segments(self) -> tuple[Offsets, int, int]:
        """Return where a window's stretches begin, their length and their step."""
        steps = [
            d * s
            for d, s in zip(self.window.dilations, self.input.strides[2:], strict=True)
        ]
        channel = self.input.strides[1] if self.depth > 1 else 1
        if channel == 1 and steps[-1] == self.depth:
            return (
                offsets_of(self.window.kernel[:-1], steps[:-1]),
                self.window.kernel[-1] * self.depth,
                1,
            )
        return offsets_of(self.window.kernel, steps), self.depth, channel


def _direct(target: Target, op: ConvOp) -> Product:
    if not _is_direct(op):
        raise PassFailedException(f"expected another algorithm than direct for {op}")
    conv = ConvGeometry.of(op)
    if op.algorithm.data == "depthwise":
        return _depthwise(target, op, conv)
    return _product(op, conv)


def _winograd(main: Main, op: ConvOp, conv: ConvGeometry) -> None:
    result = addressing_of(op.result)
    if not _is_direct(op) or (result.shape[1] > 1 and result.strides[1] != 1):
        raise PassFailedException(f"expected another algorithm than winograd for {op}")
    epilogue = epilogue_of(op, axis=1)
    call_winograd(main, op, conv.input, result, conv.window.begins, epilogue)


def _is_direct(op: ConvOp) -> bool:
    """Say whether vectors can do it: computed in f32, no border to check."""
    buffers = (op.input, op.filter)
    has_border = any(op.pads.get_values()) and op.halo is None
    return not has_border and all(
        compute_type(buffer_type(buffer).element_type) == f32 for buffer in buffers
    )


def _depthwise(target: Target, op: ConvOp, conv: ConvGeometry) -> Product:
    """Each place of the window is a stretch, multiplied lane by lane."""
    addressing = addressing_of(op.result)
    result = Matrix.of(addressing.shape, addressing.strides, 1)
    epilogue = epilogue_of(op, axis=1)
    panel, one = target.panel_widths[0], np.zeros(1, np.int64)
    spatial, window = conv.input.strides[2:], conv.window
    steps = [d * s for d, s in zip(window.dilations, spatial, strict=True)]
    extras = epilogue.matrices
    return Product(
        epilogue=epilogue,
        panel=panel,
        columns=result.columns,
        panel_stride=panel,
        pitch=result.columns,
        is_packed=False,
        rows=conv.rows(),
        result_rows=result.offsets(),
        extra_rows=tuple(extra.offsets() for extra in extras),
        segments=offsets_of(window.kernel, steps),
        run=1,
        step=steps[-1],
        left_batches=one,
        right_batches=one,
        bias_batches=one,
        result_batches=one,
        extra_batches=(one,) * len(extras),
        result_step=result.column_stride,
        is_depthwise=True,
        taps=window.kernel[-1],
    )


def _product(op: ConvOp, conv: ConvGeometry) -> Product:
    """A group is a batch: it has channels, panels and results of its own."""
    in_pairs = op.algorithm.data == "pairs"
    panel = physical_shape_of(op.filter.type)[-2 if in_pairs else -1]
    group = np.arange(conv.group, dtype=np.int64)

    def grouped(buffer: SSAValue) -> Addressing:
        return _by_group(buffer, conv.result, conv.group)

    addressing = grouped(op.result)
    result = Matrix.of(
        addressing.shape, addressing.strides, CHANNELS, addressing.offset
    )
    rows = [i for i in range(len(result.shape)) if i != GROUPS]
    epilogue = epilogue_of(op, CHANNELS, grouped, (GROUPS,))
    extras = epilogue.matrices
    depth = prod(conv.window.kernel) * conv.depth
    panels = -(-result.columns // panel)
    segments, run, step = conv.segments()
    return Product(
        epilogue=epilogue,
        panel=panel,
        columns=result.columns,
        panel_stride=depth * panel,
        pitch=panel,
        is_packed=True,
        in_pairs=in_pairs,
        rows=conv.rows(),
        result_rows=result.offsets(rows),
        extra_rows=tuple(extra.offsets(rows) for extra in extras),
        segments=segments,
        run=run,
        step=step,
        left_batches=group * conv.depth * conv.input.strides[1],
        right_batches=group * panels * depth * panel,
        bias_batches=group * result.columns,
        result_batches=result.moves([GROUPS]),
        extra_batches=tuple(extra.moves([GROUPS]) for extra in extras),
        result_step=result.column_stride,
    )


def _by_group(buffer: SSAValue, shape: tuple[int, ...], group: int) -> Addressing:
    """
    Return `buffer`, broadcast to `shape`, as [N, group, C / group, ...].

    The offset counts from its base pointer.
    """
    type_ = buffer_type(buffer)
    own = find_addressing(type_)
    if own is None:
        groups = find_groups(type_, group) if type_.get_shape() == shape else None
        if groups is None:
            raise PassFailedException(
                f"expected {group} groups of channels with strides, got {type_}"
            )
        return groups
    outer, step, *others = strides_in(own, shape)
    batch, channels, *spatial = shape
    wide = (batch, group, channels // group, *spatial)
    return Addressing(wide, (outer, channels // group * step, step, *others))


def _generic(main: Main, op: ConvOp, conv: ConvGeometry) -> None:
    """Any strides, any type; windows are clipped to the input."""
    shape = conv.result
    if 0 in shape:
        return
    filter = addressing_of(op.filter)
    read = [strides_in(addressing_of(extra), shape) for extra in op.extras]
    results = [*read, addressing_of(op.result).strides]
    columns = shape[1] // conv.group
    bias = 0 if op.bias is None else addressing_of(op.bias).strides[0]
    batch, channel = conv.input.strides[:2]
    output, depth, *taps = filter.strides
    outer = (
        Level(shape[0], (batch, 0, 0, *(r[0] for r in results))),
        Level(
            conv.group,
            (
                conv.depth * channel,
                columns * output,
                columns * bias,
                *(columns * r[1] for r in results),
            ),
        ),
        Level(columns, (0, output, bias, *(r[1] for r in results))),
    )
    steps, moves, window = conv.input.strides[2:], conv.window.strides, conv.window
    places = [
        (move * step, 0, 0, *(own[2 + i] for own in results))
        for i, (step, move) in enumerate(zip(steps, moves, strict=True))
    ]
    dilated = (d * step for d, step in zip(window.dilations, steps, strict=True))
    axes = spatial_axes(shape[2:], places, list(zip(dilated, taps, strict=True)))
    begin = -sum(pad * step for pad, step in zip(window.begins, steps, strict=True))
    inner = (Level(conv.depth, (channel, depth)),)
    row = ContractionRow(outer, inner, axes, begin, code=0)
    table = window_table(window, conv.input.shape[2:], shape[2:], counts_pads=False)
    factors = op.input, op.filter
    call_contraction(main, op, factors, row, table, prod(window.kernel))
