"""Ops that reorder or repeat elements and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.reordering import (
    Order,
    Reordering,
    broadcast_map,
    broadcast_order,
    identity,
    picked,
    reshaped_order,
)
from glow.support.arrays import Array
from glow.support.types import check_extents, element_of, shape_of, tensor


class TransposeOp(GraphOp, moves=True):
    """
    Axis i of the result is axis permutation[i] of the input.

    Shapes: input any, result as input with its axes permuted.
    Errors: no permutation of the input's axes.
    Source: ONNX Transpose-23.

    ```mlir
    %y = graph.transpose %x {permutation = array<i64: 0, 2, 1>}
        : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, permutation: Sequence[int]) -> AnyTensorType:
        shape = shape_of(input)
        if sorted(permutation) != list(range(len(shape))):
            raise VerifyException(
                f"expected a permutation of {len(shape)} axes, got {list(permutation)}"
            )
        return tensor(element_of(input), [shape[axis] for axis in permutation])

    @staticmethod
    def compute(input: Array, *, permutation: Sequence[int]) -> Array:
        return input.transpose(permutation)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return self.permutation

    @staticmethod
    def gradient(b: Backward) -> Any:
        order = sorted(range(b.g.ndim), key=b.permutation.__getitem__)
        return b.g.transpose(*order)


class ReshapeOp(GraphOp, moves=True):
    """
    The same elements in row-major order under another shape.

    Shapes: input any, result `shape`, which is explicit: no 0 or -1 with a meaning.
    Errors: a shape of another number of elements.
    Source: ONNX Reshape-23 with a known shape.

    ```mlir
    %y = graph.reshape %x {shape = array<i64: 6, 4>}
        : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, shape: Sequence[int]) -> AnyTensorType:
        size = prod(shape_of(input))
        if any(extent < 0 for extent in shape) or prod(shape) != size:
            raise VerifyException(
                f"expected a shape of {size} elements, got {list(shape)}"
            )
        return tensor(element_of(input), shape)

    @staticmethod
    def compute(input: Array, *, shape: Sequence[int]) -> Array:
        return input.reshape(shape)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Merged and split axes must stay together."""
        shape = shape_of(self.result)
        result = reshaped_order(shape_of(self.input), shape, order)
        if result is None:
            return None
        return Reordering((order,), (result,), {"shape": picked(shape, result)})

    def reordered_for(self, result: int, order: Order) -> Reordering | None:
        wish = reshaped_order(shape_of(self.result), shape_of(self.input), order)
        reordering = None if wish is None else self.reordered(0, wish)
        return reordering if reordering and reordering.results == (order,) else None

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g.reshape(*b.input.shape)


class ExpandOp(GraphOp, moves=True):
    """
    The input broadcast together with `shape`.

    Shapes: input any, result NumPy's broadcast of its shape with `shape`.
    Errors: a shape that does not broadcast.
    Source: ONNX Expand-13 with a known shape.

    ```mlir
    %y = graph.expand %x {shape = array<i64: 2, 3, 4>}
        : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, shape: Sequence[int]) -> AnyTensorType:
        check_extents(shape)
        try:
            extents = np.broadcast_shapes(shape_of(input), tuple(shape))
        except ValueError:
            raise VerifyException(
                f"cannot broadcast {input.type} with {list(shape)}"
            ) from None
        return tensor(element_of(input), extents)

    @staticmethod
    def compute(input: Array, *, shape: Sequence[int]) -> Array:
        return np.broadcast_to(input, np.broadcast_shapes(input.shape, tuple(shape)))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.input, self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        shape = shape_of(self.result)
        result = broadcast_order(len(shape), order)
        return Reordering((order,), (result,), {"shape": picked(shape, result)})

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g


class TileOp(GraphOp, moves=True):
    """
    The input repeated repeats[i] times along axis i.

    Shapes: input any, result extents multiplied by repeats.
    Errors: another number of repeats than axes, a negative one.
    Source: ONNX Tile-13 with known repeats.

    ```mlir
    %y = graph.tile %x {repeats = array<i64: 1, 2>}
        : (tensor<2x3xf32>) -> tensor<2x6xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, repeats: Sequence[int]) -> AnyTensorType:
        shape = shape_of(input)
        if len(repeats) != len(shape) or any(count < 0 for count in repeats):
            raise VerifyException(
                f"expected {len(shape)} repeats of at least 0, got {list(repeats)}"
            )
        pairs = zip(shape, repeats, strict=True)
        return tensor(element_of(input), [extent * count for extent, count in pairs])

    @staticmethod
    def compute(input: Array, *, repeats: Sequence[int]) -> Array:
        return np.tile(input, repeats)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return identity(len(shape_of(self.input)))

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return self.in_order(order, repeats=picked(self.repeats, order))

    @staticmethod
    def gradient(b: Backward) -> Any:
        pairs = zip(b.repeats, b.input.shape, strict=True)
        parts = b.g.reshape(*(extent for pair in pairs for extent in pair))
        return b.xp.sum(parts, axis=tuple(range(0, parts.ndim, 2)))


