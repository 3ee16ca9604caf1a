"""Profiles: when each call of a run began and ended, and what it computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glow.support.arrays import Array

_LEAST_S = 0.02
"""How long counter and clock are compared at least: their rate is known to 0.1 %."""


@dataclass(frozen=True)
class Group:
    """
    Ops of the model that were compiled as one, and the least work that they take.

    Units: flops are floating-point operations, a multiply-add two of them, as the
    definition of the op says, whatever the algorithm.
    """

    name: str
    """The names of its nodes in the model, with " + " between."""
    op: str
    """Its op at the memory level, such as `memory.conv`."""
    flops: int
    extents: tuple[int, ...] = ()
    """The shape of the result and, of a product, how many terms each sum has."""
    moves: tuple[tuple[int, int, int], ...] = ()
    """
    The bytes of each operand and result, their distance, and 1 for a result.

    The distance is the size of a cache that would still hold the bytes since they were
    last touched, in this run or the one before.
    """
    ways: tuple[tuple[int, int], ...] = ()
    """
    For each algorithm, its instructions, counted by lane, and further bytes it moves.

    A multiply-add counts as one instruction, and so does a maximum.
    """

    @property
    def bytes(self) -> int:
        """The bytes of operands and results, each as often as it has to be moved."""
        return sum(size for size, *_ in self.moves)

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Group:
        """Return the group that an entry of a file describes, with lists in it."""
        moves = tuple((size, away, kind) for size, away, kind in entry["moves"])
        ways = tuple((steps, size) for steps, size in entry["ways"])
        extents = tuple(entry["extents"])
        return Group(entry["name"], entry["op"], entry["flops"], extents, moves, ways)


@dataclass(frozen=True)
class Record:
    """
    A call of a kernel, or a piece of one, in a profiled run.

    Units: begin_ns and end_ns in nanoseconds since the first call of the first run.
    """

    run: int
    worker: int
    """The number of the thread that did it; 0 is the caller."""
    group: Group
    kernel: str
    piece: int
    """Which of the pieces that the call is cut into; 0 if it is not."""
    section: int
    """Its section: those of lower numbers are done before; 0 if one thread runs all."""
    strand: int
    """Its strand in the section: a worker does all calls of a piece of a strand."""
    begin_ns: float
    end_ns: float

    @property
    def ns(self) -> float:
        """The time that it took, in nanoseconds."""
        return self.end_ns - self.begin_ns


@dataclass(frozen=True)
class Profile:
    """The notes of a profiled `main`: groups, and each record's meaning, in order."""

    groups: tuple[Group, ...]
    records: tuple[tuple[int, str, int, int, int], ...]
    """The number of the group, the kernel, and numbers of piece, section and strand."""

    def entry(self) -> dict[str, Any]:
        """Return the profile as a file has it; `of` reads that."""
        return asdict(self)

    @staticmethod
    def of(entry: Mapping[str, Any]) -> Profile:
        """Return the profile that an entry of a file describes."""
        groups = map(Group.of, entry["groups"])
        records = map(tuple, entry["records"])
        return Profile(tuple(groups), tuple(records))

    def fresh(self) -> Array:
        """Return room for the numbers of a run: worker, first and last count."""
        return np.zeros((len(self.records), 3), np.int64)

    def measure(
        self,
        run: Callable[[], object],
        numbers: Array,
        runs: int,
        after_run: Callable[[], object] | None = None,
    ) -> tuple[Record, ...]:
        """
        Return the records of `runs` runs after a first one, which fill `numbers`.

        The rate of the processor's counter follows from the first and the last run.
        """
        if runs < 1:
            raise ValueError(f"expected at least one run, got {runs}")
        run()
        if not self.records:
            return ()
        found: list[Array] = []
        clocks: list[int] = []
        end = time.perf_counter() + _LEAST_S
        while len(found) < max(runs, 2) or time.perf_counter() < end:
            clocks.append(time.perf_counter_ns())
            run()
            found.append(numbers.copy())
            if after_run is not None:
                after_run()
            if len(found) == runs:
                time.sleep(max(0.0, end - time.perf_counter()))
        first, last = (int(found[i][:, 1].min()) for i in (0, -1))
        rate = (clocks[-1] - clocks[0]) / (last - first)
        return tuple(
            Record(
                *(number, int(worker), self.groups[group]),
                *(kernel, piece, section, strand),
                *((int(begin) - first) * rate, (int(end) - first) * rate),
            )
            for number, counts in enumerate(found[:runs])
            for (worker, begin, end), (group, kernel, piece, section, strand) in zip(
                counts, self.records, strict=True
            )
        )
