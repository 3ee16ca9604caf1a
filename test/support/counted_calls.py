"""How much work an action is, in function calls: no clock is as exact."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile


def count_calls(action: Callable[[], object]) -> int:
    """Return how many functions, of Python and of C, `action` calls."""
    profile = Profile()
    profile.enable()
    try:
        action()
    finally:
        profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


def is_linear(prepare: Callable[[int], Callable[[], object]], size: int) -> bool:
    """
    Return whether calls grow in step with the size, from one to two to four times it.

    `prepare` returns the action for a size.
    """
    prepare(size)()  # some tables are made once
    few, some, many = (count_calls(prepare(k * size)) for k in (1, 2, 4))
    return many - some < 2.1 * (some - few) + 10
