"""Simulation of runs with more threads than there are cores, from measured pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from statistics import median
from typing import Any

from glow.runtime.interface import Executable
from glow.runtime.profile import Record
from glow.support.arrays import Array
from glow.support.thread_count import allowed_threads
from glow.tools.profiling import profiled, runs_of

LINE_NS = 100.0
"""Nanoseconds to fetch a cache line that another core has written."""

Strand = Sequence[float]
"""The nanoseconds of each piece."""


@dataclass(frozen=True)
class Schedule:
    """
    The work of a run, section by section, as measured with one worker.

    Units: nanoseconds; `overhead` is what a worker takes between two pieces.
    """

    sections: tuple[tuple[Strand, ...], ...]
    overhead: float

    @staticmethod
    def of(records: Sequence[Record]) -> Schedule:
        """Return the schedule of runs by one worker: medians of these."""
        taken: dict[tuple[int, int, int], dict[int, float]] = {}
        for record in records:
            runs = taken.setdefault((record.section, record.strand, record.piece), {})
            runs[record.run] = runs.get(record.run, 0.0) + record.ns
        sections: dict[int, dict[int, list[float]]] = {}
        for (section, strand, _), runs in sorted(taken.items()):
            strands = sections.setdefault(section, {})
            strands.setdefault(strand, []).append(median(runs.values()))
        # A section does its strands in the order of their numbers.
        parts = [tuple(map(tuple, each.values())) for each in sections.values()]
        gaps = [
            (_span(run) - sum(record.ns for record in run)) / max(len(run) - 1, 1)
            for run in runs_of(records)
        ]
        return Schedule(tuple(parts), max(median(gaps), 0.0) if gaps else 0.0)

    @property
    def pieces(self) -> int:
        return sum(len(strand) for strands in self.sections for strand in strands)

    def length(self, workers: int) -> float:
        """
        Return how long a run takes with `workers`, all there from its beginning.

        Each begins with its own shares of a section and goes on with those of others,
        as in `team_claim`, but piece by piece. A section ends when the cache line with
        its count of pieces has gone to all workers.
        """
        end = 0.0
        for strands in self.sections:
            end = _end_of(strands, workers, end, self.overhead)
            end += LINE_NS * workers * (workers > 1)
        return end


def _end_of(
    strands: Sequence[Strand], workers: int, start: float, overhead: float
) -> float:
    """Return when the last piece of a section ends that begins at `start`."""
    left = [
        _shares(len(strand), workers, order) for order, strand in enumerate(strands)
    ]
    free = [(start, worker) for worker in range(workers)]
    end = start
    while free:
        now, worker = heappop(free)
        claimed = _claim(left, worker)
        if claimed is not None:
            strand, piece = claimed
            after = now + overhead + strands[strand][piece]
            end = max(end, after)
            heappush(free, (after, worker))
    return end


def _shares(pieces: int, workers: int, order: int) -> list[list[int]]:
    """Return the pieces that each worker begins with, the last of them first."""
    shift = order % workers if pieces < workers else workers - 1
    ends = [(pieces * n + shift) // workers for n in range(workers + 1)]
    return [list(range(ends[n + 1] - 1, ends[n] - 1, -1)) for n in range(workers)]


def _claim(left: Sequence[list[list[int]]], worker: int) -> tuple[int, int] | None:
    """Return a strand and the next piece of it, None if all are claimed."""
    own = [(strand, shares[worker]) for strand, shares in enumerate(left)]
    others = [
        (strand, shares[(worker + shift) % len(shares)])
        for strand, shares in enumerate(left)
        for shift in range(1, len(shares))
    ]
    for strand, share in [*own, *others]:
        if share:
            return strand, share.pop()
    return None


def _span(run: Sequence[Record]) -> float:
    return max(r.end_ns for r in run) - min(r.begin_ns for r in run)


def simulated(
    net: Executable, inputs: dict[str, Array], threads: int, seconds: float
) -> dict[str, Any]:
    """
    Return the simulated time of `threads`, and of two, which is also measured here.

    `net` has been compiled for several threads and to be profiled. Units: milliseconds;
    `two_ms` is the least of all runs, as others on the second core only add to it.
    Efficiency is the time of one thread over `threads` times that of all.
    """
    net.threads = 1
    schedule = Schedule.of(profiled(net, inputs, seconds))
    one = schedule.length(1)
    length = schedule.length(threads)
    figures: dict[str, Any] = {
        "simulated_threads": threads,
        "sections": len(schedule.sections),
        "pieces": schedule.pieces,
        "one_ms": round(one / 1e6, 4),
        "simulated_ms": round(length / 1e6, 4),
        "efficiency": round(one / max(threads * length, 1e-9), 3),
    }
    if allowed_threads() > 1:
        net.threads = 2
        runs = runs_of(profiled(net, inputs, seconds))
        figures["two_simulated_ms"] = round(schedule.length(2) / 1e6, 4)
        least = min(map(_span, runs), default=0.0)
        figures["two_ms"] = round(least / 1e6, 4)
    return figures
