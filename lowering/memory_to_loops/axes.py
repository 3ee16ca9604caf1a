"""Loops of kernels: the axes of their operands, merged and ordered."""

from __future__ import annotations

from collections.abc import Sequence

from glow.codegen.loops import Level
from glow.dialects.memory.address import Addressing

LoopAxes = Sequence[Level[int]]
"""Axes, and how far each operand moves along them, in elements."""


def axes_along(shape: Sequence[int], *strides: Sequence[int]) -> list[Level[int]]:
    """Return axes of these extents, along which operands have these strides."""
    steps = zip(*strides, strict=True)
    return [Level(extent, own) for extent, own in zip(shape, steps, strict=True)]


def strides_in(operand: Addressing, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides with which `operand` broadcasts to `shape`: NumPy's rule."""
    missing = len(shape) - len(operand.shape)
    own = [
        0 if extent == 1 else stride
        for extent, stride in zip(operand.shape, operand.strides, strict=True)
    ]
    return (0,) * missing + tuple(own)


def axes_of(shape: Sequence[int], operands: Sequence[Addressing]) -> list[Level[int]]:
    """Return the axes of `shape` with the strides of operands that broadcast to it."""
    return axes_along(shape, *(strides_in(operand, shape) for operand in operands))


def collapse(axes: LoopAxes, order: Sequence[int]) -> list[Level[int]]:
    """
    Return fewer axes that visit the same elements, the finest steps innermost.

    Axes are ordered by the strides of the operands `order`, the first one counting
    most; those of one position are left out, and neighbors are one axis where every
    operand goes on from the end of the inner one.
    """
    kept = [axis for axis in axes if axis.extent != 1]
    kept.sort(key=lambda axis: [-abs(axis.strides[i]) for i in order])
    merged: list[Level[int]] = []
    for axis in kept:
        if merged and all(
            outer == inner * axis.extent
            for outer, inner in zip(merged[-1].strides, axis.strides, strict=True)
        ):
            merged[-1] = Level(merged[-1].extent * axis.extent, axis.strides)
        else:
            merged.append(axis)
    return merged


def with_axes(operand: Addressing, axes: Sequence[int]) -> Addressing:
    """Return `operand` with axes of extent 1 where rising `axes` say."""
    shape, strides = list(operand.shape), list(operand.strides)
    for axis in axes:
        shape.insert(axis, 1)
        strides.insert(axis, 0)
    return Addressing(tuple(shape), tuple(strides), operand.offset)
