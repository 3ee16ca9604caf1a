"""How ops compute the same on tensors whose axes come in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from glow.support.layout import axis_runs

Order = tuple[int, ...]
"""A permutation: axis i of the transposed tensor is axis order[i] of the other."""

Placement = tuple[int | None, ...]
"""As an order; None is a new axis of extent 1."""

Shape = tuple[int, ...]


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
    """Return what stands per axis in `values`, for the axes in `order`."""
    return tuple(values[axis] for axis in order)


def reshaped_order(shape: Shape, new_shape: Shape, order: Order) -> Order | None:
    """
    Return the order of the reshaped tensor when the one of `shape` came into `order`.

    Axes that are merged or split must stay together; None where they do not. Axes of
    extent 1 that the reshape adds follow the one that they stood behind.
    """
    if 0 in shape:
        return None
    groups = {old[0]: (old, new) for old, new in axis_groups(shape, new_shape)}
    moved = [axis for axis in order if shape[axis] != 1]
    new_order = list(_leading_ones(new_shape))
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


def _leading_ones(shape: Shape) -> range:
    counted = (axis for axis, extent in enumerate(shape) if extent != 1)
    return range(next(counted, len(shape)))
