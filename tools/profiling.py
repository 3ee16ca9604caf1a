"""Tables of what a run spends its time on, and traces that Perfetto opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from glow.runtime.interface import Executable
from glow.runtime.profile import Group, Record
from glow.support.files import replace_file
from glow.support.tables import aligned

TRACE = ".json"
"""The suffix of files with traces."""

_SECONDS, _MOST_RUNS = 0.5, 200
_WIDTH = 48
"""The most letters of a name in a table."""


@dataclass(frozen=True)
class GroupTime:
    """
    The median time of a group in several runs.

    Units: ns in nanoseconds, summed over calls and workers; busy in workers that were
    at work on average, from its first call to its last.
    """

    group: Group
    kernels: tuple[str, ...]
    ns: float
    busy: float

    @staticmethod
    def of(entry: Mapping[str, Any]) -> GroupTime:
        """Return the time that `dataclasses.asdict` made `entry` of."""
        group, kernels = Group.of(entry["group"]), tuple(entry["kernels"])
        return GroupTime(group, kernels, entry["ns"], entry["busy"])


def profiled(
    net: Executable,
    inputs: Mapping[str, object],
    seconds: float = _SECONDS,
    after_run: Callable[[], object] | None = None,
) -> list[Record]:
    """Return the records of as many runs as take some `seconds`, at least 5."""
    once = net.profile(inputs)
    taken = max((record.end_ns for record in once), default=0.0) / 1e9
    runs = int(min(max(seconds / max(taken, 1e-6), 5), _MOST_RUNS))
    return list(net.profile(inputs, runs, after_run))


def times_of(records: Sequence[Record]) -> list[GroupTime]:
    """
    Return the time of each group, in the order of the model.

    Parts of an op, such as the phases of a transposed convolution, are groups that are
    equal, and have their own time.
    """
    groups: dict[int, Group] = {}
    of_groups: dict[int, dict[int, list[Record]]] = {}
    for record in records:
        groups[id(record.group)] = record.group
        runs = of_groups.setdefault(id(record.group), {})
        runs.setdefault(record.run, []).append(record)
    pairs = zip(groups.values(), of_groups.values(), strict=True)
    return [_time_of(group, list(runs.values())) for group, runs in pairs]


def times_by_name(records: Sequence[Record]) -> dict[str, float]:
    """Return the nanoseconds of all groups of a name, as medians of runs."""
    times: dict[str, float] = {}
    for time in times_of(records):
        times[time.group.name] = times.get(time.group.name, 0.0) + time.ns
    return times


def _time_of(group: Group, runs: Sequence[Sequence[Record]]) -> GroupTime:
    taken = [sum(record.ns for record in run) for run in runs]
    spans = [_span(run) for run in runs]
    busy = median(t / max(s, 1e-9) for t, s in zip(taken, spans, strict=True))
    kernels = dict.fromkeys(_in_words(record.kernel) for record in runs[0])
    return GroupTime(group, tuple(kernels), median(taken), busy)


def _span(records: Sequence[Record]) -> float:
    """Return the time from the first call to the end of the last."""
    return max(r.end_ns for r in records) - min(r.begin_ns for r in records)


def _in_words(kernel: str) -> str:
    """Return the symbol of a kernel without the digest of its key."""
    return kernel.rpartition("_")[0] or kernel


def table(
    records: Sequence[Record], limit: Callable[[Group], float] | None = None
) -> str:
    """
    Return a table of groups, those that take longest first, and the sum.

    `limit` returns the least nanoseconds of a group; a column shows their share.
    """
    if not records:
        return "nothing is computed\n"
    times = times_of(records)
    total = sum(time.ns for time in times)
    threads = len({record.worker for record in records})
    titles = ["node", "kernel", "us", "share", "GFLOP/s", "GB/s"]
    titles += ["of limit"] * (limit is not None) + ["busy"] * (threads > 1)
    rows = [titles]
    for time in sorted(times, key=lambda time: -time.ns):
        row = [cut(time.group.name), cut(", ".join(time.kernels))]
        row += [f"{time.ns / 1e3:.2f}", f"{time.ns / max(total, 1e-9):.1%}"]
        row += [_rate(time.group.flops, time.ns), _rate(time.group.bytes, time.ns)]
        if limit is not None:
            row.append(f"{limit(time.group) / max(time.ns, 1e-9):.0%}")
        rows.append(row + [f"{time.busy:.1f}"] * (threads > 1))
    spans = [_span(run) for run in runs_of(records)]
    lines = [
        *aligned(rows, numbers=range(2, len(rows[0]))),
        f"{len(times)} groups, {total / 1e6:.4f} ms in calls, "
        f"{median(spans) / 1e6:.4f} ms from first to last (medians of {len(spans)} "
        "runs)",
    ]
    return "\n".join(lines) + "\n"


def runs_of(records: Sequence[Record]) -> list[list[Record]]:
    """Return the records of each run."""
    runs: dict[int, list[Record]] = {}
    for record in records:
        runs.setdefault(record.run, []).append(record)
    return list(runs.values())


def cut(text: str) -> str:
    """Return `text`, or its beginning if it is long."""
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def _rate(count: int, ns: float) -> str:
    """Return a count per nanosecond, which is 10^9 per second."""
    return f"{count / ns:.1f}" if count and ns else "-"


def write_trace(path: Path, records: Sequence[Record]) -> None:
    """
    Write the run of median length as a trace, which Perfetto and Chrome open.

    There is a track per worker, with the time for which it has nothing to do, and where
    threads share a run, a mark where each section ends. Source: the Trace Event Format
    of Chrome.
    """
    runs = sorted(runs_of(records), key=_span)
    run = runs[len(runs) // 2] if runs else []
    start = min((record.begin_ns for record in run), default=0.0)
    workers = sorted({r.worker for r in run})
    events = [_thread(worker) for worker in workers]
    events += [_event(record, start) for record in run]
    for worker in workers:
        events += _waits(run, worker, start)
    events += _barriers(run, start)
    text = json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
    replace_file(path, [text.encode()])


def _thread(worker: int) -> dict[str, Any]:
    named = {"name": f"worker {worker}"}
    return {"name": "thread_name", "ph": "M", "pid": 1, "tid": worker, "args": named}


def _event(record: Record, start: float) -> dict[str, Any]:
    """Return the event of a call, or a piece of one."""
    group = record.group
    begin = record.begin_ns - start
    return _span_event(group.name, record.worker, begin, record.ns, group.op) | {
        "args": {
            "kernel": record.kernel,
            "piece": record.piece,
            "section": record.section,
            "flops": group.flops,
            "bytes": group.bytes,
        }
    }


def _span_event(
    name: str, worker: int, begin_ns: float, ns: float, category: str = "wait"
) -> dict[str, Any]:
    """Return a complete event; its times are in microseconds."""
    times = {"ts": begin_ns / 1e3, "dur": ns / 1e3}
    return {"name": name, "cat": category, "ph": "X", "pid": 1, "tid": worker} | times


def _waits(
    run: Sequence[Record], worker: int, start: float
) -> Iterator[dict[str, Any]]:
    """Yield an event for each time that a worker had no piece of a section."""
    free, section = start, -1
    for record in sorted(run, key=lambda record: record.begin_ns):
        if record.worker != worker:
            continue
        if record.section != section and record.begin_ns > free:
            yield _span_event("waiting", worker, free - start, record.begin_ns - free)
        free, section = record.end_ns, record.section
    end = max(record.end_ns for record in run)
    if end > free:
        yield _span_event("waiting", worker, free - start, end - free)


def _barriers(run: Sequence[Record], start: float) -> Iterator[dict[str, Any]]:
    """Yield a mark where each section ends that another one waits for."""
    ends: dict[int, float] = {}
    for record in run:
        ends[record.section] = max(record.end_ns, ends.get(record.section, 0.0))
    for section in sorted(ends)[:-1]:
        mark = {"name": f"end of section {section}", "ph": "i", "s": "p", "pid": 1}
        yield mark | {"tid": 0, "ts": (ends[section] - start) / 1e3}
