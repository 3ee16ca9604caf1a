"""Lower convolutions: implicit products over packed filters."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.layout.attribute import physical_shape_of
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.compute import ConvOp
from glow.lowering.memory_to_loops._contraction import (
    Loops,
    Slide,
    call_contraction,
)
from glow.lowering.memory_to_loops._epilogue import Epilogue, Matrix, epilogue_of
from glow.lowering.memory_to_loops._product import Product, call_product
from glow.lowering.memory_to_loops._rows import Offsets, offsets_of
from glow.lowering.memory_to_loops._winograd import call_winograd
from glow.lowering.memory_to_loops.axes import Axis, strides_in
from glow.lowering.memory_to_loops.kernels.depthwise import Depthwise
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(ConvOp)
def lower_conv(main: Main, op: ConvOp) -> None:
    window = Window.of(op)
    match op.algorithm.data:
        case "direct" | "depthwise" | "winograd":
            _direct(main, op, window)
        case _:
            _generic(main, op, window)


@dataclass(frozen=True)
class Window:
    """The geometry of a convolution and where its operands lie."""

    input: Addressing
    result: Addressing
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    """What lies before the input along each spatial axis."""
    dilations: tuple[int, ...]
    group: int

    @staticmethod
    def of(op: ConvOp) -> Window:
        kernel = op.kernel_shape.get_values()
        return Window(
            addressing_of(op.input),
            addressing_of(op.result),
            tuple(kernel),
            tuple(op.strides.get_values()),
            tuple(op.pads.get_values()[: len(kernel)]),
            tuple(op.dilations.get_values()),
            op.group.value.data,
        )

    @property
    def depth(self) -> int:
        """The channels of the input that one output reads."""
        return self.input.shape[1] // self.group

    def rows(self) -> Offsets:
        """Where each output pixel's window begins in the input, batch outermost."""
        spatial = self.input.strides[2:]
        start = -sum(p * s for p, s in zip(self.pads, spatial, strict=True))
        steps = [s * step for s, step in zip(self.strides, spatial, strict=True)]
        batch, _, *pixels = self.result.shape
        return offsets_of((batch, *pixels), (self.input.strides[0], *steps), start)

    def segments(self) -> tuple[Offsets, int, int]:
        """Return where a window's stretches begin, their length and their step."""
        steps = [
            d * s for d, s in zip(self.dilations, self.input.strides[2:], strict=True)
        ]
        channel = self.input.strides[1] if self.depth > 1 else 1
        if channel == 1 and steps[-1] == self.depth:
            return (
                offsets_of(self.kernel[:-1], steps[:-1]),
                self.kernel[-1] * self.depth,
                1,
            )
        return offsets_of(self.kernel, steps), self.depth, channel


def _direct(main: Main, op: ConvOp, window: Window) -> None:
    shape, strides = window.result.shape, window.result.strides
    result = Matrix.of(shape, strides, axis=1)
    if not _is_direct(op, result):
        raise PassFailedException(f"expected another algorithm than direct for {op}")
    epilogue = epilogue_of(op, axis=1)
    if op.algorithm.data == "winograd":
        call_winograd(main, op, window.input, window.result, window.pads, epilogue)
        return
    product = _depthwise if op.algorithm.data == "depthwise" else _product
    found = product(main, op, window, epilogue, result)
    call_product(main, op, (op.input, op.filter), found)


def _is_direct(op: ConvOp, result: Matrix) -> bool:
    """Say whether vectors can do it: f32, channels innermost, no border to check."""
    buffers = (op.input, op.filter)
    has_border = any(op.pads.get_values()) and op.halo is None
    return (
        all(buffer_type(buffer).element_type == f32 for buffer in buffers)
        and result.column_stride == 1
        and not has_border
    )


def _depthwise(
    main: Main, op: ConvOp, window: Window, epilogue: Epilogue, result: Matrix
) -> Product:
    """Each place of the window is a stretch, multiplied lane by lane."""
    panel, one = main.target.panel_widths[0], np.zeros(1, np.int64)
    steps = zip(window.dilations, window.input.strides[2:], strict=True)
    extras = epilogue.matrices
    return Product(
        epilogue=epilogue,
        has_bias=op.bias is not None,
        panel=panel,
        columns=result.columns,
        panel_stride=panel,
        pitch=result.columns,
        is_packed=False,
        rows=window.rows(),
        result_rows=result.offsets(),
        extra_rows=tuple(extra.offsets() for extra in extras),
        segments=offsets_of(window.kernel, [d * s for d, s in steps]),
        run=1,
        step=1,
        left_batches=one,
        right_batches=one,
        bias_batches=one,
        result_batches=one,
        extra_batches=(one,) * len(extras),
        kernel=Depthwise,
    )


def _product(
    main: Main, op: ConvOp, window: Window, epilogue: Epilogue, result: Matrix
) -> Product:
    """A group is a batch: it has channels, panels and results of its own."""
    panel = physical_shape_of(op.filter.type)[-1]
    group = np.arange(window.group, dtype=np.int64)
    columns = result.columns // window.group
    depth = prod(window.kernel) * window.depth
    panels = -(-columns // panel)
    segments, run, step = window.segments()
    extras = epilogue.matrices
    return Product(
        epilogue=epilogue,
        has_bias=op.bias is not None,
        panel=panel,
        columns=columns,
        panel_stride=depth * panel,
        pitch=panel,
        is_packed=True,
        rows=window.rows(),
        result_rows=result.offsets(),
        extra_rows=tuple(extra.offsets() for extra in extras),
        segments=segments,
        run=run,
        step=step,
        left_batches=group * window.depth * window.input.strides[1],
        right_batches=group * panels * depth * panel,
        bias_batches=group * columns,
        result_batches=group * columns,
        extra_batches=tuple(group * columns * e.column_stride for e in extras),
    )


def _generic(main: Main, op: ConvOp, window: Window) -> None:
    """Any strides, any type; windows are clipped to the input."""
    shape = window.result.shape
    if 0 in shape:
        return
    filter = addressing_of(op.filter)
    read = [strides_in(addressing_of(extra), shape) for extra in op.extras]
    results = [*read, window.result.strides]
    columns = shape[1] // window.group
    bias = 0 if op.bias is None else addressing_of(op.bias).strides[0]
    batch, channel = window.input.strides[:2]
    output, depth, *taps = filter.strides
    outer = [
        Axis(shape[0], (batch, 0, 0, *(r[0] for r in results))),
        Axis(
            window.group,
            (
                window.depth * channel,
                columns * output,
                columns * bias,
                *(columns * r[1] for r in results),
            ),
        ),
        Axis(columns, (0, output, bias, *(r[1] for r in results))),
    ]
    slides: list[Slide] = []
    begin = 0
    for i, (step, pad, dilation) in enumerate(
        zip(window.strides, window.pads, window.dilations, strict=True)
    ):
        stride = window.input.strides[2 + i]
        moves = (step * stride, 0, 0, *(r[2 + i] for r in results))
        begin -= pad * stride
        slides.append(
            Slide(
                Axis(shape[2 + i], moves),
                step,
                pad,
                dilation,
                window.kernel[i],
                window.input.shape[2 + i],
                (dilation * stride, taps[i]),
            )
        )
    inner = [Axis(window.depth, (channel, depth))]
    call_contraction(
        main, op, (op.input, op.filter), Loops(outer, inner, slides, begin)
    )
