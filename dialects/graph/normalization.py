"""Normalizations: values scaled by statistics of their neighbors."""

from typing import ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.group_norm import ChannelsOp, check_channels
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map, identity
from glow.support.types import (
    FLOAT,
    Tensor,
    check_rank,
    element_of,
    normalize_axis,
    shape_of,
    tensor,
)


class BatchNormOp(ChannelsOp):
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
    def infer(
        input: SSAValue,
        mean: SSAValue,
        variance: SSAValue,
        scale: SSAValue | None = None,
        bias: SSAValue | None = None,
    ) -> Tensor:
        vectors = {"mean": mean, "variance": variance, "scale": scale, "bias": bias}
        return check_channels(input, vectors)

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
        shape = (-1,) + (1,) * (input.ndim - 2)
        deviation = np.sqrt(variance + epsilon)
        factor = (1 if scale is None else scale) / deviation
        result = (input - mean.reshape(shape)) * factor.reshape(shape)
        return result if bias is None else result + bias.reshape(shape)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Channels stay axis 1."""
        if operand != 0 or order[1] != 1:
            return None
        vectors = [(0,)] * (len(self.operands) - 1)
        return Reordering((order, *vectors), (order,), self.parameters())


class LrnOp(GraphOp):
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
    def infer(input: SSAValue, *, size: int) -> Tensor:
        FLOAT.check(input)
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

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.input, self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Channels stay axis 1."""
        if order[1] != 1:
            return None
        return Reordering((order,), (order,), self.parameters())


class AlongAxisOp(DeclaredOp):
    """A function of all elements along `axis` together, at each of them."""

    SHAPES: ClassVar[str] = (
        "input any, result as input.\nErrors: an axis that the input lacks."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{axis = 1}} : (tensor<2x8x{element}>) -> tensor<2x8x{element}>"
    )

    @classmethod
    def infer(cls, input: SSAValue, *, axis: int) -> Tensor:
        cls.ELEMENTS.check(input)
        normalize_axis(axis, len(shape_of(input)))
        return tensor(element_of(input), shape_of(input))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.result)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return self.along_axis(order)


class SoftmaxOp(AlongAxisOp, onnx="Softmax-13"):
    """e^x / sum of e^x along `axis`, without overflow."""

    @staticmethod
    def compute(input: Array, *, axis: int = -1) -> Array:
        peak = np.max(input, axis, keepdims=True, initial=-np.inf)
        power = np.exp(input - peak)
        return power / np.sum(power, axis, keepdims=True)


class LogSoftmaxOp(AlongAxisOp, onnx="LogSoftmax-13"):
    """The logarithm of softmax along `axis`, without overflow."""

    @staticmethod
    def compute(input: Array, *, axis: int = -1) -> Array:
        peak = np.max(input, axis, keepdims=True, initial=-np.inf)
        shifted = input - peak
        return shifted - np.log(np.sum(np.exp(shifted), axis, keepdims=True))
