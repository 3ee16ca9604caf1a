"""Some cases of each kind that a campaign runs, and what it leaves of a fault."""

import json
from pathlib import Path

import campaign
import numpy as np
import pytest

from glow.dialects.graph.binary import AddOp, MulOp, SubOp

pytestmark = pytest.mark.slow

CHECKS = campaign.checks()


def test_every_kind_has_turns() -> None:
    assert CHECKS.keys() == campaign.TURNS.keys()
    assert sum(turns for turns, _ in campaign.TURNS.values()) == 100


@pytest.mark.parametrize("kind", CHECKS)
def test_some_cases_of_each_kind(kind: str) -> None:
    for number in range(1 if kind in ("networks", "cache") else 6):
        CHECKS[kind](number, {})


def test_a_fault_leaves_what_it_ran_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for op in (AddOp, SubOp, MulOp):
        monkeypatch.setattr(op, "rule", staticmethod(lambda f, x, y: x + y + y))
    fine = [campaign.run_case(CHECKS["graph"], "graph", n, tmp_path) for n in range(60)]
    assert not all(fine)
    for number in (n for n, each in enumerate(fine) if not each):
        place = tmp_path / "faults" / f"graph-{number}"
        assert "graph." in (place / "net.mlir").read_text()
        told = (place / "error.txt").read_text()
        command = f"python test/fuzz/campaign.py --case graph:{number}"
        assert told.startswith(command)
        arrays = [np.load(path) for path in sorted(place.glob("*.npy"))]
        assert arrays


def test_a_campaign_adds_up_figures(tmp_path: Path) -> None:
    for _ in range(2):
        assert campaign.watch(tmp_path, minutes=0.2) == 0
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["minutes"] > 0.3
    assert figures["next"] >= 20_000_000
    assert sum(figures["cases"].values()) > 0


def test_a_process_that_ends_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "current").write_text("text:7")
    monkeypatch.setattr(campaign, "_wait", lambda *_: "the process ended with -11")
    monkeypatch.setattr(campaign.subprocess, "Popen", lambda *_, **__: None)
    assert campaign.watch(tmp_path, minutes=0.02) == 1
    told = (tmp_path / "faults" / "text-7" / "error.txt").read_text()
    assert told.endswith("the process ended with -11")
