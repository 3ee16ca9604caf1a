"""Windows that slide over spatial axes, and the padding that ONNX implies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypedDict

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import check_word
from glow.support.arrays import Array

Ints = tuple[int, ...]
Sizes = int | Sequence[int]
"""One size for all spatial axes, or one for each."""


class Sliding(TypedDict, total=False):
    """Movement of a kernel, as convolutions and pools take it; defaults as in ONNX."""

    strides: Sequence[int] | None
    pads: Sequence[int] | None
    dilations: Sequence[int] | None


@dataclass(frozen=True)
class Window:
    """
    A kernel's extents and how it moves, one entry per spatial axis.

    `pads` holds what lies before each axis, then what lies after each.
    """

    kernel: Ints
    strides: Ints
    pads: Ints
    dilations: Ints

    @classmethod
    def of(
        cls,
        kernel_shape: Sequence[int],
        strides: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
        **more: Any,
    ) -> Self:
        """Return the window with absent parts as ONNX defaults them, checked."""
        axes = len(kernel_shape)
        window = cls(
            tuple(kernel_shape),
            (1,) * axes if strides is None else tuple(strides),
            (0,) * (2 * axes) if pads is None else tuple(pads),
            (1,) * axes if dilations is None else tuple(dilations),
            **more,
        )
        window.check()
        return window

    def check(self) -> None:
        axes = len(self.kernel)
        if not 1 <= axes <= 3:
            raise VerifyException(f"expected 1 to 3 spatial axes, got {axes}")
        parts = (
            ("a kernel", self.kernel, axes, 1),
            ("strides", self.strides, axes, 1),
            ("pads", self.pads, 2 * axes, 0),
            ("dilations", self.dilations, axes, 1),
        )
        for name, values, count, least in parts:
            if len(values) != count:
                raise VerifyException(
                    f"expected {name} of {count} entries, got {list(values)}"
                )
            if min(values) < least:
                raise VerifyException(
                    f"expected {name} of at least {least}, got {list(values)}"
                )

    @property
    def begins(self) -> Ints:
        """The padding before each axis."""
        return self.pads[: len(self.kernel)]

    @property
    def ends(self) -> Ints:
        """The padding after each axis."""
        return self.pads[len(self.kernel) :]

    @property
    def spans(self) -> Ints:
        """The extent that the kernel covers along each axis, dilation included."""
        pairs = zip(self.kernel, self.dilations, strict=True)
        return tuple((kernel - 1) * dilation + 1 for kernel, dilation in pairs)

    def parameters(self) -> dict[str, Ints]:
        """Return the properties that ops store, without defaults."""
        return {
            "strides": self.strides,
            "pads": self.pads,
            "dilations": self.dilations,
        }

    def extents(self, spatial: Sequence[int]) -> Ints:
        """Return how many windows each of the axes `spatial` has room for."""
        if len(spatial) != len(self.kernel):
            raise VerifyException(
                f"expected {len(self.kernel)} spatial axes as the kernel has, "
                f"got {len(spatial)}"
            )
        counts: list[int] = []
        for axis, extent in enumerate(spatial):
            padded = extent + self.begins[axis] + self.ends[axis]
            most = padded + self._excess(axis)
            if self.spans[axis] > most:
                raise VerifyException(
                    f"expected a kernel of at most {most} along spatial axis "
                    f"{axis}, got {self.spans[axis]}"
                )
            counts.append(self._count(axis, padded - self.spans[axis], extent))
        return tuple(counts)

    def _excess(self, axis: int) -> int:
        """Return how much larger than the padded input the kernel may be."""
        return 0

    def _count(self, axis: int, room: int, extent: int) -> int:
        return room // self.strides[axis] + 1

    def counts(self, spatial: Sequence[int], padding: bool) -> list[Array]:
        """Return per axis how many elements each window has, with padding or not."""
        return [each.sum(axis=1) for each in self._inside(spatial, padding)]

    def taps_inside(self, spatial: Sequence[int]) -> list[Array]:
        """Return per axis which taps of the kernel read the input in some window."""
        return [np.any(each, axis=0) for each in self._inside(spatial, False)]

    def windows_inside(
        self, spatial: Sequence[int]
    ) -> Sequence[Sequence[tuple[int, int]]]:
        """Return per axis and tap its windows outside of padding: first and end."""
        found = list[list[tuple[int, int]]]()
        for inside in self._inside(spatial, False):
            read = [np.flatnonzero(tap).tolist() for tap in inside.T]
            found.append([(w[0], w[-1] + 1) if w else (0, 0) for w in read])
        return found

    def _inside(self, spatial: Sequence[int], padding: bool) -> list[Array]:
        """Return per axis [windows, taps] whether a tap is inside, as `counts` says."""
        inside: list[Array] = []
        for axis, count in enumerate(self.extents(spatial)):
            starts = np.arange(count) * self.strides[axis] - self.begins[axis]
            steps = np.arange(self.kernel[axis]) * self.dilations[axis]
            places = starts[:, None] + steps
            first = -self.begins[axis] if padding else 0
            end = spatial[axis] + (self.ends[axis] if padding else 0)
            inside.append((places >= first) & (places < end))
        return inside

    def padded(self, array: Array, value: Any, extents: Sequence[int]) -> Array:
        """Return `array` [N, C, spatial...] with every window inside, filled up."""
        spatial = array.shape[2:]
        widths = [(0, 0), (0, 0)]
        for axis, count in enumerate(extents):
            last = (count - 1) * self.strides[axis] + self.spans[axis]
            missing = last - spatial[axis] - self.begins[axis]
            widths.append((self.begins[axis], max(missing, 0)))
        if not any(after or before for before, after in widths):
            return array
        return np.pad(array, widths, constant_values=value)

    def view(self, padded: Array, extents: Sequence[int]) -> Array:
        """Return the windows of `padded` as a view [N, C, kernel..., extents...]."""
        steps = padded.strides[2:]
        inner = [s * d for s, d in zip(steps, self.dilations, strict=True)]
        outer = [s * t for s, t in zip(steps, self.strides, strict=True)]
        return as_strided(
            padded,
            (*padded.shape[:2], *self.kernel, *extents),
            (*padded.strides[:2], *inner, *outer),
            writeable=False,
        )

    def along(self, padded: Array, axis: int, count: int) -> list[Array]:
        """Return a view of `padded` per kernel position along one spatial axis."""
        stride, dilation = self.strides[axis], self.dilations[axis]
        index: list[slice] = [slice(None)] * padded.ndim
        views: list[Array] = []
        for position in range(self.kernel[axis]):
            start = position * dilation
            end = start + (count - 1) * stride + 1 if count else start
            index[axis + 2] = slice(start, end, stride)
            views.append(padded[tuple(index)])
        return views


@dataclass(frozen=True)
class PoolWindow(Window):
    """
    The window of a pool, which may end beyond the padding.

    `ceil_mode` adds the windows that do, but none that begins in or beyond it. A kernel
    larger than the padded input has one window if the stride exceeds what is missing,
    none if twice the stride does, and is refused otherwise.
    Source: `ComputeOutputSize` of ONNX Runtime, which divides towards zero.
    """

    ceil_mode: bool = False

    def _excess(self, axis: int) -> int:
        return 2 * self.strides[axis] - 1

    def _count(self, axis: int, room: int, extent: int) -> int:
        stride = self.strides[axis]
        if not self.ceil_mode and room >= 0:
            return room // stride + 1
        count = -(-room // stride) + 1
        starts_in_padding = (count - 1) * stride >= extent + self.begins[axis]
        return count - 1 if starts_in_padding and count > 1 else count

    def over(self, array: Array, value: Any) -> tuple[Array, Window, Ints]:
        """
        Return `array` filled up, the window over it, and how many of them there are.

        What the kernel reads beyond the input in every window is left out.
        """
        spatial = array.shape[2:]
        reaches = zip(self.kernel, spatial, self.begins, self.dilations, strict=True)
        kernel = tuple(min(k, max(1, -(-(n + b) // d))) for k, n, b, d in reaches)
        window, extents = replace(self, kernel=kernel), self.extents(spatial)
        return window.padded(array, value, extents), window, extents


def resolve_auto_pad(
    auto_pad: str,
    spatial: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
) -> Ints:
    """
    Return the explicit pads of a convolution or pool over axes `spatial`.

    Errors: an unknown auto_pad.
    Source: ONNX Conv-22, attribute auto_pad.
    """
    window = Window.of(kernel, strides, pads, dilations)
    if auto_pad == "NOTSET":
        return window.pads
    if auto_pad == "VALID":
        return (0,) * len(window.pads)
    missing: list[int] = []
    for axis, extent in enumerate(spatial):
        stride = window.strides[axis]
        reach = (-(-extent // stride) - 1) * stride + window.spans[axis]
        missing.append(max(reach - extent, 0))
    return _halved(auto_pad, missing)


def _halved(auto_pad: str, totals: Sequence[int]) -> Ints:
    """Split padding into before and after; the odd one goes where the name says."""
    check_word("auto_pad", auto_pad, ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))
    less, more = [n // 2 for n in totals], [n - n // 2 for n in totals]
    return (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


def resolve_output_shape(
    auto_pad: str,
    spatial: Sequence[int],
    window: Window,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
) -> tuple[Ints, Ints]:
    """
    Return the explicit pads and output padding of a transposed convolution.

    `output_shape`, or SAME where it is absent, sets the result's extents; what cannot
    be reached by cropping is added after the end.
    Source: ONNX ConvTranspose-22, attributes auto_pad and output_shape.
    """
    axes = len(window.kernel)
    extra = (0,) * axes if output_padding is None else tuple(output_padding)
    if output_shape is None:
        if auto_pad == "NOTSET":
            return window.pads, extra
        if auto_pad == "VALID":
            return (0,) * (2 * axes), extra
        pairs = zip(spatial, window.strides, strict=True)
        output_shape = [extent * stride for extent, stride in pairs]
    surplus = [
        (extent - 1) * window.strides[axis]
        + window.spans[axis]
        + extra[axis]
        - output_shape[axis]
        for axis, extent in enumerate(spatial)
    ]
    side = "SAME_UPPER" if auto_pad == "SAME_UPPER" else "SAME_LOWER"
    pads = _halved(side, [max(each, 0) for each in surplus])
    pairs = zip(extra, surplus, strict=True)
    return pads, tuple(own + max(-each, 0) for own, each in pairs)
