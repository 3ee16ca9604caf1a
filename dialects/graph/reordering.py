"""Reordering of axes: how ops compute the same on transposed operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation

from glow.support.arrays import Shape
from glow.support.layout import axis_runs
from glow.support.types import shape_of

Order = tuple[int, ...]
"""A permutation: axis i of the transposed tensor is axis order[i] of the other."""

Placement = tuple[int | None, ...]
"""An order in which None stands for a new axis of extent 1."""


@dataclass(frozen=True)
class Reordering:
    """
    The same computation by an op whose operands and results are transposed.

    Axis j of what replaces operand i is axis operands[i][j] of it, or new and of extent
    1 for None; axis j of what replaces result i is axis results[i][j] of it.
    """

    operands: tuple[Placement, ...]
    results: tuple[Order, ...]
    parameters: dict[str, Any]


def identity(rank: int) -> Order:
    """Return the order that changes nothing."""
    return tuple(range(rank))


def broadcast_order(rank: int, order: Order) -> Order:
    """Return the order of a result of `rank` whose last axes are those of `order`."""
    offset = rank - len(order)
    return (*range(offset), *(offset + axis for axis in order))


def broadcast_placement(shape: Shape, order: Order) -> Placement:
    """Say how a tensor of `shape` broadcasts to a result that came into `order`."""
    if prod(shape) == 1:
        return identity(len(shape))
    offset = len(order) - len(shape)
    places = [axis - offset if axis >= offset else None for axis in order]
    while places and places[0] is None:
        del places[0]
    return tuple(places)


def picked(values: Sequence[int], order: Order) -> tuple[int, ...]:
    """Reorder `values`, one entry per axis, by `order`."""
    return tuple(values[axis] for axis in order)


def reshaped_order(shape: Shape, new_shape: Shape, order: Order) -> Order | None:
    """
    Return the order of the reshaped tensor when the one of `shape` came into `order`.

    Axes that are merged or split must stay together; None where they do not. Axes of
    extent 1 that the reshape adds stay after the axis that they followed.
    """
    if 0 in shape:
        return None
    groups = {old[0]: (old, new) for old, new in axis_groups(shape, new_shape)}
    moved = [axis for axis in order if shape[axis] != 1]
    counted = (axis for axis, extent in enumerate(new_shape) if extent != 1)
    new_order = list(range(next(counted, len(new_shape))))
    while moved:
        old, new = groups.get(moved[0], ([], []))
        if not old or moved[: len(old)] != old:
            return None
        del moved[: len(old)]
        new_order += new
    return tuple(new_order)


def axis_groups(shape: Shape, new_shape: Shape) -> list[tuple[list[int], list[int]]]:
    """
    Pair the shortest runs of old and new axes with equally many positions.

    Old axes of extent 1 are in none, new ones in the group of the axis before.
    Neither shape has an extent of 0.
    """
    runs = axis_runs(shape, new_shape)
    starts = [new[0] for _, new in runs]
    stops = [*starts[1:], len(new_shape)]
    return [
        (old, list(range(start, stop)))
        for (old, _), start, stop in zip(runs, starts, stops[: len(runs)], strict=True)
    ]


def broadcast_map(operand: SSAValue, result: SSAValue) -> tuple[int | None, ...]:
    """Say how `result` follows `operand`, which it broadcasts by NumPy's rule."""
    source, target = shape_of(operand), shape_of(result)
    offset = len(target) - len(source)
    return tuple(
        axis - offset if axis >= offset and source[axis - offset] == extent else None
        for axis, extent in enumerate(target)
    )


class OrderedOp(IRDLOperation):
    """An op that knows how its results follow the axes of its operands."""

    if TYPE_CHECKING:

        def parameters(self) -> dict[str, Any]: ...

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...] | None:
        """
        Say how `result` follows `operand` (an index into `operands`), or None.

        Entry i is the operand axis that result axis i runs along, or None where it
        runs along none (a broadcast or new axis). An op with an answer computes the
        same whatever layout its operand has; one without needs row-major.
        """
        return None

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        """
        Say how to compute the same with `operand` transposed by `order`, or None.

        Axis i of the transposed operand is axis order[i] of the present one. The
        answer has the parameters, and the orders of other operands and of results,
        that go with it.
        """
        return None

    def broadcast_reordering(self, operand: int, order: Order) -> Reordering | None:
        """Say what `reordered` does of operands that broadcast to equal results."""
        if len(order) != len(shape_of(self.operands[operand])):
            return None
        result_order = broadcast_order(len(shape_of(self.results[0])), order)
        placed = (broadcast_placement(shape_of(v), result_order) for v in self.operands)
        results = (result_order,) * len(self.results)
        return Reordering(tuple(placed), results, self.parameters())

    def in_order(
        self, order: Order, fixed: Sequence[int] = (), **moved: Any
    ) -> Reordering | None:
        """
        Say what `reordered` does of operand 0 where results have the same axes.

        Axes in `fixed` must stay where they are, other operands do; `moved` are the
        parameters that change.
        """
        if any(order[axis] != axis for axis in fixed):
            return None
        others = (identity(len(shape_of(value))) for value in self.operands[1:])
        results = (order,) * len(self.results)
        return Reordering((order, *others), results, self.parameters() | moved)

    def reordered_for(self, result: int, order: Order) -> Reordering | None:
        """Say how to compute with `result` transposed by `order`, or None."""
        for operand, value in enumerate(self.operands):
            axes = self.axis_map(operand, result)
            if axes is None:
                continue
            wish = _operand_order(axes, len(shape_of(value)), order)
            reordering = self.reordered(operand, wish)
            if reordering and reordering.results[result] == order:
                return reordering
        return None


def _operand_order(axes: tuple[int | None, ...], rank: int, order: Order) -> Order:
    """Return an order of an operand of `rank` that gives its result `order`."""
    if len(axes) == rank and all(a is None or a == i for i, a in enumerate(axes)):
        return order
    followed = iter(axes[axis] for axis in order if axes[axis] is not None)
    places = [next(followed) if i in axes else i for i in range(rank)]
    return tuple(axis for axis in places if axis is not None)
