"""Convolutions over one to three spatial axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, Unpack

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.presence import PER_CHANNEL_BIAS, per_channel
from glow.dialects.graph.window import Ints, Sliding, Window
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import FLOAT, shape_of, tensor


def _check_group(group: int, input: SSAValue, filter: SSAValue) -> None:
    rank = len(shape_of(input))
    if rank < 3 or len(shape_of(filter)) != rank:
        raise VerifyException(
            "expected an input and a filter of one rank of at least 3, "
            f"got {input.type} and {filter.type}"
        )
    if group < 1:
        raise VerifyException(f"expected a group of at least 1, got {group}")


class ConvolutionOp(GraphOp, elements=FLOAT):
    """A weighted sum over a window, plus one bias per output channel when given."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"bias": PER_CHANNEL_BIAS}

    @property
    def window(self) -> Window:
        """The kernel and its movement, defaults filled in."""
        return self._window_of(super().parameters())

    def _window_of(self, own: dict[str, Any]) -> Window:
        kernel = shape_of(self.filter)[2:]
        return Window.of(kernel, own["strides"], own["pads"], own["dilations"])

    def parameters(self) -> dict[str, Any]:
        own = super().parameters()
        return own | self._window_of(own).parameters()


def _surplus(window: Window, input: Ints, result: Ints) -> tuple[Ints, Ints]:
    """Return how many elements per axis windows leave unread, or read beyond it."""
    rests = [
        extent + window.begins[axis] - (count - 1) * window.strides[axis] - span
        for axis, (extent, count, span) in enumerate(
            zip(input, result, window.spans, strict=True)
        )
    ]
    return tuple(max(r, 0) for r in rests), tuple(max(-r, 0) for r in rests)


def spread_windows(
    b: Backward, g: Any, filter: Any, window: Window, spatial: Ints, group: int
) -> Any:
    """Add `filter` times each element of `g` to the window that the element is for."""
    unread, beyond = _surplus(window, spatial, g.shape[2:])
    return b.emit(
        ConvTransposeOp,
        g,
        filter,
        strides=window.strides,
        dilations=window.dilations,
        pads=(*window.begins, *beyond),
        output_padding=unread,
        group=group,
    )


