"""Rooflines: how near each group of a model is to the peaks of the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from glow.backends.cpu.peaks import ClockProbe, Peaks, measured_peaks
from glow.runtime.interface import Executable
from glow.runtime.profile import Group
from glow.support.tables import aligned
from glow.support.targets import target_of
from glow.tools.profiling import GroupTime, cut, profiled, times_of

Moves = Sequence[tuple[int, int, int]]

ARITHMETIC = "arithmetic"
LOW = 0.7
"""The share of the limit below which a reason is given."""

_LEAST_NS = 200
"""Shorter groups are left out, as the processor overlaps them with others."""
_SMALL_NS = 3000
"""Shorter groups are small: their call is a large part."""
_HELD = 0.75
"""
The part of a cache that bytes read in turn may fill so that all are found again.

Of more bytes, the square of the part that fits is found: caches evict what was least
recently used, or nearly so. Measured on Sapphire Rapids, whose second level has 2 MiB:
159 GB/s for 1.5 MiB, 69 for 2, 48 for 2.5, 36 for 4, 32 for 8, of 168 and 30.
"""
_SHORT_SUM = 64
_FEW_ROWS = 4
_USED = 0.85
_FUNCTIONS = ("softmax", "attention", "lstm", "gru", "rnn", "elementwise", "lrn")
_BESIDE = 0.5
"""The part of the arithmetic's time from which moving bytes beside it matters."""


def measured(
    net: Executable, inputs: Mapping[str, object], seconds: float
) -> tuple[list[GroupTime], Peaks]:
    """
    Return the times of groups, and the peaks of a core at the clock rate of the runs.

    The memory is measured before and after them.
    """
    before, clock = measured_peaks(), ClockProbe()
    times = times_of(profiled(net, inputs, seconds, clock.measure))
    return times, before.best(measured_peaks()).at_clock(clock.flops())


def read_measured(entry: Mapping[str, Any]) -> tuple[list[GroupTime], Peaks]:
    """Return the result of `measured` that `dataclasses.asdict` made `entry` of."""
    return list(map(GroupTime.of, entry["times"])), Peaks.of(entry["peaks"])


def lanes_here() -> int:
    """Return how many f32 a vector of this machine has."""
    return target_of("cpu").f32_lanes


@dataclass(frozen=True)
class Limit:
    """
    The least time that a group takes, and what it is bound by.

    Units: nanoseconds.
    """

    ns: float
    bound: str
    """The arithmetic, or the memory that the bytes come from."""
    steps: int
    """The instructions, lane by lane, of the algorithm that is fastest here."""


def limit_of(group: Group, peaks: Peaks) -> Limit:
    """
    Return the least time for a group on one core, of all algorithms known here.

    Arithmetic and moving bytes are taken to overlap, and so are levels of memory.
    """
    farthest = max((distance for _, distance, _ in group.moves), default=0)
    ways = [(n, (*group.moves, (more, farthest, 0))) for n, more in group.ways]
    limits = (_limit(*way, peaks) for way in ways or [(0, group.moves)])
    return min(limits, key=lambda limit: limit.ns)


def _limit(steps: int, moves: Moves, peaks: Peaks) -> Limit:
    times = [(2 * steps / peaks.flops, ARITHMETIC), *_moving(moves, peaks)]
    ns, bound = max(times)
    return Limit(ns, bound, steps)


def _moving(moves: Moves, peaks: Peaks) -> Iterator[tuple[float, str]]:
    """
    Yield how long bytes take to come out of each memory, those beyond it included.

    Bytes that are read again are found in a cache if they and those read since fill no
    more than `_HELD` of it; beyond that fewer and fewer are.
    """
    left = [float(size) for size, *_ in moves]
    for memory in peaks.memories:
        pairs = zip(left, moves, strict=True)
        read = sum(rest for rest, (*_, is_written) in pairs if not is_written)
        yield max(read / memory.read_rate, sum(left) / memory.rate), memory.name
        left = [
            min(rest, size * _beyond(memory.bytes, distance))
            for rest, (size, distance, _) in zip(left, moves, strict=True)
        ]


def _beyond(held: float, distance: int) -> float:
    """Return the part of bytes that a cache lost, `distance` bytes after their use."""
    return max(0.0, 1 - (_HELD * held / max(distance, 1)) ** 2)


