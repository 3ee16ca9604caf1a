"""Values stored as bytes in their layout, and read as kernels would."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from glow.backends.reference.executable import TensorStorage
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of, same_bytes
from glow.dialects.layout.transform import TransformOp
from glow.support.arrays import Array
from glow.support.dtypes import is_floating
from glow.support.errors import ExecutionError
from glow.support.layout import Layout, address_map, row_major, size_of
from glow.support.targets import AnyOrder, Asked, TargetQueries
from glow.support.types import itemsize_of, shape_of

# What padding of integers holds; no valid index or count equals it.
_POISON = -77

FoundLayouts = Sequence[Layout | None]


class PhysicalStorage(TensorStorage):
    """
    Keeps each value as the flat bytes that its layout describes, padding poisoned.

    An op reads its operands as the machine's kernel would; transposes and reshapes move
    no byte. So a wrong layout gives wrong numbers.
    """

    def __init__(self, machine: str = "cpu") -> None:
        super().__init__()
        self._machine = machine

    def write(self, value: SSAValue, array: Array) -> None:
        super().write(value, stored(value, layout_of(value), array))

    def read(self, value: SSAValue) -> Array:
        return self._read_as(value, layout_of(value))

    def _read_as(self, value: SSAValue, layout: Layout | None) -> Array:
        flat = super().read(value)
        places = addresses(value, layout)
        if places.size and int(places.max()) >= flat.size:
            raise ExecutionError(f"read {value.type} beyond its end")
        return flat[places]

    def evaluate(self, op: GraphOp | FusedOp) -> None:
        match op:
            case FusedOp():
                self._evaluate_group(op)
            case ReshapeOp() | TransposeOp():
                self._share(op.input, op.result)
            case _:
                self._evaluate_as_kernel(op)

    def _share(self, source: SSAValue, result: SSAValue) -> None:
        super().write(result, super().read(source))

    def _evaluate_group(self, group: FusedOp) -> None:
        block = group.body.block
        for argument, operand in zip(block.args, group.operands, strict=True):
            self._share(operand, argument)
        for op in block.ops:
            match op:
                case LiteralOp():
                    self.write(op.result, op.array)
                case YieldOp():
                    for value, result in zip(op.values, group.results, strict=True):
                        self._share(value, result)
                case GraphOp():
                    self.evaluate(op)
                case _:
                    raise AssertionError(f"{op.name} in a group")

    def _evaluate_as_kernel(self, op: GraphOp) -> None:
        operands, results = kernel_layouts(op, self._machine)
        arrays = map(self._read_as, op.operands, operands)
        computed = zip(op.results, results, op.evaluate(list(arrays)), strict=True)
        for result, layout, array in computed:
            super().write(result, stored(result, layout, array))


def kernel_layouts(op: GraphOp, machine: str) -> tuple[FoundLayouts, FoundLayouts]:
    """Return the layouts in which the kernel of target `machine` reads and writes."""
    own = list(map(layout_of, op.operands)), list(map(layout_of, op.results))
    if isinstance(op, TransformOp):
        return own
    choices = TargetQueries.of(machine).layout_choices(
        op, lambda i: [own[0][i] or row_major(len(shape_of(op.operands[i])))]
    )
    if choices:
        offered = [
            (
                list(map(_layout, choice.operands, own[0])),
                list(map(_layout, choice.results, own[1])),
            )
            for choice in choices
        ]
        return max(offered, key=lambda choice: _matches(op, choice))
    carries = any(op.axis_map(i) is not None for i in range(len(op.operands)))
    return own if carries else ((None,) * len(own[0]), (None,) * len(own[1]))


def _layout(asked: Asked, own: Layout | None) -> Layout | None:
    """Return the requested layout; where the order is free, that of the value."""
    if isinstance(asked, AnyOrder):
        return own
    return asked.data if isinstance(asked, LayoutAttr) else None


def _matches(op: GraphOp, choice: tuple[FoundLayouts, FoundLayouts]) -> int:
    """Return how many values of `op` have the bytes that `choice` gives them."""
    pairs = zip((*op.operands, *op.results), (*choice[0], *choice[1]), strict=True)
    return sum(same_bytes(layout_of(v), layout, v.type) for v, layout in pairs)


def stored(value: SSAValue, layout: Layout | None, array: Array) -> Array:
    """Return the bytes of `value` when it is `array`, in `layout`."""
    shape = shape_of(value)
    size = size_of(layout or row_major(len(shape)), shape, array.itemsize)
    flat = poisoned(size, array.dtype)
    flat[addresses(value, layout)] = array
    return flat


def poisoned(size: int, dtype: np.dtype[Any]) -> Array:
    """Return `size` elements that make wrong whatever is computed from them."""
    if is_floating(dtype):
        return np.full(size, np.nan, dtype)
    return np.full(size, _POISON, np.int8).astype(dtype)


def addresses(value: SSAValue, layout: Layout | None) -> NDArray[np.int32]:
    """Return the position of every element of `value` in bytes laid out so."""
    shape = shape_of(value)
    if layout is None:
        return np.arange(prod(shape), dtype=np.int32).reshape(shape)
    itemsize = itemsize_of(value)
    places = np.zeros(shape, np.int32)
    for axis, digits in enumerate(address_map(layout, shape, itemsize)):
        position = np.arange(shape[axis], dtype=np.int32) + layout.halo[axis][0]
        offset = np.zeros(shape[axis], np.int32)
        for step, extent, stride in digits:
            offset += position // step % extent * stride
        places += offset.reshape([-1] + [1] * (len(shape) - axis - 1))
    return places
