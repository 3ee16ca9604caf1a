"""Known indices of gathers and scatters, and slices that take the same elements."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.constants import Constants
from glow.support.arrays import Array, Shape
from glow.support.layout import row_major_strides
from glow.support.types import has_layout, normalize_axis, shape_of


def places_of_axis(indices: SSAValue, constants: Constants) -> Array | None:
    """Return `indices`, without the copies that expansions stand for, if known."""
    if isinstance(indices.owner, ExpandOp) and not has_layout(indices):
        inner = places_of_axis(indices.owner.input, constants)
        return None if inner is None else np.broadcast_to(inner, shape_of(indices))
    return constants.array_of(indices)


def places_of_axes(indices: SSAValue, constants: Constants) -> list[Array | None]:
    """Return each coordinate of tuples of indices, as far as it is known."""
    rank, join = len(shape_of(indices)), indices.owner
    if isinstance(join, ConcatOp):
        if normalize_axis(join.axis, rank) != rank - 1:
            return [None]
        parts = [places_of_axis(each, constants) for each in join.inputs]
        return [
            part[..., 0] if part is not None and part.shape[-1] == 1 else None
            for part in parts
        ]
    array = places_of_axis(indices, constants)
    if array is None:
        return [None]
    return [array[..., k] for k in range(array.shape[-1])]


@dataclass(frozen=True)
class Strided:
    """
    Elements of a tensor: [i, j, ...] is its number start + i * strides[0] + j * ...,

    counted in row-major order.
    """

    start: int
    shape: Shape
    strides: Shape

    @property
    def moving(self) -> tuple[tuple[int, int], ...]:
        """Extent and stride of each axis along which elements differ."""
        pairs = zip(self.shape, self.strides, strict=True)
        return tuple((n, stride) for n, stride in pairs if n > 1 and stride)

    @property
    def merged(self) -> tuple[tuple[int, int], ...]:
        """As `moving`, but axes that run on in each other are one."""
        pairs: list[tuple[int, int]] = []
        for n, stride in self.moving:
            if pairs and pairs[-1][1] == n * stride:
                n *= pairs.pop()[0]
            pairs.append((n, stride))
        return tuple(pairs)


def strided(array: Array) -> Strided | None:
    """Return what places `array` lists, or None unless distances are regular."""
    if not array.size:
        return None
    first = (0,) * array.ndim
    start = int(array[first])
    strides: Shape = tuple(
        int(array[(*first[:axis], 1, *first[axis + 1 :])]) - start if n > 1 else 0
        for axis, n in enumerate(array.shape)
    )
    # What is the same along an axis need be looked at once.
    once: Array = array[tuple(slice(None if stride else 1) for stride in array.strides)]
    places = np.indices(once.shape, sparse=True)
    distances: list[Array] = [n * at for n, at in zip(strides, places, strict=True)]
    if not (once == sum(distances, np.array(start))).all():
        return None
    return Strided(start, array.shape, strides)


def take(data: Tensor, wanted: Strided) -> Tensor | None:
    """Return `wanted` of `data` by slices, or None where no slice has them."""
    for source in reversed(_unreshaped(data.value)):
        for axes in (wanted.moving, wanted.merged):
            box = _box(shape_of(source), wanted.start, axes)
            if box is not None:
                return _placed(data.writer.tensor(source), box, wanted)
    box = _box((data.size,), wanted.start, wanted.merged)
    return None if box is None else _placed(data.reshape(data.size), box, wanted)


def _unreshaped(value: SSAValue) -> list[SSAValue]:
    """Return `value` and the values that reshapes made it from."""
    values = [value]
    while isinstance(op := values[-1].owner, ReshapeOp) and not has_layout(op.input):
        values.append(op.input)
    return values


def _box(
    shape: Shape, start: int, moving: Sequence[tuple[int, int]]
) -> tuple[slice, ...] | None:
    """Return the part of a tensor of `shape` that runs along axes of it in order."""
    distances = row_major_strides(shape)
    starts = tuple(int(i) for i in np.unravel_index(start, shape))
    sizes, steps = [1] * len(shape), [1] * len(shape)
    behind = 0
    for n, stride in moving:
        axes = (
            axis
            for axis in range(behind, len(shape))
            if shape[axis] > 1 and distances[axis] <= stride
        )
        axis = next(axes, None)
        if axis is None or stride % distances[axis]:
            return None
        steps[axis] = stride // distances[axis]
        if starts[axis] + (n - 1) * steps[axis] >= shape[axis]:
            return None
        sizes[axis], behind = n, axis + 1
    keys = zip(starts, sizes, steps, strict=True)
    return tuple(slice(s, s + (n - 1) * step + 1, step) for s, n, step in keys)


def _placed(source: Tensor, box: tuple[slice, ...], wanted: Strided) -> Tensor:
    pairs = zip(wanted.shape, wanted.strides, strict=True)
    shaped = source[box].reshape(*(n if stride else 1 for n, stride in pairs))
    return xp.broadcast_to(shaped, wanted.shape)