@dataclass(frozen=True)
class Standing:
    """A group, its time and its limit. `share`: the limit's part of the time."""

    time: GroupTime
    limit: Limit

    @property
    def share(self) -> float:
        return self.limit.ns / self.time.ns if self.time.ns else 1.0

    def lost(self) -> float:
        """Return the time beyond the limit, in nanoseconds."""
        return self.time.ns - self.limit.ns


def standings(times: Iterable[GroupTime], peaks: Peaks) -> list[Standing]:
    """Return the standing of each group that takes long enough to tell, in order."""
    return [
        Standing(time, limit_of(time.group, peaks))
        for time in times
        if time.ns >= _LEAST_NS and (time.group.flops or time.group.bytes)
    ]


def share_of(found: Sequence[Standing]) -> float:
    """Return the share of the whole: the sum of limits over the sum of times."""
    taken = sum(standing.time.ns for standing in found)
    return sum(standing.limit.ns for standing in found) / taken if taken else 1.0


def reason_for(standing: Standing, peaks: Peaks, lanes: int) -> str:
    """Return what keeps a group from its limit, as far as its facts tell."""
    time, limit = standing.time, standing.limit
    group, kernels = time.group, " ".join(time.kernels)
    if time.ns < _SMALL_NS:
        return f"small: {time.ns / 1e3:.1f} us with the call"
    if group.op == "memory.zero_halo":
        return "borders, which lie in short lines apart"
    if "winograd" in kernels:
        return "transforms of tiles, and what leaves the cache between them"
    if group.ways and group.ways[0][0] > limit.steps:
        more = group.ways[0][0] / limit.steps
        return f"direct sum: {more:.1f} times the arithmetic"
    if group.op in ("memory.conv", "memory.matmul"):
        yet = _of_product(group, lanes)
        if yet:
            return yet
    name = group.op.partition(".")[2]
    if name.endswith("norm"):
        return "lines are read for sums, then for squares, then for the result"
    if "pool" in kernels:
        return "windows: a load for each step, and few steps for each element"
    if (
        name == "elementwise"
        and limit.bound == ARITHMETIC
        and group.flops < group.bytes
    ):
        return "few steps for each element that is loaded and stored"
    if limit.bound == ARITHMETIC and name in _FUNCTIONS:
        return "roots, quotients and functions, whose steps wait for each other"
    if limit.bound == ARITHMETIC:
        ns, memory = max(_moving(group.moves, peaks))
        if ns > _BESIDE * limit.ns:
            return f"weights and rows from {memory}, which take {ns / limit.ns:.0%}"
        return f"{group.flops / time.ns:.0f} of {peaks.flops:.0f} GFLOP/s"
    rate = group.bytes / time.ns
    return f"{rate:.0f} GB/s, {group.bytes / limit.ns:.0f} from {limit.bound}"


def _of_product(group: Group, lanes: int) -> str:
    """Return what is unfavorable about the extents of a product, or nothing."""
    *result, depth = group.extents
    columns = result[1] if group.op == "memory.conv" else result[-1]
    rows = prod(result) // max(1, columns)
    used = columns / (-(-columns // lanes) * lanes)
    if used < _USED:
        return f"tails: {columns} columns in vectors of {lanes}"
    if depth < _SHORT_SUM:
        return f"short sums: of {depth} terms"
    if rows <= _FEW_ROWS:
        return f"few rows: each weight is read for {rows}"
    return ""


def roofline_table(found: Sequence[Standing], peaks: Peaks, lanes: int) -> str:
    """Return a table of groups, those first that lose most time, and the whole."""
    if not found:
        return "nothing is computed\n"
    rows = [["node", "kernel", "us", "limit", "share", "bound by", "reason"]]
    for each in sorted(found, key=Standing.lost, reverse=True):
        time, limit = each.time, each.limit
        row = [cut(time.group.name), cut(", ".join(time.kernels))]
        row += [f"{time.ns / 1e3:.2f}", f"{limit.ns / 1e3:.2f}"]
        row += [f"{each.share:.0%}", limit.bound]
        rows.append([*row, reason_for(each, peaks, lanes) if each.share < LOW else ""])
    taken = sum(each.time.ns for each in found) / 1e6
    least = sum(each.limit.ns for each in found) / 1e6
    whole = (
        f"{share_of(found):.0%} of the limit: {least:.4f} of {taken:.4f} ms; one core "
        f"does {peaks}"
    )
    return "\n".join([*aligned(rows, range(2, 5)), whole]) + "\n"
