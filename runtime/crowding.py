"""Crowded processors: when runs take one thread only, as other processes wait."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

LOOK_NS = 10_000_000
"""Time between two looks at lost processor time, while there are runs."""

_LOSS_S = 0.001
"""
The time that a thread is taken to wait for a lost processor, if the system does not
tell: others compute for 3 to 12 ms, but most losses are to those that run for a moment.
"""

_LEAST_S = 0.1
"""The processor time after which the share of waiting can be told."""

_FIRST, _LAST = 4, 16
"""The fewest and the most intervals for which callers run alone."""

_LONGEST_NS = 2_000_000_000


class Usage(NamedTuple):
    """Times of threads since they began, in seconds."""

    waited: float
    """For how long they could have computed and another had the processor."""
    seconds: float
    """For how long they had a processor."""


class ThreadTimes:
    """
    What Linux says of the time of some threads, in `/proc/self/task/ID/schedstat`.

    Errors: an OSError where there is no such file.
    """

    def __init__(self, threads: Sequence[int]):
        """`threads` are their native identifiers."""
        self._files: list[int] = []
        for thread in threads:
            path = f"/proc/self/task/{thread}/schedstat"
            self._files.append(os.open(path, os.O_RDONLY))

    def __call__(self) -> Usage:
        """Return the times of those that have not ended."""
        computed = waited = 0
        for file in self._files:
            try:
                fields = os.pread(file, 64, 0).split()
            except ProcessLookupError:
                continue
            computed, waited = computed + int(fields[0]), waited + int(fields[1])
        return Usage(waited * 1e-9, computed * 1e-9)

    def __del__(self) -> None:
        for file in self._files:
            os.close(file)


def _estimate() -> Usage:
    """Return times of all threads of this process, each loss a wait of `_LOSS_S`."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # not a Unix
        return Usage(0.0, 0.0)
    used = getrusage(RUSAGE_SELF)
    return Usage(used.ru_nivcsw * _LOSS_S, used.ru_utime + used.ru_stime)


def usage_of(threads: Sequence[int]) -> Callable[[], Usage]:
    """Return a function that returns the times of threads, by native identifier."""
    try:
        return ThreadTimes(threads)
    except OSError:
        return _estimate


class Crowding:
    """
    A watch of other processes that want the processors of this one's threads.

    A thread that loses its processor holds up all that wait for its piece, and several
    processes that each start a thread per processor take time from each other. So runs
    are done by their callers alone for a while when threads wait for processors; then
    workers take part again, and if it is no better, the next while is twice as long.

    If `n` threads each wait a share `w` of the time, then for up to `n * w` of it some
    thread waits and holds up all. They do `n * (1 - n * w)` times the work of one
    thread, which is no more than that of one if `w` is `(n - 1) / n**2`.
    """

    def __init__(self, usage: Callable[[], Usage], threads: int):
        """`usage` returns times of the watched threads: `threads`, with the caller."""
        self.next_look = 0
        """When to look again, by the clock of `look`."""
        self.is_crowded = False
        self._usage = usage
        self._most_waiting = (threads - 1) / threads**2
        self._last = usage()
        self._since = 0
        self._intervals = _FIRST

    def look(self, now: int) -> None:
        """Set `is_crowded` at time `now`, in nanoseconds, and when to look again."""
        found, last = self._usage(), self._last
        interval = max(now - self._since, LOOK_NS)
        waited, seconds = found.waited - last.waited, found.seconds - last.seconds
        pause = LOOK_NS
        if self.is_crowded or not self._since:
            self.is_crowded = False  # to see how it is now
        elif seconds < _LEAST_S:
            self.next_look = now + pause
            return
        elif waited > self._most_waiting * (waited + seconds):
            self.is_crowded = True
            pause = min(interval * self._intervals, _LONGEST_NS)
            self._intervals = min(2 * self._intervals, _LAST)
        else:
            self._intervals = max(self._intervals // 2, _FIRST)
        self.next_look = now + pause
        self._last, self._since = found, now
