"""The benchmark of compilations fills its table."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_row_has_a_number_for_each_step(tmp_path: Path) -> None:
    output = tmp_path / "table.md"
    script = str(ROOT / "benchmarks" / "compile_time.py")
    command = [sys.executable, script, "mlp", "--repeats", "1", "--output", str(output)]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    lines = [line.split("|")[1:-1] for line in output.read_text().splitlines()]
    titles, _, cells = ([cell.strip() for cell in line] for line in lines[-3:])
    row = dict(zip(titles, cells, strict=True))
    assert row.pop("model") == "mlp"
    seconds = {name: float(value) for name, value in row.items()}
    assert list(seconds) == [
        *("import", "graph", "layout", "memory", "loops", "llvm", "machine", "cold"),
        *("warm machine", "warm", "of it system", "again", "ONNX Runtime"),
        *("peak MB", "weights MB"),
    ]
    assert 0 < seconds["machine"] <= seconds["cold"]
    assert seconds["warm machine"] < seconds["machine"]
    assert seconds["again"] > 0
    assert seconds["ONNX Runtime"] < seconds["cold"]
    assert seconds["of it system"] < seconds["warm"]
    assert seconds["peak MB"] > seconds["weights MB"] > 1


@pytest.mark.slow
def test_formats_of_ops_are_not_read_when_they_are_imported() -> None:
    reader = "xdsl.irdl.declarative_assembly_format_parser"
    code = f"import glow.compiler, sys; print({reader!r} in sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
