"""Grids of parameters of which the default suite takes a part, `test-full` all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


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
