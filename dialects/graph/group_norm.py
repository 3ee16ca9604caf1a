"""Normalizations over groups of channels of each image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.optional import Neutrals
from glow.dialects.graph.outside import PER_CHANNEL_BIAS, PER_CHANNEL_SCALE
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.types import (
    FLOAT,
    Tensor,
    check_rank,
    check_shape,
    same_element,
    shape_of,
    tensor,
)


class ChannelsOp(GraphOp):
    """An op on [N, C, ...], the first operand, with vectors [C] as the others."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"scale": PER_CHANNEL_SCALE, "bias": PER_CHANNEL_BIAS}

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.operands[0]))
        if operand == 0:
            return tuple(range(rank))
        return tuple(0 if axis == 1 else None for axis in range(rank))


def check_channels(input: SSAValue, vectors: Mapping[str, SSAValue | None]) -> Tensor:
    """Return the type of the result, which is that of `input`, after all checks."""
    FLOAT.check(input)
    shape = check_rank("an input", input, 2)
    for name, value in vectors.items():
        check_shape(name, value, shape[1:2], ", one per channel")
    return tensor(same_element(input, *vectors.values()), shape)


def _normalized(input: Array, groups: int, epsilon: float) -> Array:
    """Return `input` less the mean and over the deviation of each group."""
    images, channels, *spatial = input.shape
    grouped = input.reshape(images, groups, channels // max(groups, 1), *spatial)
    axes = tuple(range(2, grouped.ndim))
    centered = grouped - np.mean(grouped, axes, keepdims=True)
    variance = np.mean(centered * centered, axes, keepdims=True)
    return (centered / np.sqrt(variance + epsilon)).reshape(input.shape)


def _affine(value: Array, scale: Array | None, bias: Array | None) -> Array:
    shape = (-1,) + (1,) * (value.ndim - 2)
    value = value if scale is None else value * scale.reshape(shape)
    return value if bias is None else value + bias.reshape(shape)


class ChannelNormOp(ChannelsOp):
    """A normalization of the places of an image's channels, some together."""

    @staticmethod
    def infer(
        input: SSAValue,
        scale: SSAValue | None = None,
        bias: SSAValue | None = None,
        **parameters: Any,
    ) -> Tensor:
        return check_channels(input, {"scale": scale, "bias": bias})

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Images and channels stay the first axes."""
        if operand != 0 or order[:2] != (0, 1):
            return None
        others = [(0,)] * (len(self.operands) - 1)
        return Reordering((order, *others), (order,), self.parameters())


class InstanceNormOp(ChannelNormOp):
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
        return _affine(_normalized(input, input.shape[1], epsilon), scale, bias)


class GroupNormOp(ChannelNormOp):
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

    @staticmethod
    def infer(
        input: SSAValue,
        scale: SSAValue | None = None,
        bias: SSAValue | None = None,
        *,
        num_groups: int,
        **parameters: Any,
    ) -> Tensor:
        result = ChannelNormOp.infer(input, scale, bias)
        channels = shape_of(input)[1]
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
        return _affine(_normalized(input, num_groups, epsilon), scale, bias)
