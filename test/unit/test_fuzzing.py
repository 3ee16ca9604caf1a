"""Some cases of each kind that a campaign runs, and what it leaves of a fault."""

import faulthandler
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import campaign
import numpy as np
import pytest
import texts
from graphs import BLOCK, Theme

from glow.dialects.graph.binary import AddOp, MulOp, SubOp

pytestmark = pytest.mark.slow

CHECKS = campaign.checks()


def test_every_kind_has_turns() -> None:
    assert CHECKS.keys() == campaign.TURNS.keys()
    assert sum(turns for turns, _ in campaign.TURNS.values()) == 100


@pytest.mark.parametrize("kind", CHECKS)
def test_some_cases_of_each_kind(kind: str) -> None:
    for number in range(1 if kind in ("networks", "shapes", "cache") else 6):
        CHECKS[kind](number, {})


def test_a_fault_leaves_what_it_ran_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for op in (AddOp, SubOp, MulOp):
        monkeypatch.setattr(op, "rule", staticmethod(lambda f, x, y: x + y + y))
    names = {op.name for op in (AddOp, SubOp, MulOp)}
    themes = {n: Theme.of(n) for n in range(0, 100 * BLOCK, BLOCK)}
    start = next(
        number
        for number, theme in themes.items()
        if theme.target.startswith("cpu") and names.intersection(theme.names)
    )
    check, numbers = CHECKS["graph"], range(start, start + 20)
    fine = {n: campaign.run_case(check, "graph", n, tmp_path) for n in numbers}
    assert not all(fine.values())
    for number in (n for n, each in fine.items() if not each):
        place = tmp_path / "faults" / f"graph-{number}"
        assert "graph." in (place / "net.mlir").read_text()
        report = (place / "error.txt").read_text()
        command = f"python test/fuzz/campaign.py --case graph:{number}"
        assert report.startswith(command)
        arrays = [np.load(path) for path in sorted(place.glob("*.npy"))]
        assert arrays


def test_a_campaign_adds_a_row_of_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"
    for _ in range(2):
        assert campaign.watch(tmp_path, 0.05, figures) == 0
    first, second = rows = json.loads(figures.read_text())
    assert first["first"] < first["next"] == second["first"] < second["next"]
    assert all(row["minutes"] > 0 and sum(row["cases"].values()) > 0 for row in rows)
    last, both = capsys.readouterr().out.splitlines()[-2:]
    assert last.startswith("last: ")
    graphs = sum(row["cases"].get(kind, 0) for row in rows for kind in campaign.GRAPHS)
    assert both.startswith(f"all: {graphs:,} graphs and ")


def test_a_process_that_ends_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "current").write_text("text:7")
    monkeypatch.setattr(campaign, "_wait", lambda *_: "the process ended with -11")
    monkeypatch.setattr(campaign.subprocess, "Popen", lambda *_, **__: None)
    monkeypatch.setattr(campaign, "_version", lambda: "")
    assert campaign.watch(tmp_path, 0.02, tmp_path / "figures.json") == 1
    report = (tmp_path / "faults" / "text-7" / "error.txt").read_text()
    assert report.endswith("the process ended with -11")


def test_a_process_that_hangs_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign, "HANG_S", 0.2)
    (tmp_path / "current").write_text("text:7")
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    report = campaign._wait(process, tmp_path / "current", lambda: None)  # pyright: ignore[reportPrivateUsage]
    assert report.startswith("it hung")
    assert process.returncode == -9


def dies(compiled: Callable[[], object]) -> None:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def runs_and_dies(compiled: Callable[[], object]) -> None:
    compiled()
    dies(compiled)


def raises(compiled: Callable[[], object]) -> None:
    raise KeyError("here")


def test_only_what_comes_before_code_is_judged() -> None:
    texts.in_child(lambda compiled: None)
    texts.in_child(runs_and_dies)
    with pytest.raises(AssertionError, match="ended with 11"):
        texts.in_child(dies)
    with pytest.raises(AssertionError, match="KeyError: 'here'"):
        texts.in_child(raises)
