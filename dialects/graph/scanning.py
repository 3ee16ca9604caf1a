"""Running sums, and the parts of matrices above or below a diagonal."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.normalization import AlongAxisOp
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.reordering import Order, Reordering, identity
from glow.support.types import (
    ANY,
    INDEX,
    WIDE_NUMBER,
    Tensor,
    check_rank,
    element_of,
    shape_of,
    tensor,
)


class CumsumOp(AlongAxisOp, onnx="CumSum-14", elements=WIDE_NUMBER):
    """
    The sum of the elements up to each one along `axis`, in `reverse` from each one on.

    Where it is `exclusive`, without the element itself: the first sum is 0.
    """

    @staticmethod
    def compute(
        input: Array, *, axis: int = 0, exclusive: bool = False, reverse: bool = False
    ) -> Array:
        lines = np.moveaxis(input, axis, 0)
        lines = lines[::-1] if reverse else lines
        if exclusive:
            lines = np.concatenate([np.zeros_like(lines[:1]), lines[:-1]])
        sums = np.cumsum(lines, axis=0, dtype=input.dtype)
        return np.moveaxis(sums[::-1] if reverse else sums, 0, axis)


class TriluOp(GraphOp, moves=True):
    """
    The part of each matrix on and above a diagonal (upper) or on and below it, else 0.

    The diagonal is the `k`-th above the main one, which it is without k.

    Shapes: input [..., N, M] of any type, k one element of i32 or i64, result as input.
    Errors: a rank below 2, a k of several elements or of another type.
    Source: ONNX Trilu-14.

    ```mlir
    %y = graph.trilu %x diagonal %k {upper}
        : (tensor<2x3x3xf32>, tensor<i64>) -> tensor<2x3x3xf32>
    ```
    """

    assembly_format = (
        "$input (`diagonal` $k^)? attr-dict `:` functional-type(operands, results)"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        return {"k": Neutral(0, lambda op: (), element=i64)}

    @staticmethod
    def infer(input: SSAValue, k: SSAValue | None = None) -> Tensor:
        ANY.check(input)
        shape = check_rank("an input", input, 2)
        if k is not None:
            INDEX.check(k)
            if prod(shape_of(k)) != 1:
                raise VerifyException(f"expected a k of one element, got {k.type}")
        return tensor(element_of(input), shape)

    @staticmethod
    def compute(input: Array, k: Array | None = None, *, upper: bool = False) -> Array:
        rows, columns = input.shape[-2:]
        diagonal = 0 if k is None else int(k.reshape(-1)[0])
        diagonal = min(max(diagonal, -rows), columns)
        keep = np.triu if upper else np.tril
        kept = keep(np.ones((rows, columns), np.bool_), diagonal)
        return np.where(kept, input, np.zeros((), input.dtype))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.input))
        return identity(rank) if operand == 0 else (None,) * rank

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """Rows and columns stay where they are."""
        rank = len(shape_of(self.input))
        whole = order if operand == 0 else identity(rank)
        if whole[-2:] != (rank - 2, rank - 1):
            return None
        scalars = () if self.k is None else (identity(len(shape_of(self.k))),)
        return Reordering((whole, *scalars), (whole,), self.parameters())
