"""Normalizations of channels: by neighbors, given statistics, or those of an image."""

from __future__ import annotations

from functools import reduce
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.presence import (
    PER_CHANNEL_BIAS,
    PER_CHANNEL_SCALE,
    per_channel,
)
from glow.dialects.graph.reordering import Order, Reordering
from glow.dialects.graph.slicing import PadOp
from glow.support.arrays import Array
from glow.support.shapes import check_rank, check_shape, same_element
from glow.support.types import FLOAT, element_of, shape_of, tensor


class ChannelsOp(GraphOp, elements=FLOAT):
    """An op on [N, C, ...], the first operand, with vectors [C] as the others."""

    FIXED: ClassVar[tuple[int, ...]] = (1,)
    """The axes that must stay where they are."""

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.operands[0]))
        if operand == 0:
            return tuple(range(rank))
        return tuple(0 if axis == 1 else None for axis in range(rank))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return None if operand else self.in_order(order, self.FIXED)


class LrnOp(ChannelsOp):
    """
    x / (bias + alpha / size * sum of squares of the `size` channels around)^beta.

    Of the neighbors (size - 1) / 2, rounded down, come before and the others after;
    channels that do not exist count as 0.

    Shapes: input [N, C, ...], result as input.
    Errors: a rank below 2, a size below 1.
    Source: ONNX LRN-13.

    ```mlir
    %y = graph.lrn %x {size = 5} : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, size: int) -> AnyTensorType:
        shape = check_rank("an input", input, 2)
        if size < 1:
            raise VerifyException(f"expected a size of at least 1, got {size}")
        return tensor(element_of(input), shape)

    @staticmethod
    def compute(
        input: Array,
        *,
        size: int,
        alpha: float = 1e-4,
        beta: float = 0.75,
        bias: float = 1.0,
    ) -> Array:
        before, after = (size - 1) // 2, size // 2
        pads = [(0, 0), (before, after)] + [(0, 0)] * (input.ndim - 2)
        squares = np.pad(input * input, pads)
        channels = input.shape[1]
        near = sum(squares[:, shift : shift + channels] for shift in range(size))
        return input / (bias + alpha / size * near) ** beta

    @staticmethod
    def gradient(b: Backward) -> Any:
        before, after = (b.size - 1) // 2, b.size // 2
        scale = b.alpha / b.size

        def near(value: Any, before: int, after: int) -> Any:
            pads = [0] * (2 * value.ndim)
            pads[1], pads[1 + value.ndim] = before, after
            wide, channels = b.emit(PadOp, value, pads=pads), value.shape[1]
            return reduce(
                lambda total, shift: total + wide[:, shift : shift + channels],
                range(1, b.size),
                wide[:, :channels],
            )

        base = near(b.input * b.input, before, after) * scale + b.bias
        part = b.g * b.xp.pow(base, -b.beta)
        far = near(part * b.input / base, after, before)
        return part - b.input * far * (2 * b.beta * scale)


class ChannelNormOp(ChannelsOp):
    """A normalization with parameters of each channel."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"scale": PER_CHANNEL_SCALE, "bias": PER_CHANNEL_BIAS}

    @classmethod
    def infer(
        cls, input: SSAValue, *vectors: SSAValue | None, **parameters: Any
    ) -> AnyTensorType:
        shape = check_rank("an input", input, 2)
        for name, value in zip(cls.operand_names()[1:], vectors, strict=True):
            check_shape(name, value, shape[1:2], ", one per channel")
        return tensor(same_element(input, *vectors), shape)


def _affine(value: Array, scale: Array | None, bias: Array | None) -> Array:
    value = value if scale is None else value * per_channel(scale, value)
    return value if bias is None else value + per_channel(bias, value)


