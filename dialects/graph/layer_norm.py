"""Normalizations over the last axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.irdl import result_def, var_result_def

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import NOTHING, Neutral, Neutrals
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.presence import added, multiplied
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.arrays import Array
from glow.support.shapes import check_broadcasts, same_element
from glow.support.types import FLOAT, element_of, normalize_axis, shape_of, tensor


class LastAxesNormOp(GraphOp, elements=FLOAT):
    """A normalization over the axes from `axis` on."""

    @staticmethod
    def neutrals() -> Neutrals:
        return {"scale": Neutral(1, _normalized_shape, outside=multiplied)}

    @classmethod
    def infer(cls, input: SSAValue, *affine: SSAValue | None, **parameters: Any) -> Any:
        shape = shape_of(input)
        for name, value in zip(cls.operand_names()[1:], affine, strict=True):
            check_broadcasts(name, value, shape)
        normalize_axis(parameters["axis"], len(shape))
        return tensor(same_element(input, *affine), shape)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.results[result])

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """The axes that statistics are taken over stay the last ones."""
        first = normalize_axis(self.axis, len(shape_of(self.operands[0])))
        if operand != 0 or max(order[:first], default=-1) >= first:
            return None
        return self.broadcast_reordering(0, order)


def _normalized_shape(op: LastAxesNormOp) -> tuple[int, ...]:
    """Return the extents from the first axis on that statistics are taken over."""
    shape = shape_of(op.operands[0])
    return shape[normalize_axis(op.axis, len(shape)) :]


class LayerNormOp(LastAxesNormOp):
    """
    (x - mean) / sqrt(variance + epsilon) * scale + bias, over axes from `axis` on.

    An absent scale is 1, an absent bias 0. With `with_statistics`, the mean and
    1 / sqrt(variance + epsilon) are results too. Statistics are taken in f32, of f64
    in f64.

    Shapes: input any, scale and bias broadcast to it, result as input; statistics as
        input with extent 1 from `axis` on.
    Errors: an axis that the input lacks, a scale or bias that does not broadcast.
    Source: ONNX LayerNormalization-17 with stash_type = 1; there scale is required.

    ```mlir
    %y = graph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32>
        {axis = 1} : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
    """

    result = result_def(TENSOR)
    statistics = var_result_def(TENSOR)

    @staticmethod
    def neutrals() -> Neutrals:
        bias = Neutral(NOTHING, _normalized_shape, outside=added)
        return {**LastAxesNormOp.neutrals(), "bias": bias}

    @classmethod
    def infer(
        cls, input: SSAValue, *affine: SSAValue | None, **parameters: Any
    ) -> tuple[AnyTensorType, ...]:
        result, shape = super().infer(input, *affine, **parameters), shape_of(input)
        first = normalize_axis(parameters["axis"], len(shape))
        statistic = tensor(
            element_of(input), shape[:first] + (1,) * (len(shape) - first)
        )
        return (result, *[statistic] * 2 * parameters["with_statistics"])

    @staticmethod
    def compute(
        input: Array,
        scale: Array | None = None,
        bias: Array | None = None,
        *,
        axis: int = -1,
        epsilon: float = 1e-5,
        with_statistics: bool = False,
    ) -> tuple[Array, ...]:
        axes = tuple(range(axis % input.ndim, input.ndim))
        mean = np.mean(input, axes, keepdims=True)
        centered = input - mean
        variance = np.mean(centered * centered, axes, keepdims=True)
        inverse = 1 / np.sqrt(variance + epsilon)
        result = centered * inverse
        result = result if scale is None else result * scale
        result = result if bias is None else result + bias
        return (result, mean, inverse) if with_statistics else (result,)

    @staticmethod
    def gradient(b: Backward) -> Any:
        rank = b.input.ndim
        axes = tuple(range(b.axis % rank, rank))

        def mean(value: Any) -> Any:
            return b.xp.mean(value, axis=axes, keepdims=True)

        if b.with_statistics:
            middle, inverse = b.statistics
        else:
            middle = mean(b.input)
            square = mean((b.input - middle) * (b.input - middle))
            inverse = 1 / b.xp.sqrt(square + b.epsilon)
        normal = (b.input - middle) * inverse
        scaled = b.g if b.scale is None else b.g * b.scale
        own = (scaled - mean(scaled) - normal * mean(scaled * normal)) * inverse
        if b.with_statistics:
            size = b.input.size // max(middle.size, 1)
            by_middle, by_inverse = b.gradient_of(1), b.gradient_of(2)
            part = by_middle - by_inverse * inverse * inverse * normal
            own = own + part / max(size, 1)
        return own, b.g * normal, b.g


class RmsNormOp(LastAxesNormOp):
    """
    x / sqrt(mean of squares + epsilon) * scale, over axes from `axis` on.

    An absent scale is 1. The mean is taken in f32, of f64 in f64.

    Shapes: input any, scale broadcasts to it, result as input.
    Errors: an axis that the input lacks, a scale that does not broadcast.
    Source: ONNX RMSNormalization-23 with stash_type = 1; there scale is required.

    ```mlir
    %y = graph.rms_norm %x scale %s : tensor<8xf32> {axis = 1}
        : (tensor<2x8xf32>) -> tensor<2x8xf32>
    ```
    """

    assembly_format = (
        "$input (`scale` $scale^ `:` type($scale))? attr-dict"
        " `:` functional-type($input, $result)"
    )

    @staticmethod
    def compute(
        input: Array,
        scale: Array | None = None,
        *,
        axis: int = -1,
        epsilon: float = 1e-5,
    ) -> Array:
        axes = tuple(range(axis % input.ndim, input.ndim))
        square = np.mean(input * input, axes, keepdims=True)
        result = input / np.sqrt(square + epsilon)
        return result if scale is None else result * scale

    @staticmethod
    def gradient(b: Backward) -> Any:
        rank = b.input.ndim
        axes = tuple(range(b.axis % rank, rank))
        square = b.xp.mean(b.input * b.input, axis=axes, keepdims=True)
        inverse = 1 / b.xp.sqrt(square + b.epsilon)
        normal = b.input * inverse
        scaled = b.g if b.scale is None else b.g * b.scale
        shared = b.xp.mean(scaled * normal, axis=axes, keepdims=True)
        return (scaled - normal * shared) * inverse, b.g * normal
