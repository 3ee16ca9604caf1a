"""Addressing of buffers: strides and offset, as their types have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.layout.attribute import strides_of
from glow.dialects.memory.base import Buffer, buffer_type
from glow.support.layout import row_major_strides
from glow.support.types import dtype_of


@dataclass(frozen=True)
class Addressing:
    """
    Element (i, j, ...) lies `offset + i * strides[0] + j * strides[1] + ...`.

    Units: elements, counted from the start of the allocation.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def permuted(self, order: Sequence[int]) -> Addressing:
        """Return the same with axes in `order`, which may omit ones of extent 1."""
        shape, strides = (
            tuple(t[i] for i in order) for t in (self.shape, self.strides)
        )
        return Addressing(shape, strides, self.offset)

    def part(
        self, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int] = ()
    ) -> Addressing:
        """Return `sizes` elements along each axis, from `starts` on, `steps` apart."""
        offset = sum(n * s for n, s in zip(starts, self.strides, strict=True))
        strides = self.strides
        if steps:
            strides = tuple(n * s for n, s in zip(steps, strides, strict=True))
        return Addressing(tuple(sizes), strides, self.offset + offset)

    def along(self, axis: int, start: int, size: int) -> Addressing:
        """Return `size` elements along `axis` from `start` on."""
        shape = (*self.shape[:axis], size, *self.shape[axis + 1 :])
        return Addressing(shape, self.strides, self.offset + start * self.strides[axis])

    def at(self, axis: int, place: int) -> Addressing:
        """Return the slice at one position along `axis`, without that axis."""
        others = [i for i in range(len(self.shape)) if i != axis]
        return self.along(axis, place, 1).permuted(others)

    def with_axis(self, axis: int) -> Addressing:
        """Return the same with one more axis, of extent 1."""
        shape = (*self.shape[:axis], 1, *self.shape[axis:])
        strides = (*self.strides[:axis], 0, *self.strides[axis:])
        return Addressing(shape, strides, self.offset)

    def reshaped(self, shape: tuple[int, ...]) -> Addressing | None:
        """Return the same elements in `shape`, or None where no strides express it."""
        if 0 in shape:
            return Addressing(shape, row_major_strides(shape), self.offset)
        old = [(n, s) for n, s in zip(self.shape, self.strides, strict=True) if n > 1]
        merged: list[tuple[int, int]] = []  # runs of axes that are one axis in memory
        for extent, stride in old:
            if merged and merged[-1][1] == stride * extent:
                merged[-1] = (merged[-1][0] * extent, stride)
            else:
                merged.append((extent, stride))
        strides: list[int] = []
        left = list(reversed(merged))
        rest, step = left.pop(0) if left else (1, 1)
        for extent in reversed(shape):
            if extent == 1:
                strides.append(step * rest if rest > 1 else step)
                continue
            if rest == 1 and left:
                rest, step = left.pop(0)
            if rest % extent:
                return None
            strides.append(step)
            rest, step = rest // extent, step * extent
        return Addressing(shape, tuple(reversed(strides)), self.offset)

    @property
    def bounds(self) -> tuple[int, int]:
        """The first and the last element touched; (0, -1) if there is none."""
        if 0 in self.shape:
            return 0, -1
        spans = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(min(0, span) for span in spans)
        return low, self.offset + sum(max(0, span) for span in spans)

    @property
    def is_contiguous(self) -> bool:
        """Whether elements lie in row-major order without gaps."""
        expected = row_major_strides(self.shape)
        return all(
            extent == 1 or stride == want
            for extent, stride, want in zip(
                self.shape, self.strides, expected, strict=True
            )
        )


def addressing_of(value: SSAValue | Attribute) -> Addressing:
    """Return how buffer `value` is addressed; a blocked layout has no strides."""
    addressing = find_addressing(buffer_type(value))
    if addressing is None:
        raise VerifyException(f"expected an unblocked layout, got {buffer_type(value)}")
    return addressing


def find_addressing(type_: Buffer) -> Addressing | None:
    """Return how buffers of `type_` are addressed, or None if they are blocked."""
    shape = type_.get_shape()
    strides = strides_of(type_.layout, shape, dtype_of(type_.element_type).itemsize)
    return None if strides is None else Addressing(shape, *strides)


def offset_of(value: SSAValue) -> int:
    """Return where element 0 of a buffer lies, in elements; 0 if it is blocked."""
    type_ = buffer_type(value)
    if type(type_.layout) is NoneAttr:
        return 0
    addressing = find_addressing(type_)
    return 0 if addressing is None else addressing.offset


def is_blocked(value: SSAValue) -> bool:
    """Return whether buffer `value` has no stride along some axis."""
    return find_addressing(buffer_type(value)) is None


def strided(type_: Buffer, addressing: Addressing) -> Buffer:
    """Return the type of a view with this addressing and the elements of `type_`."""
    layout = StridedLayoutAttr(addressing.strides, addressing.offset)
    return Buffer(type_.element_type, addressing.shape, layout)


def same_place(source: SSAValue, result: SSAValue) -> bool:
    """Return whether equal elements of both buffers have equal addresses."""
    a, b = buffer_type(source), buffer_type(result)
    if a.element_type != b.element_type:
        return False
    first, second = find_addressing(a), find_addressing(b)
    return first is not None and first == second
