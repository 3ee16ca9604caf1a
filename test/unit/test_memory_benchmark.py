"""The benchmark of memory fills its table."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_row_has_a_number_for_each_column(tmp_path: Path) -> None:
    output = tmp_path / "table.md"
    script = str(ROOT / "benchmarks" / "memory.py")
    command = [sys.executable, script, "mlp", "--output", str(output)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    lines = [line.split("|")[1:-1] for line in output.read_text().splitlines()]
    cells = [[cell.strip() for cell in line] for line in lines]
    first = [line[:1] for line in cells].index(["mlp"])
    titles, _, *rows = cells[first - 2 : first + 2]
    assert [row[:2] for row in rows] == [["mlp", "one file"], ["mlp", "external data"]]
    for row in rows:
        found = dict(zip(titles[2:], map(float, row[2:]), strict=True))
        assert 2 <= found["weights"] <= found["constants"] < found["glow"]
        assert found["limit"] > 200
        ratio = found["ONNX Runtime"] / found["glow"]
        assert found["ratio"] == pytest.approx(ratio, abs=0.02)
