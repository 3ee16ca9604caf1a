"""Time programs alternately, in one process, by one clock."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

Program = Callable[[], object]
Clock = Callable[[], float]


def clock_for(threads: int | None) -> Clock:
    """Return the clock in seconds: of the process for one thread, else of the wall."""
    return time.process_time if threads == 1 else time.perf_counter


def interleaved_medians(
    programs: Sequence[Program], threads: int, seconds: float, least_runs: int = 10
) -> list[float]:
    """Return the median seconds of each program, run in turn after one run."""
    clock = clock_for(threads)
    for program in programs:
        program()
    times: list[list[float]] = [[] for _ in programs]
    end = time.perf_counter() + seconds
    while len(times[0]) < least_runs or time.perf_counter() < end:
        for program, taken in zip(programs, times, strict=True):
            start = clock()
            program()
            taken.append(clock() - start)
    return [statistics.median(taken) for taken in times]
