"""The tables of overhead and of load times: each of their rows runs."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])


@pytest.mark.slow
def test_a_call_with_bound_arrays_costs_little(tmp_path: Path) -> None:
    import overhead

    rows = overhead.measure(tmp_path, seconds=0.5)
    assert len(rows) == len(overhead.NAMES)
    assert all(min(row) > 0 for row in rows)
    _, _, beside = rows[0]
    assert beside < overhead.LIMIT_US  # ten times what it takes


@pytest.mark.full
def test_every_way_to_load_works() -> None:
    import load_time

    found = load_time.measure("mlp", repeats=1)
    assert list(found) == list(load_time.WAYS)
    assert all(0 < loaded <= first for loaded, first in found.values())
    assert found["compile, found"][0] < found["compile"][0]
