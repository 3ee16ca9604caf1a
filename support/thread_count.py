"""The number of threads a process may use: affinity, quotas of cgroups, the user."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path


def allowed_threads(
    root: Path = Path("/"), environment: Mapping[str, str] = os.environ
) -> int:
    """
    Return how many threads may run at the same time, at least 1.

    That is the least of the processors that the system lets this process run on, what
    the quotas of its cgroup and those above come to, rounded down, and
    `OMP_NUM_THREADS`, if that is a number. Files are looked for below `root`.
    """
    counts = [_processors(), *_quotas(root), *_of_user(environment)]
    return max(1, int(min(counts)))


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # there is no affinity there


def _of_user(environment: Mapping[str, str]) -> Iterator[int]:
    first = environment.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if first.isdecimal() and int(first):
        yield int(first)


def _quotas(root: Path) -> Iterator[float]:
    """Yield the processors that each cgroup of this process may keep busy."""
    with suppress(OSError):
        mounts = _mounts(root)
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            kind = "cpu" if "cpu" in controllers.split(",") else controllers
            if kind in mounts:
                # In a container the path may be that outside of it.
                group = Path(path.strip("/"))
                for each in (group, *group.parents):
                    yield from _quota(root / mounts[kind] / each)


def _mounts(root: Path) -> dict[str, str]:
    """Return where version 2 is mounted, by "", and the processors of version 1."""
    found: dict[str, str] = {}
    for line in (root / "proc/self/mounts").read_text().splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found[""] = place.lstrip("/")
        elif kind == "cgroup" and "cpu" in options.split(","):
            found["cpu"] = place.lstrip("/")
    return found


def _quota(folder: Path) -> Iterator[float]:
    with suppress(OSError, ValueError):
        quota, period = map(float, (folder / "cpu.max").read_text().split())
        yield quota / period
    with suppress(OSError, ValueError):
        quota, period = (
            float((folder / f"cpu.cfs_{name}_us").read_text())
            for name in ("quota", "period")
        )
        if quota > 0:
            yield quota / period