class BatchNormOp(ChannelNormOp):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias, per channel.

    Scale and bias are optional, each on its own.

    Shapes: input [N, C, ...], mean, variance, scale and bias [C], result as input.
    Errors: a rank below 2, a parameter that is not [C], several element types.
    Source: ONNX BatchNormalization-15 with training_mode = 0.

    ```mlir
    %y = graph.batch_norm %x, %m, %v scale %s : tensor<2xf32> bias %b : tensor<2xf32>
        : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
    ```
    """

    @staticmethod
    def compute(
        input: Array,
        mean: Array,
        variance: Array,
        scale: Array | None = None,
        bias: Array | None = None,
        *,
        epsilon: float = 1e-5,
    ) -> Array:
        factor = (1 if scale is None else scale) / np.sqrt(variance + epsilon)
        return _affine(input - per_channel(mean, input), factor, bias)

    @staticmethod
    def gradient(b: Backward) -> Any:
        def column(vector: Any) -> Any:
            return vector.reshape(-1, *(1,) * (b.g.ndim - 2))

        def total(value: Any) -> Any:
            return b.xp.sum(value, axis=(0, *range(2, b.g.ndim)))

        inverse = 1 / b.xp.sqrt(b.variance + b.epsilon)
        factor = inverse if b.scale is None else inverse * b.scale
        by_bias, by_factor = total(b.g), total(b.g * (b.input - column(b.mean)))
        by_variance = by_factor * factor * inverse * inverse * -0.5
        return (
            b.g * column(factor),
            -by_bias * factor,
            by_variance,
            by_factor * inverse,
            by_bias,
        )


def _normalized(
    input: Array,
    groups: int,
    epsilon: float,
    scale: Array | None,
    bias: Array | None,
) -> Array:
    """Normalize each image over groups of channels."""
    images, channels, *spatial = input.shape
    grouped = input.reshape(images, groups, channels // max(groups, 1), *spatial)
    axes = tuple(range(2, grouped.ndim))
    centered = grouped - np.mean(grouped, axes, keepdims=True)
    variance = np.mean(centered * centered, axes, keepdims=True)
    normal = (centered / np.sqrt(variance + epsilon)).reshape(input.shape)
    return _affine(normal, scale, bias)


class ImageNormOp(ChannelNormOp):
    """A normalization of each image by itself."""

    FIXED: ClassVar = (0, 1)

    @staticmethod
    def gradient(b: Backward) -> Any:
        images, channels, *spatial = b.input.shape
        groups = b.op.parameters().get("num_groups", channels)
        shape = (images, groups, -1 if 0 not in b.input.shape else 0, *spatial)

        def column(vector: Any) -> Any:
            return vector.reshape(-1, *(1,) * len(spatial))

        def mean(value: Any) -> Any:
            return b.xp.mean(value, axis=tuple(range(2, value.ndim)), keepdims=True)

        def total(value: Any) -> Any:
            return b.xp.sum(value, axis=(0, *range(2, value.ndim)))

        x = b.input.reshape(*shape)
        centered = x - mean(x)
        inverse = 1 / b.xp.sqrt(mean(centered * centered) + b.epsilon)
        normal = centered * inverse
        scaled = b.g if b.scale is None else b.g * column(b.scale)
        part = scaled.reshape(*shape)
        own = (part - mean(part) - normal * mean(part * normal)) * inverse
        by_scale = total(b.g * normal.reshape(*b.input.shape))
        return own.reshape(*b.input.shape), by_scale, total(b.g)


class InstanceNormOp(ImageNormOp):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias, over each channel's places.

    Each image is on its own. An absent scale is 1, an absent bias 0.

    Shapes: input [N, C, ...], scale and bias [C], result as input.
    Errors: a rank below 2, a scale or bias that is not [C], several element types.
    Source: ONNX InstanceNormalization-22; there scale and bias are required.

    ```mlir
    %y = graph.instance_norm %x scale %s : tensor<2xf32> bias %b : tensor<2xf32>
        : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    ```
    """

    @staticmethod
    def compute(
        input: Array,
        scale: Array | None = None,
        bias: Array | None = None,
        *,
        epsilon: float = 1e-5,
    ) -> Array:
        return _normalized(input, input.shape[1], epsilon, scale, bias)


class GroupNormOp(ImageNormOp):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias, over groups of channels.

    The channels are `num_groups` groups of neighbors; mean and variance are those of
    all places of a group's channels in an image. An absent scale is 1, an absent bias
    0.

    Shapes: input [N, C, ...], scale and bias [C], result as input.
    Errors: a rank below 2, groups that do not divide the channels, a scale or bias that
        is not [C], several element types.
    Source: ONNX GroupNormalization-21 with stash_type = 1; there scale and bias are
        required.

    ```mlir
    %y = graph.group_norm %x scale %s : tensor<4xf32> bias %b : tensor<4xf32>
        {num_groups = 2} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    ```
    """

    @classmethod
    def infer(
        cls, input: SSAValue, *vectors: SSAValue | None, **parameters: Any
    ) -> AnyTensorType:
        result = super().infer(input, *vectors)
        channels, num_groups = shape_of(input)[1], parameters["num_groups"]
        if num_groups < 1 or channels % num_groups:
            raise VerifyException(
                f"expected num_groups to divide {channels} channels, got {num_groups}"
            )
        return result

    @staticmethod
    def compute(
        input: Array,
        scale: Array | None = None,
        bias: Array | None = None,
        *,
        num_groups: int,
        epsilon: float = 1e-5,
    ) -> Array:
        return _normalized(input, num_groups, epsilon, scale, bias)
