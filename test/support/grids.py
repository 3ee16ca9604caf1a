"""Grids and examples of which the default suites take a part, `test-full` all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")


def _left_out(is_left_out: bool) -> list[pytest.MarkDecorator]:
    return [pytest.mark.full] if is_left_out else []


def cross(firsts: Sequence[Any], seconds: Sequence[Any]) -> list[Any]:
    """
    Return all pairs; the default suite takes those with one of the first values.

    So it has each value of both, for what does not depend on the other.
    """
    return [
        pytest.param(
            first,
            second,
            marks=_left_out(first != firsts[0] and second != seconds[0]),
        )
        for first in firsts
        for second in seconds
    ]


def in_turns(names: Iterable[str], targets: Sequence[str]) -> list[Any]:
    """
    Return all pairs; the default suite takes two targets for each name.

    They are the first target, and the others in turns.
    """
    return [
        pytest.param(
            name,
            target,
            marks=_left_out(place > 0 and (number - place) % (len(targets) - 1) != 0),
        )
        for number, name in enumerate(names)
        for place, target in enumerate(targets)
    ]


def slow_but(cases: Iterable[Any], *fast: Any) -> list[Any]:
    """Return all cases; `make test-fast` takes those that are named."""
    marks = {True: (), False: pytest.mark.slow}
    return [pytest.param(case, marks=marks[case in fast]) for case in cases]


def examples(count: int) -> settings:
    """Return settings with so many examples, fewer where the profile has below 100."""
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))


def part_of(cases: Sequence[T]) -> Sequence[T]:
    """Return cases at even distances, as many of 100 as the profile has examples."""
    return cases[:: max(1, 100 // settings.default.max_examples)]
