"""`make layouts` runs; what it finds is in benchmarks/LAYOUTS.md."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "layouts.py"

pytestmark = pytest.mark.slow


def test_tables_have_a_row_for_each_model(tmp_path: Path) -> None:
    output = tmp_path / "LAYOUTS.md"
    command = [sys.executable, SCRIPT, "mlp", "--seconds", "0", "--output", output]
    subprocess.run(command, check=True, capture_output=True)
    rows = [line for line in output.read_text().splitlines() if line[:5] == "| mlp"]
    assert rows[0] == "| mlp | 0 | 0 | 0 | 0 |"
    assert "| exact |" in rows[1]
    assert len(rows) == 2


def test_filters_that_a_run_gives_have_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(SCRIPT.parent), *sys.path])
    import layouts

    monkeypatch.setattr(layouts, "CONVOLUTIONS", {})
    text = layouts.report(layouts.measure_filters("cpu", 0), "cpu")
    assert len([line for line in text.splitlines() if "network of 4" in line]) == 1