class SpaceToDepthOp(GraphOp, moves=True):
    """
    Each block of space moved into channels; the place in the block varies slowest.

    Shapes: input [N, C, H, W], result [N, C * b * b, H / b, W / b] for block_size b.
    Errors: another rank, a block_size that does not divide H and W.
    Source: ONNX SpaceToDepth-13.

    ```mlir
    %y = graph.space_to_depth %x {block_size = 2 : i64}
        : (tensor<1x3x4x6xf32>) -> tensor<1x12x2x3xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, block_size: int) -> AnyTensorType:
        n, c, h, w = shape_of(input, rank=4)
        if block_size < 1 or h % block_size or w % block_size:
            raise VerifyException(
                f"expected a block_size that divides {h} and {w}, got {block_size}"
            )
        extents = (n, c * block_size**2, h // block_size, w // block_size)
        return tensor(element_of(input), extents)

    @staticmethod
    def compute(input: Array, *, block_size: int) -> Array:
        n, c, h, w = input.shape
        b = block_size
        blocks = input.reshape(n, c, h // b, b, w // b, b)
        return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.emit(DepthToSpaceOp, b.g, block_size=b.block_size)


class DepthToSpaceOp(GraphOp, moves=True):
    """
    Channels moved into blocks of space; the inverse of `graph.space_to_depth`.

    In mode DCR the place in the block varies slowest in the channels, in CRD fastest.
    Shapes: input [N, C, H, W], result [N, C / (b * b), H * b, W * b] for block_size b.
    Errors: another rank, a block_size whose square does not divide C, another mode.
    Source: ONNX DepthToSpace-13.

    ```mlir
    %y = graph.depth_to_space %x {block_size = 2 : i64, mode = "CRD"}
        : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, block_size: int) -> AnyTensorType:
        n, c, h, w = shape_of(input, rank=4)
        if block_size < 1 or c % block_size**2:
            raise VerifyException(
                f"expected a block_size whose square divides {c}, got {block_size}"
            )
        extents = (n, c // block_size**2, h * block_size, w * block_size)
        return tensor(element_of(input), extents)

    @staticmethod
    def compute(
        input: Array, *, block_size: int, mode: Literal["DCR", "CRD"] = "DCR"
    ) -> Array:
        n, c, h, w = input.shape
        b = block_size
        depth = c // b**2
        if mode == "DCR":
            blocks = input.reshape(n, b, b, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
        else:
            blocks = input.reshape(n, depth, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
        return blocks.reshape(n, depth, h * b, w * b)

    @staticmethod
    def gradient(b: Backward) -> Any:
        if b.mode == "DCR":
            return b.emit(SpaceToDepthOp, b.g, block_size=b.block_size)
        n, _, h, w = b.input.shape
        size = b.block_size
        blocks = b.g.reshape(n, -1, h, size, w, size).transpose(0, 1, 3, 5, 2, 4)
        return blocks.reshape(*b.input.shape)
