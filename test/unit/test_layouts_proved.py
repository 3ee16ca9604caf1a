"""
The layout algebra, exhaustively: every layout of a bound, every element of every shape.

An axis alone has up to two blocks of 2 or 3, else at most one, in all
orders; borders are 0 or 1. `docs/testing.md` says what this proves and what not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest
import z3
from every_layout import layouts
from numpy.typing import NDArray

from glow.dialects.memory.address import Addressing
from glow.support.layout import (
    Layout,
    address,
    address_map,
    equivalent,
    pack,
    relabeled,
    reshaped,
    row_major,
    row_major_strides,
    size_of,
    strides_of,
    unpack,
)

pytestmark = pytest.mark.slow

Array = NDArray[Any]
Shape = tuple[int, ...]


def shapes(rank: int) -> Iterator[Shape]:
    return product((1, 2, 3, 5, 6) if rank < 2 else (1, 3, 4), repeat=rank)


def places(layout: Layout, shape: Shape) -> Array:
    """Return the address of each element, as digits of `address_map` give it."""
    total = np.zeros(shape, np.int64)
    for axis, parts in enumerate(address_map(layout, shape, 4)):
        position = np.arange(shape[axis]) + layout.halo[axis][0]
        along = np.zeros(shape[axis], np.int64)
        for step, extent, stride in parts:
            along += position // step % extent * stride
        total += along.reshape([-1] + [1] * (len(shape) - axis - 1))
    return total


def cases(rank: int) -> Iterator[tuple[Layout, Shape]]:
    """Return every layout with a shape, all shapes in turn."""
    every = list(shapes(rank))
    for number, layout in enumerate(layouts(rank)):
        for k in range(3):
            yield layout, every[(number + k * 7) % len(every)]


RANKS = [1, 2, pytest.param(3, marks=pytest.mark.full)]


@pytest.mark.parametrize("rank", RANKS)
def test_addresses_are_those_of_digits_distinct_and_inside(rank: int) -> None:
    for layout, shape in cases(rank):
        found = places(layout, shape)
        assert len(np.unique(found)) == prod(shape), (layout, shape)
        assert 0 <= found.min() <= found.max() < size_of(layout, shape, 4)
        index = tuple(n - 1 for n in shape)
        for at in (index, (0,) * rank, tuple(n // 2 for n in shape)):
            assert found[at] == address(layout, shape, at, 4), (layout, shape, at)


@pytest.mark.parametrize("rank", RANKS)
def test_packing_is_undone_and_zero_outside(rank: int) -> None:
    for layout, shape in cases(rank):
        tensor = np.arange(1, 1 + prod(shape), dtype=np.int32).reshape(shape)
        stored = pack(layout, tensor).reshape(-1)
        assert (stored[places(layout, shape)] == tensor).all()
        assert np.count_nonzero(stored) == prod(shape)
        assert (unpack(layout, stored, shape) == tensor).all()


@pytest.mark.parametrize("rank", RANKS)
def test_strides_are_those_of_addresses_or_there_are_none(rank: int) -> None:
    for layout, shape in cases(rank):
        found = places(layout, shape)
        addressing = strides_of(layout, shape, 4)
        grids = np.indices(shape)
        if addressing is not None:
            strides, offset = addressing
            linear = sum((s * g for s, g in zip(strides, grids, strict=True)), offset)
            assert (linear == found).all(), (layout, shape)
            continue
        axes = [np.moveaxis(found, axis, 0) for axis in range(rank)]
        steps = [np.unique(np.diff(along, axis=0)) for along in axes]
        # No addressing is refused that elements and their borders would have.
        if not layout.has_halo:
            assert any(len(step) > 1 for step in steps), (layout, shape)


@pytest.mark.parametrize("rank", RANKS)
def test_transposed_layouts_hold_transposed_tensors(rank: int) -> None:
    for number, (layout, shape) in enumerate(cases(rank)):
        orders = list(permutations(range(rank)))
        order = orders[number % len(orders)]
        turned = layout.transposed(order)
        shape_after = tuple(shape[axis] for axis in order)
        wanted = places(layout, shape).transpose(order)
        assert (places(turned, shape_after) == wanted).all(), (layout, shape, order)
        assert size_of(turned, shape_after, 4) == size_of(layout, shape, 4)
        inverse = tuple(order.index(axis) for axis in range(rank))
        assert relabeled(layout, order) == turned
        assert turned.transposed(inverse) == layout


def factorings(size: int, rank: int) -> Iterator[Shape]:
    for shape in product([n for n in range(1, size + 1) if not size % n], repeat=rank):
        if prod(shape) == size:
            yield shape


@pytest.mark.parametrize("size", [4, 6, pytest.param(12, marks=pytest.mark.full)])
def test_reshaped_layouts_hold_reshaped_tensors(size: int) -> None:
    for layout in (*layouts(1), *layouts(2)[::3]):
        for shape in factorings(size, layout.rank):
            found = places(layout, shape).reshape(-1)
            for rank in (1, 2, 3):
                for after in factorings(size, rank):
                    new = reshaped(layout, shape, after)
                    if new is None:
                        assert layout != row_major(layout.rank)
                        continue
                    assert (places(new, after).reshape(-1) == found).all()
                    assert size_of(new, after, 4) == size_of(layout, shape, 4)


def test_equivalent_layouts_have_equal_addresses_and_no_others_do() -> None:
    for shape in ((1, 4), (4, 1), (2, 3), (1, 1)):
        some = [each for each in layouts(2)[::5] if not each.has_halo]
        stored = {each: places(each, shape).tobytes() for each in some}
        for one, other in combinations_with_replacement(some, 2):
            same = stored[one] == stored[other]
            same &= size_of(one, shape, 4) == size_of(other, shape, 4)
            assert not equivalent(one, other, shape, 4) or same
            assert equivalent(one, other, shape, 4) == same, (one, other, shape)


def test_any_digits_are_injective_at_every_position() -> None:
    """By z3: positions of any size below the bound of a digit's own extent."""
    x, y = z3.Ints("x y")
    for layout in layouts(1):
        for extent in (7, 64, 1000):
            before, after = layout.halo[0]
            (parts,) = address_map(layout, (extent,), 4)
            total = [
                z3.Sum([at / s % n * t for s, n, t in parts] or [z3.IntVal(0)])
                for at in (x, y)
            ]
            inside = [z3.And(at >= 0, at < extent + before + after) for at in (x, y)]
            solver = z3.Solver()
            solver.add(*inside, x != y, total[0] == total[1])
            assert solver.check() == z3.unsat, (layout, extent)


