"""Reductions to an index: where along an axis the best element stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.reduction import reduced_map, reduced_order, reduced_shape
from glow.dialects.graph.reordering import Order, Reordering
from glow.support.types import (
    NUMBER,
    ElementSet,
    Tensor,
    normalize_axis,
    shape_of,
    tensor,
)


class ArgReductionOp(DeclaredOp):
    """
    The index of one element along `axis`.

    Of several that are best the first is taken, or the last with
    `select_last_index`. NaN is never best, unless it comes first: then it is.
    """

    ELEMENTS: ClassVar[ElementSet] = NUMBER
    SHAPES: ClassVar[str] = (
        "input any, result without `axis`, or with extent 1 along it.\n"
        "Errors: no elements along `axis`."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{axis = 1, keepdims}}\n"
        "    : (tensor<2x3x{element}>) -> tensor<2x1xi64>"
    )

    @classmethod
    def infer(cls, input: SSAValue, *, axis: int, keepdims: bool) -> Tensor:
        cls.ELEMENTS.check(input)
        shape = shape_of(input)
        axis = normalize_axis(axis, len(shape))
        if shape[axis] == 0:
            raise VerifyException(f"expected elements along axis {axis}, got none")
        return tensor(i64, reduced_shape(shape, (axis,), keepdims))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        rank = len(shape_of(self.input))
        axis = normalize_axis(self.axis, rank)
        return reduced_map(rank, (axis,), self.keepdims)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        axis = normalize_axis(self.axis, len(order))
        result = reduced_order(order, (axis,), self.keepdims)
        moved = self.parameters() | {"axis": order.index(axis)}
        return Reordering((order,), (result,), moved)


def index_of(best: np.ufunc) -> Callable[..., Array]:
    """Return the `compute` that finds the first or last element that is `best`."""

    def compute(
        input: Array,
        *,
        axis: int = 0,
        keepdims: bool = True,
        select_last_index: bool = False,
    ) -> Array:
        first_is_nan = np.isnan(np.take(input, [0], axis))
        hits = (input == best.reduce(input, axis, keepdims=True)) & ~first_is_nan
        if select_last_index:
            last = input.shape[axis] - 1
            index = last - np.argmax(np.flip(hits, axis), axis, keepdims=True)
            index = np.where(hits.any(axis, keepdims=True), index, 0)
        else:
            index = np.argmax(hits, axis, keepdims=True)
        return index if keepdims else np.squeeze(index, axis)

    return compute


class ArgMaxOp(ArgReductionOp, onnx="ArgMax-13", compute=index_of(np.fmax)):
    """The index of the largest element along `axis`; NaN is as in ONNX Runtime."""


class ArgMinOp(ArgReductionOp, onnx="ArgMin-13", compute=index_of(np.fmin)):
    """The index of the smallest element along `axis`; NaN is as in ONNX Runtime."""
