"""Crowded processors: when runs take one thread only, as other processes wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

LOOK_NS = 10_000_000
"""Time between two looks at lost processor time, while there are runs."""

_LOSSES_PER_SECOND = 100
"""
Losses in a second of processor time that say that processors are shared. Systems let a
thread compute for 3 to 12 ms while others wait; what runs now and then takes 20 to 60.
"""

_LEAST_S = 0.1
"""How much processor time tells how many losses there are in a second of it."""

_FIRST, _LAST = 4, 16
"""For how many intervals runs are done alone, the first time and the last."""

_LONGEST_NS = 2_000_000_000


class Usage(NamedTuple):
    """Processor time that this process has had since it began."""

    losses: int
    """How often a thread lost its processor to another that wanted it."""
    seconds: float
    """The processor time of all threads."""


def usage() -> Usage:
    """Return what this process has had; no losses where the system counts none."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # not a Unix
        return Usage(0, 0.0)
    used = getrusage(RUSAGE_SELF)
    return Usage(used.ru_nivcsw, used.ru_utime + used.ru_stime)


class Crowding:
    """
    A watch of other processes that want the processors of this one's threads.

    A thread that loses its processor holds up all that wait for its piece, and several
    processes that each start a thread per processor take time from each other. So runs
    are done by their callers alone for a while when losses are many; then workers take
    part again, and if it is no better, the next while is twice as long.
    """

    def __init__(self, usage: Callable[[], Usage] = usage):
        self.next_look = 0
        """When to look again, by the clock of `look`."""
        self.is_crowded = False
        self._usage = usage
        self._last = usage()
        self._since = 0
        self._intervals = _FIRST

    def look(self, now: int) -> None:
        """Find out at the time `now`, in nanoseconds, and say when to look again."""
        found, last = self._usage(), self._last
        interval = max(now - self._since, LOOK_NS)
        losses, seconds = found.losses - last.losses, found.seconds - last.seconds
        pause = LOOK_NS
        if self.is_crowded or not self._since:
            self.is_crowded = False  # to see how it is now
        elif seconds < _LEAST_S:
            self.next_look = now + pause
            return
        elif losses > _LOSSES_PER_SECOND * seconds:
            self.is_crowded = True
            pause = min(interval * self._intervals, _LONGEST_NS)
            self._intervals = min(2 * self._intervals, _LAST)
        else:
            self._intervals = max(self._intervals // 2, _FIRST)
        self.next_look = now + pause
        self._last, self._since = found, now