def addressed(a: Addressing) -> Array:
    grids = np.indices(a.shape)
    steps = (s * g for s, g in zip(a.strides, grids, strict=True))
    return np.asarray(sum(steps, np.array(a.offset)))


def views() -> Iterator[Addressing]:
    """Return every view of up to three axes, some of which run on in each other."""
    for shape in product((1, 2, 3, 4), repeat=3):
        dense = row_major_strides(shape)
        for order in permutations(range(3)):
            strides = tuple(dense[axis] for axis in order)
            yield Addressing(tuple(shape[axis] for axis in order), strides, 5)


def test_reshaped_views_show_the_same_elements() -> None:
    refused = 0
    for view in views():
        elements = addressed(view).reshape(-1)
        for shape in factorings(prod(view.shape), 2):
            new = view.reshaped(shape)
            refused += new is None
            if new is not None:
                assert (addressed(new).reshape(-1) == elements).all(), (view, shape)
            grid = elements.reshape(shape)
            steps = [np.unique(np.diff(grid, axis=axis)) for axis in (0, 1)]
            is_linear = all(len(step) <= 1 for step in steps)
            assert (new is not None) == is_linear, (view, shape)
    assert refused


def test_parts_of_views_are_slices() -> None:
    for view in list(views())[::7]:
        elements = addressed(view)
        for axis, extent in enumerate(view.shape):
            for start in range(extent):
                along = view.along(axis, start, extent - start)
                taken = np.take(elements, range(start, extent), axis)
                assert (addressed(along) == taken).all()
                one = np.take(elements, start, axis)
                assert (addressed(view.at(axis, start)) == one).all()
        order = (2, 0, 1)
        assert (addressed(view.permuted(order)) == elements.transpose(order)).all()
