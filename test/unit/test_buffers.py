"""Whether two views of a buffer share elements: never denied wrongly."""

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32
from xdsl.dialects.memref import MemRefType
from xdsl.utils.test_value import create_ssa_value

from glow.analysis.buffers import may_overlap
from glow.dialects.memory.address import Addressing, strided
from glow.support.layout import row_major_strides


def places(a: Addressing) -> set[int]:
    """Return the elements that `a` touches."""
    return {
        a.offset + sum(i * s for i, s in zip(index, a.strides, strict=True))
        for index in product(*map(range, a.shape))
    }


def overlap(a: Addressing, b: Addressing) -> bool:
    whole = MemRefType(f32, [1 << 20])
    return may_overlap(*(create_ssa_value(strided(whole, view)) for view in (a, b)))


def addressings(rank: int) -> st.SearchStrategy[Addressing]:
    axis = st.tuples(st.integers(1, 4), st.integers(-12, 12))
    return st.lists(axis, min_size=rank, max_size=rank).flatmap(
        lambda axes: st.builds(
            Addressing,
            st.just(tuple(extent for extent, _ in axes)),
            st.just(tuple(stride for _, stride in axes)),
            st.integers(0, 60),
        )
    )


@pytest.mark.slow
@given(addressings(2), addressings(3))
def test_views_that_share_elements_are_never_said_not_to(
    a: Addressing, b: Addressing
) -> None:
    assume(places(a) & places(b))
    assert overlap(a, b)


@st.composite
def parts(draw: st.DrawFn) -> tuple[Addressing, Addressing]:
    """A slice of each of two parts that are concatenated, one with its axes moved."""
    shape = draw(st.lists(st.integers(2, 5), min_size=1, max_size=4))
    axis = draw(st.integers(0, len(shape) - 1))
    cut = draw(st.integers(1, shape[axis] - 1))
    found: list[Addressing] = []
    for low, high in ((0, cut), (cut, shape[axis])):
        starts, sizes, steps = [], [], []
        for i, extent in enumerate(shape):
            first, last = (low, high) if i == axis else (0, extent)
            inside = list(range(first, last))[:: draw(st.sampled_from([1, 2, -1, -2]))]
            starts.append(inside[0])
            sizes.append(len(inside))
            steps.append(inside[1] - inside[0] if len(inside) > 1 else 1)
        outer = row_major_strides(tuple(shape))
        strides = tuple(k * s for k, s in zip(steps, outer, strict=True))
        offset = sum(b * s for b, s in zip(starts, outer, strict=True))
        found.append(Addressing(tuple(sizes), strides, offset))
    order = draw(st.permutations(range(len(shape))))
    a, b = found
    shape_of_b = tuple(b.shape[i] for i in order)
    return a, Addressing(shape_of_b, tuple(b.strides[i] for i in order), b.offset)


@given(parts())
def test_slices_of_concatenated_parts_are_known_to_be_apart(
    views: tuple[Addressing, Addressing],
) -> None:
    a, b = views
    assert not places(a) & places(b)
    assert not overlap(a, b)
