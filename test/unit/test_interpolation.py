"""Integers that are polynomials in extents, found from some of their values."""

from __future__ import annotations

from itertools import product
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glow.support.interpolation import interpolate

coefficients = st.lists(st.integers(-50, 50), min_size=4, max_size=4)
extents = st.lists(st.integers(0, 40), min_size=3, max_size=3, unique=True)


@given(coefficients, extents, extents, st.integers(0, 50), st.integers(0, 50))
def test_what_is_multilinear_is_found_everywhere(
    numbers: list[int], first: list[int], second: list[int], x: int, y: int
) -> None:
    def value(x: int, y: int) -> int:
        one, a, b, both = numbers
        return one + a * x + b * y + both * x * y

    points = list(product(first, second))
    found = interpolate(points, [(value(*point), 7) for point in points])
    assert found is not None
    assert found.at((x, y)) == (value(x, y), 7)
    is_covered = _is_between(x, first) and _is_between(y, second)
    assert found.covers((x, y)) == is_covered


def _is_between(x: int, known: list[int]) -> bool:
    """Return whether x is between known ones, and by whole steps from them."""
    step = gcd(*(each - known[0] for each in known))
    return min(known) <= x <= max(known) and (x - known[0]) % step == 0


@given(
    st.lists(st.integers(0, 9), min_size=3, max_size=6, unique=True),
    st.integers(1, 6),
    st.integers(0, 9),
    st.integers(1, 12),
    st.integers(-3, 5),
    st.integers(0, 9),
)
def test_what_is_rounded_is_exact_by_whole_steps(
    places: list[int], step: int, first: int, multiple: int, factor: int, more: int
) -> None:
    """Of what is rounded up and looks like a line, all that is covered is on it."""
    known = [first + step * place for place in places]

    def rounded(x: int) -> int:
        return -(-(factor * x + more) // multiple) * multiple

    found = interpolate([(x,) for x in known], [(rounded(x),) for x in known])
    if found is None:
        return
    for x in filter(lambda x: found.covers((x,)), range(61)):
        assert found.at((x,)) == (rounded(x),)


@pytest.mark.parametrize(
    ("points", "values"),
    [
        ([], []),
        ([(2,), (4,)], [(2,), (4,)]),  # nothing confirms a line through two points
        ([(2,), (4,), (7,)], [(2,), (4,), (8,)]),  # rounded up to even numbers
        ([(2,), (3,), (4,)], [(4,), (9,), (16,)]),
        ([(2, 2), (3, 3), (4, 4), (5, 5), (6, 6)], [(1,)] * 5),  # on one line
    ],
)
def test_what_does_not_follow_is_not_found(
    points: list[tuple[int, ...]], values: list[tuple[int, ...]]
) -> None:
    assert interpolate(points, values) is None


def test_halves_are_known_where_they_are_whole() -> None:
    found = interpolate([(4, 3), (8, 3), (14, 3)], [(2, 3), (4, 3), (7, 3)])
    assert found is not None
    assert found.varying == (0,)
    assert found.at((10, 3)) == (5, 3)
    assert found.at((9, 3)) is None