def _by_filter(b: Backward, input: Any, g: Any, window: Window, group: int) -> Any:
    """
    Return the gradient of the filter of a convolution of `input`.

    It is a convolution too: of channels as if they were images, by `g` as a filter
    whose steps are the strides.
    """
    n, channels, *spatial = input.shape
    places = range(2, input.ndim)
    unread, beyond = _surplus(window, tuple(spatial), g.shape[2:])
    parts = input.reshape(n, group, channels // group, *spatial)
    parts = parts.transpose(2, 1, 0, *(axis + 1 for axis in places))
    parts = parts.reshape(channels // group, group * n, *spatial)
    if any(unread):
        pairs = zip(spatial, unread, strict=True)
        parts = parts[(..., *(slice(0, extent - rest) for extent, rest in pairs))]
    result = b.emit(
        ConvOp,
        parts,
        g.transpose(1, 0, *places),
        strides=window.dilations,
        dilations=window.strides,
        pads=(*window.begins, *beyond),
        group=group,
    )
    return result.transpose(1, 0, *places)


class ConvOp(ConvolutionOp):
    """
    Convolution (cross-correlation), plus one bias per output channel when given.

    Shapes: input [N, C, spatial...] with 1 to 3 spatial axes, filter [O, C / group,
    kernel...], bias [O], result [N, O, spatial...]; one floating-point type.
    Errors: channels that group does not divide or that differ, a bias of another shape,
    a kernel larger than the padded input, parameters of another length.
    Source: ONNX Conv-22 with explicit pads; `resolve_auto_pad` gives them.

    ```mlir
    %y = graph.conv %x, %w bias %b {pads = array<i64: 1, 1, 1, 1>}
        : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>)
        -> tensor<1x4x8x8xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        filter: SSAValue,
        bias: SSAValue | None = None,
        *,
        group: int,
        **sliding: Unpack[Sliding],
    ) -> AnyTensorType:
        element = same_element(input, filter, bias)
        _check_group(group, input, filter)
        batch, channels, *spatial = shape_of(input)
        features, depth, *kernel = shape_of(filter)
        if depth * group != channels:
            raise VerifyException(
                f"expected a filter of {channels} / {group} input channels, got {depth}"
            )
        if features % group:
            raise VerifyException(
                f"expected output channels that {group} groups divide, got {features}"
            )
        check_shape("a bias", bias, (features,))
        window = Window.of(kernel, **sliding)
        return tensor(element, (batch, features, *window.extents(spatial)))

    @staticmethod
    def compute(
        input: Array,
        filter: Array,
        bias: Array | None = None,
        *,
        group: int = 1,
        **sliding: Unpack[Sliding],
    ) -> Array:
        window = Window.of(filter.shape[2:], **sliding)
        extents = window.extents(input.shape[2:])
        features, taps = filter.shape[0], prod(filter.shape[1:])
        windows = window.view(window.padded(input, 0, extents), extents)
        matrix = filter.reshape(group, features // group, taps)
        result = np.empty((len(input), features, *extents), input.dtype)
        for sample, columns in zip(result, windows, strict=True):  # bounds memory
            flat = columns.reshape(group, taps, prod(extents))
            sample[...] = (matrix @ flat).reshape(sample.shape)
        return result if bias is None else result + per_channel(bias, result)

    @staticmethod
    def gradient(b: Backward) -> Any:
        window, places = b.op.window, tuple(range(2, b.g.ndim))
        by_bias = b.xp.sum(b.g, axis=(0, *places))
        if 0 in (*b.g.shape, *b.input.shape):
            return b.zeros(b.input), b.zeros(b.filter), by_bias
        spatial = b.input.shape[2:]
        by_input = spread_windows(b, b.g, b.filter, window, spatial, b.group)
        return by_input, _by_filter(b, b.input, b.g, window, b.group), by_bias


class ConvTransposeOp(ConvolutionOp):
    """
    Transposed convolution: each input element adds a scaled filter to the result.

    Shapes: input [N, C, spatial...] with 1 to 3 spatial axes, filter [C, O / group,
    kernel...], bias [O], result [N, O, spatial...] where an extent is stride * (extent
    - 1) + output_padding + dilated kernel - pads; one floating-point type.
    Errors: as `graph.conv`; pads that leave nothing.
    Source: ONNX ConvTranspose-22; `resolve_output_shape` gives pads and output_padding.

    ```mlir
    %y = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>}
        : (tensor<1x3x4x4xf32>, tensor<3x5x2x2xf32>) -> tensor<1x5x8x8xf32>
    ```
    """

    def parameters(self) -> dict[str, Any]:
        parameters = super().parameters()
        if parameters["output_padding"] is None:
            parameters["output_padding"] = (0,) * len(self.window.kernel)
        return parameters

    @staticmethod
    def infer(
        input: SSAValue,
        filter: SSAValue,
        bias: SSAValue | None = None,
        *,
        group: int,
        output_padding: Sequence[int] | None,
        **sliding: Unpack[Sliding],
    ) -> AnyTensorType:
        element = same_element(input, filter, bias)
        _check_group(group, input, filter)
        batch, channels, *spatial = shape_of(input)
        depth, features, *kernel = shape_of(filter)
        if depth != channels:
            raise VerifyException(
                f"expected a filter of {channels} input channels, got {depth}"
            )
        if channels % group:
            raise VerifyException(
                f"expected input channels that {group} groups divide, got {channels}"
            )
        check_shape("a bias", bias, (features * group,))
        window = Window.of(kernel, **sliding)
        extents = _transposed_extents(spatial, window, output_padding)
        return tensor(element, (batch, features * group, *extents))

    @staticmethod
    def compute(
        input: Array,
        filter: Array,
        bias: Array | None = None,
        *,
        group: int = 1,
        output_padding: Sequence[int] | None = None,
        **sliding: Unpack[Sliding],
    ) -> Array:
        window = Window.of(filter.shape[2:], **sliding)
        batch, channels, *spatial = input.shape
        features = filter.shape[1] * group
        columns = filter.reshape(group, channels // group, -1).swapaxes(1, 2)
        flat = input.reshape(batch, group, channels // group, prod(spatial))
        parts = (columns @ flat).reshape(batch, features, *window.kernel, *spatial)
        extents = _transposed_extents(spatial, window, output_padding)
        sides = zip(window.begins, window.ends, extents, strict=True)
        full = np.zeros((batch, features, *map(sum, sides)), input.dtype)
        for position in product(*(range(extent) for extent in window.kernel)):
            place = (
                slice(p * d, p * d + (n - 1) * s + 1, s)
                for p, n, s, d in zip(
                    position, spatial, window.strides, window.dilations, strict=True
                )
            )
            full[:, :, *place] += parts[:, :, *position]
        kept = (slice(b, b + x) for b, x in zip(window.begins, extents, strict=True))
        result = full[:, :, *kept]
        return result if bias is None else result + per_channel(bias, result)

    @staticmethod
    def gradient(b: Backward) -> Any:
        window, places = b.op.window, tuple(range(2, b.g.ndim))
        by_bias = b.xp.sum(b.g, axis=(0, *places))
        if 0 in (*b.g.shape, *b.input.shape):
            return b.zeros(b.input), b.zeros(b.filter), by_bias
        given = {
            "strides": window.strides,
            "dilations": window.dilations,
            "group": b.group,
        }
        _, beyond = _surplus(window, b.g.shape[2:], b.input.shape[2:])
        by_input = b.emit(
            ConvOp, b.g, b.filter, pads=(*window.begins, *beyond), **given
        )
        kept = (..., *(slice(0, extent) for extent in b.input.shape[2:]))
        by_filter = _by_filter(b, b.g, b.input, window, b.group)
        return by_input[kept], by_filter, by_bias


def _transposed_extents(
    spatial: Sequence[int], window: Window, output_padding: Sequence[int] | None
) -> Ints:
    axes = len(window.kernel)
    extra = (0,) * axes if output_padding is None else tuple(output_padding)
    if len(extra) != axes or any(extent < 0 for extent in extra):
        raise VerifyException(
            f"expected output_padding of {axes} entries of at least 0, "
            f"got {list(extra)}"
        )
    extents = tuple(
        (extent - 1) * window.strides[axis]
        + extra[axis]
        + window.spans[axis]
        - window.begins[axis]
        - window.ends[axis]
        for axis, extent in enumerate(spatial)
    )
    if any(extent < 1 for extent in extents):
        raise VerifyException(
            f"expected pads that leave something, got extents {list(extents)}"
        )
    return extents
