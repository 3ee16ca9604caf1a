"""How many threads a process may use, on made-up systems."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glow.support.thread_count import allowed_threads


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process have eight processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


V2 = {
    "proc/self/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n",
    "proc/self/cgroup": "0::/user/job\n",
}
V1 = {
    "proc/self/mounts": "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
    "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n",
    "proc/self/cgroup": "5:memory:/m\n4:cpu,cpuacct:/docker/abc\n",
}


@pytest.mark.usefixtures("eight")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        (V2, 8),
        (V2 | {"sys/fs/cgroup/user/job/cpu.max": "max 100000\n"}, 8),
        (V2 | {"sys/fs/cgroup/user/job/cpu.max": "300000 100000\n"}, 3),
        (V2 | {"sys/fs/cgroup/user/job/cpu.max": "250000 100000\n"}, 2),
        (V2 | {"sys/fs/cgroup/user/job/cpu.max": "50000 100000\n"}, 1),
        (V2 | {"sys/fs/cgroup/user/cpu.max": "200000 100000\n"}, 2),
        (V2 | {"sys/fs/cgroup/cpu.max": "400000 100000\n"}, 4),
        (V2 | {"sys/fs/cgroup/user/job/cpu.max": "nonsense"}, 8),
        (V1, 8),
        (
            V1
            | {
                "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
            },
            2,
        ),
        (
            V1  # in a container: its own group is what is mounted
            | {
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "50000\n",
            },
            3,
        ),
        (
            V1
            | {
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            },
            8,
        ),
    ],
)
def test_quotas_of_cgroups_count(
    tmp_path: Path, files: dict[str, str], expected: int
) -> None:
    assert allowed_threads(write(tmp_path, files), {}) == expected


@pytest.mark.usefixtures("eight")
@pytest.mark.parametrize(
    ("value", "expected"),
    [("4", 4), ("3,2", 3), ("16", 8), ("0", 8), ("-1", 8), ("many", 8), ("", 8)],
)
def test_the_user_may_ask_for_fewer(tmp_path: Path, value: str, expected: int) -> None:
    assert allowed_threads(tmp_path, {"OMP_NUM_THREADS": value}) == expected


def test_affinity_counts_and_not_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert allowed_threads(tmp_path, {}) == 1
