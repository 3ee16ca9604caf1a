"""The table of movements: each of its rows runs, and computes what NumPy does."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("element", ["f32", "i1"])
def test_every_row_is_right(element: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import movement

    for case in movement.cases():
        if not case.padded or element == "f32":
            speed, numpy, peer, copy = movement.measure(
                replace(case, element=element), "cpu", rounds=1
            )
            assert min(speed, numpy, copy) > 0
            assert (peer > 0) is not bool(case.padded)
