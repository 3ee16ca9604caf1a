"""Addressing of buffers: strides and offset, as their types have them."""

from dataclasses import dataclass

from xdsl.dialects.builtin import StridedLayoutAttr
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
