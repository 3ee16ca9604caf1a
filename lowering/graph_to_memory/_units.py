"""Weights of recurrent cells in blocks of units, as kernels read them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.elementwise import FillOp
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.types import element_of, number_attribute

Array = NDArray[Any]


@dataclass(frozen=True)
class Units:
    """
    Part of a weight as a strided view of it: `at` is the axis of its units.

    It is packed as that axis in blocks, members last: (..., U, ..., p).
    """

    value: SSAValue
    where: Addressing
    at: int
    block: int

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self.where.shape
        before, after = shape[: self.at], shape[self.at + 1 :]
        return (*before, -(-shape[self.at] // self.block), *after, self.block)

    def packed(self, array: Array) -> Array:
        """Return the blocks of row-major `array`, padded with zeros to whole units."""
        array = np.ascontiguousarray(array).reshape(-1)[self.where.offset :]
        strides = [stride * array.itemsize for stride in self.where.strides]
        part = as_strided(array, self.where.shape, strides, writeable=False)
        part = np.moveaxis(part, self.at, -1)
        rest = -part.shape[-1] % self.block
        part = np.pad(part, [*[(0, 0)] * (part.ndim - 1), (0, rest)])
        part = part.reshape(*part.shape[:-1], -1, self.block)
        return np.moveaxis(part, -2, self.at)

    def known(self, lowering: Lowering) -> Array | None:
        array = lowering.logical(self.value)
        return None if array is None else self.packed(array)

    def buffer(self, lowering: Lowering, hint: str) -> SSAValue:
        """Return a buffer with the blocks, a constant where the weight is one."""
        array = self.known(lowering)
        if array is not None:
            return lowering.constant(array, hint)
        return self.copied(lowering)

    def copied(self, lowering: Lowering) -> SSAValue:
        """Copy whole blocks, and what is left over into one that is zero else."""
        element = element_of(self.value)
        out = lowering.temporary(element, self.shape)
        source = lowering.contiguous(self.value)
        count, size = self.where.shape[self.at], self.block
        whole, rest = divmod(count, size)
        if rest:
            lowering.add(FillOp(number_attribute(0, element), out))
        for first, blocks, width in ((0, whole, size), (whole, 1, rest)):
            if blocks and width:
                part = self._part(first, blocks, width, addressing_of(source).offset)
                members = len(self.where.shape)
                target = addressing_of(out).along(self.at, first, blocks)
                target = target.along(members, 0, width)
                lowering.copy(lowering.view(source, part), lowering.view(out, target))
        return out

    def _part(self, first: int, blocks: int, width: int, offset: int) -> Addressing:
        """Return so many blocks from `first` on, as they lie in the weight."""
        w, stride = self.where, self.where.strides[self.at]
        before, after = slice(0, self.at), slice(self.at + 1, None)
        return Addressing(
            (*w.shape[before], blocks, *w.shape[after], width),
            (*w.strides[before], stride * self.block, *w.strides[after], stride),
            offset + w.offset + first * self.block * stride,
        )
