"""Weights of recurrent cells in blocks of units, as kernels read them."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.ir import SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.elementwise import FillOp
from glow.lowering.graph_to_memory.state import Lowering
from glow.support.arrays import Array
from glow.support.layout import Dim, Layout, pack
from glow.support.types import element_of, number_attribute


@dataclass(frozen=True)
class Units:
    """
    Part of a weight as a strided view of it: `at` is the axis of its units.

    When packed, that axis is in blocks, members last: (..., U, ..., p).
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

    @property
    def layout(self) -> Layout:
        """The layout of the part that has its units in blocks."""
        dims = [Dim(axis) for axis in range(len(self.where.shape))]
        dims[self.at] = Dim(self.at, None, self.block)
        return Layout([*dims, Dim(self.at, self.block)])

    def packed(self, array: Array) -> Array:
        """Return the blocks of row-major `array`, padded with zeros to whole units."""
        array = np.ascontiguousarray(array).reshape(-1)[self.where.offset :]
        strides = [stride * array.itemsize for stride in self.where.strides]
        part = as_strided(array, self.where.shape, strides, writeable=False)
        return pack(self.layout, part)

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
        """Return a buffer with the blocks, filled up with zeros, copied at run time."""
        source, shape = lowering.contiguous(self.value), self.where.shape
        first = addressing_of(source).offset + self.where.offset
        part = lowering.view(source, Addressing(shape, self.where.strides, first))
        element = element_of(self.value)
        out = lowering.temporary(element, self.shape)
        if shape[self.at] % self.block:
            lowering.add(FillOp(number_attribute(0, element), out))
        lowering.copy(part, lowering.relabeled(out, shape, self.layout))
        return out
