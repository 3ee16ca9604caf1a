"""Positions as rotations: pairs of elements turned by an angle per position."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.attention_sizes import split_heads
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.indexing import check_indices
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import FLOAT, INDEX, shape_of, tensor, tensor_type


class RotaryEmbeddingOp(GraphOp, elements=FLOAT):
    """
    Pairs (a, b) of each head become (a cos - b sin, a sin + b cos), by position.

    The first `rotary_embedding_dim` elements of a head are turned, or all where that is
    0. Pairs are an element of their first half and one of the second, or neighbors
    with `interleaved`. With `positions`, row p of cos and sin is for position p, and
    negative ones count from the last; absent, cos and sin are given for each element
    of the batch, or once for all.

    Shapes: input [batch, heads, length, elements], or [batch, length, heads * elements]
        with `num_heads`; cos and sin [rows, r / 2] for r elements that are turned and
        positions [batch, length] of integers, or else [batch or 1, length, r / 2];
        result as input.
    Errors: other shapes, an odd r or one above the elements; when run, a position
        outside of the rows.
    Source: ONNX RotaryEmbedding-23.

    ```mlir
    %y = graph.rotary_embedding %x, %c, %s positions %p
        : (tensor<1x2x3x4xf32>, tensor<9x2xf32>, tensor<9x2xf32>, tensor<1x3xi64>)
        -> tensor<1x2x3x4xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        cos: SSAValue,
        sin: SSAValue,
        positions: SSAValue | None = None,
        *,
        num_heads: int | None,
        rotary_embedding_dim: int,
    ) -> AnyTensorType:
        shape = shape_of(input)
        batch, _, length, elements = split_heads("input", shape, "num_heads", num_heads)
        turned = rotary_embedding_dim or elements
        if turned % 2 or not 0 <= turned <= elements:
            raise VerifyException(
                f"expected an even rotary_embedding_dim of at most {elements}, "
                f"got {turned}"
            )
        half = turned // 2
        wanted = f"[{batch}, {length}, {half}]"
        if positions is not None:
            INDEX.check(positions)
            check_shape("positions", positions, (batch, length))
            wanted = f"[rows, {half}]"
        for name, value in (("cos", cos), ("sin", sin)):
            got = shape_of(value)
            given = ((batch, length, half), (1, length, half))
            if not (got in given if positions is None else got[1:] == (half,)):
                raise VerifyException(
                    f"expected {name} of shape {wanted}, got {tensor_type(value)}"
                )
        return tensor(same_element(input, cos, sin), shape)

    @staticmethod
    def compute(
        input: Array,
        cos: Array,
        sin: Array,
        positions: Array | None = None,
        *,
        num_heads: int | None = None,
        rotary_embedding_dim: int = 0,
        interleaved: bool = False,
    ) -> Array:
        if positions is not None:
            check_indices(positions, len(cos))
            check_indices(positions, len(sin))
            cos, sin = cos[positions], sin[positions]
        if num_heads is None:
            heads, axis = input, 1
        else:
            heads, axis = input.reshape(*input.shape[:2], num_heads, -1), 2
        cos, sin = np.expand_dims(cos, axis), np.expand_dims(sin, axis)
        result = heads.copy()
        turned = rotary_embedding_dim or heads.shape[-1]
        first, second = pairs(turned, interleaved)
        a, b = heads[..., first], heads[..., second]
        result[..., first] = a * cos - b * sin
        result[..., second] = a * sin + b * cos
        return result.reshape(input.shape)


def pairs(turned: int, interleaved: bool) -> tuple[slice, slice]:
    """Return where the first and the second elements of the pairs are in a head."""
    if interleaved:
        return slice(0, turned, 2), slice(1, turned, 2)
    return slice(0, turned // 2), slice(turned // 2, turned)
