"""Pools: a sliding window, or all of space, to one number per place and channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from math import prod
from typing import Any, ClassVar, Required, Unpack

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.convolution import spread_windows
from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reduction import limits_of
from glow.dialects.graph.window import Ints, PoolWindow, Sliding, Window
from glow.support.arrays import Array
from glow.support.shapes import check_rank
from glow.support.types import NUMBER, element_of, shape_of, tensor


def _combine(array: Array, window: Window, extents: Ints, function: np.ufunc) -> Array:
    """Reduce every window of the padded `array`, one axis after the other."""
    for axis, count in enumerate(extents):
        array = reduce(function, window.along(array, axis, count))
    return array


class Pooling(Sliding, total=False):
    """The parameters of every pool."""

    kernel_shape: Required[Sequence[int]]
    ceil_mode: bool


class PoolOp(DeclaredOp):
    """A function of each window of an input."""

    SHAPES: ClassVar[str] = (
        "input [N, C, spatial...] with 1 to 3 spatial axes, result [N, C,\n"
        "windows...].\n"
        "Errors: a kernel that exceeds the padded input by two strides, parameters of\n"
        "another length, padding as wide as the kernel."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x {{kernel_shape = array<i64: 2, 2>}}\n"
        "    : (tensor<1x3x8x8x{element}>) -> tensor<1x3x7x7x{result}>"
    )

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> Any:
        window = _window_of(parameters)
        for side in (window.begins, window.ends):
            if any(pad >= span for pad, span in zip(side, window.spans, strict=True)):
                raise VerifyException(
                    f"expected pads smaller than the kernel {list(window.spans)}, "
                    f"got {list(window.pads)}"
                )
        batch, channels, *spatial = check_rank("an input", input, 3)
        return tensor(element_of(input), (batch, channels, *window.extents(spatial)))

    @property
    def window(self) -> PoolWindow:
        """The kernel and its movement, defaults filled in."""
        return _window_of(super().parameters())

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | self.window.parameters()


def _window_of(parameters: Mapping[str, Any]) -> PoolWindow:
    return PoolWindow.of(**{n: parameters[n] for n in Pooling.__annotations__})


class MaxPoolOp(PoolOp, onnx="MaxPool-22 with explicit pads", elements=NUMBER):
    """
    The greatest element in each window, and optionally its place.

    Padding is never the greatest, NaN always is. A window with nothing but padding has
    the lowest number, of floats -inf, and the index -1. An index counts over the whole
    input, row-major, or with the first spatial axis fastest where storage_order is 1;
    of equal elements the first is meant. Indices are of i64.
    """

    result = result_def(TENSOR)

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> tuple[AnyTensorType, ...]:
        storage_order = parameters["storage_order"]
        if storage_order not in (0, 1):
            raise VerifyException(
                f"expected a storage_order of 0 or 1, got {storage_order}"
            )
        result = super().infer(input, **parameters)
        return result, tensor(i64, shape_of(result))

    @staticmethod
    def compute(
        input: Array,
        *,
        storage_order: int = 0,
        with_indices: bool = False,
        **pooling: Unpack[Pooling],
    ) -> tuple[Array, ...]:
        window = PoolWindow.of(**pooling)
        padded, inner, extents = window.over(input, limits_of(input.dtype)[0])
        if not with_indices:
            return (_combine(padded, inner, extents, np.maximum),)
        places = inner.padded(_places(input.shape, storage_order), -1, extents)
        return _greatest(
            inner.view(padded, extents), inner.view(places, extents), inner.kernel
        )

    @staticmethod
    def gradient(b: Backward) -> Any:
        given = b.op.parameters() | {"with_indices": True, "storage_order": 0}
        _, indices = b.writer.emit_all(MaxPoolOp, b.input, **given)
        g, size = b.g, b.input.size
        counts = b.op.window.counts(b.input.shape[2:], padding=False)
        if any((count == 0).any() for count in counts):  # windows of padding alone
            g, indices = b.xp.where(indices < 0, 0, g), b.xp.maximum(indices, 0)
        zeros = b.zeros(b.input).reshape(size)
        sums = b.xp.add_at(zeros, indices.reshape(-1, 1), g.reshape(g.size))
        return sums.reshape(*b.input.shape)


def _places(shape: Sequence[int], storage_order: int) -> Array:
    """Return the index that `indices` has for each element of a tensor."""
    spatial = tuple(shape[2:])
    order = "F" if storage_order else "C"
    plane = np.arange(prod(spatial), dtype=np.int64).reshape(spatial, order=order)
    bases = np.arange(shape[0] * shape[1], dtype=np.int64) * plane.size
    return bases.reshape(*shape[:2], *(1,) * len(spatial)) + plane


def _greatest(values: Array, places: Array, kernel: Ints) -> tuple[Array, Array]:
    """Return the first greatest element of each window and its place."""
    positions = product(*(range(extent) for extent in kernel))
    first = next(positions)
    best, best_place = values[:, :, *first].copy(), places[:, :, *first].copy()
    for position in positions:
        value, place = values[:, :, *position], places[:, :, *position]
        greater = (value > best) | (np.isnan(value) & ~np.isnan(best))
        better = (place >= 0) & (greater | (best_place < 0))
        np.copyto(best, value, where=better)
        np.copyto(best_place, place, where=better)
    return best, best_place


class AvgPoolOp(PoolOp, onnx="AveragePool-22 with explicit pads"):
    """
    The mean of each window; padding counts where count_include_pad says so.

    What ceil_mode adds beyond the padding never counts.
    """

    @staticmethod
    def compute(
        input: Array, *, count_include_pad: bool = False, **pooling: Unpack[Pooling]
    ) -> Array:
        window = PoolWindow.of(**pooling)
        sums = _combine(*window.over(input, 0), np.add)
        counts = window.counts(input.shape[2:], padding=count_include_pad)
        for axis, count in enumerate(counts):
            divisor = np.maximum(count, 1).astype(input.dtype)
            sums = sums / divisor.reshape(-1, *(1,) * (len(counts) - 1 - axis))
        return sums

    @staticmethod
    def gradient(b: Backward) -> Any:
        spatial = b.input.shape[2:]
        counts = b.op.window.counts(spatial, padding=b.count_include_pad)
        divisors = reduce(np.multiply.outer, [np.maximum(n, 1) for n in counts])
        return _spread(b, b.g / divisors.astype(b.g.dtype))


class LpPoolOp(PoolOp, onnx="LpPool-22 with explicit pads"):
    """The p-norm of each window, for p of at least 1; padding is zero."""

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> AnyTensorType:
        check_norm(parameters["p"])
        return super().infer(input, **parameters)

    @staticmethod
    def compute(input: Array, *, p: int = 2, **pooling: Unpack[Pooling]) -> Array:
        window = PoolWindow.of(**pooling)
        sums = _combine(*window.over(np.abs(input) ** p, 0), np.add)
        return root(sums, p)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return _by_norm(b, lambda value: _spread(b, value))


def _spread(b: Backward, value: Any) -> Any:
    """Add each element of a tensor like the result to the elements of its window."""
    channels, window = value.shape[1], b.op.window
    if 0 in (*value.shape, *b.input.shape):
        return b.zeros(b.input)
    ones = b.writer.like(1, value)
    ones = b.xp.broadcast_to(ones, (channels, 1, *window.kernel))
    return spread_windows(b, value, ones, window, b.input.shape[2:], channels)


def _by_norm(b: Backward, spread: Callable[[Any], Any]) -> Any:
    """Take 0 as the slope of a norm where all elements are 0."""
    is_zero = b.result == 0
    norm = b.xp.where(is_zero, 1, b.result)
    part = b.xp.where(is_zero, 0, b.g * b.xp.pow(norm, 1.0 - b.p))
    powers = b.xp.sign(b.input)
    if b.p > 1:
        powers = powers * b.xp.pow(abs(b.input), b.p - 1.0)
    return powers * spread(part)


def check_norm(p: int) -> None:
    """Raise unless there is a p-norm."""
    if p < 1:
        raise VerifyException(f"expected a p of at least 1, got {p}")


def root(sums: Array, p: int) -> Array:
    """Return the p-th root of sums of powers."""
    return sums ** sums.dtype.type(1 / p)


class GlobalPoolOp(DeclaredOp):
    """A function of all elements of a channel."""

    SHAPES: ClassVar[str] = (
        "input [N, C, spatial...], result [N, C, 1...].\nErrors: a rank below 3."
    )
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x : (tensor<1x3x8x8x{element}>) -> tensor<1x3x1x1x{result}>"
    )

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> AnyTensorType:
        batch, channels, *spatial = check_rank("an input", input, 3)
        return tensor(element_of(input), (batch, channels, *(1 for _ in spatial)))


def _spatial(array: Array) -> tuple[int, ...]:
    return tuple(range(2, array.ndim))


class GlobalAvgPoolOp(GlobalPoolOp, onnx="GlobalAveragePool-22"):
    """The mean over all spatial axes."""

    @staticmethod
    def compute(input: Array) -> Array:
        return input.mean(axis=_spatial(input), keepdims=True, dtype=input.dtype)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g * (b.g.size / max(b.input.size, 1))


class GlobalMaxPoolOp(GlobalPoolOp, onnx="GlobalMaxPool-22", elements=NUMBER):
    """The largest element over all spatial axes, which must not be empty."""

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> AnyTensorType:
        result = super().infer(input)
        if 0 in shape_of(input)[2:]:
            raise VerifyException(f"expected spatial extents above 0, got {input.type}")
        return result

    @staticmethod
    def compute(input: Array) -> Array:
        return input.max(axis=_spatial(input), keepdims=True)

    @staticmethod
    def gradient(b: Backward) -> Any:
        """Share the gradient equally among all elements that are the greatest."""
        is_best = (b.input == b.result).astype(b.g.element)
        axes = tuple(range(2, b.g.ndim))
        return is_best * (b.g / b.xp.sum(is_best, axis=axes, keepdims=True))


class GlobalLpPoolOp(GlobalPoolOp, onnx="GlobalLpPool-22"):
    """The p-norm over all spatial axes; p is at least 1."""

    @classmethod
    def infer(cls, input: SSAValue, *, p: int, **parameters: Any) -> AnyTensorType:
        check_norm(p)
        return super().infer(input)

    @staticmethod
    def compute(input: Array, *, p: int = 2) -> Array:
        powers: Any = np.abs(input) ** p
        return root(powers.sum(_spatial(input), input.dtype, keepdims=True), p)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return _by_norm(b, lambda value: value)
