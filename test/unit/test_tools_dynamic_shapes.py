"""Models with symbolic dimensions on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_onnx import info, model, node
from tool_runs import Run, tool_runner

from glow.tools import glow_bench, glow_run


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a tool on relu(x) for any number of rows, beside x of two and three rows."""
    monkeypatch.chdir(tmp_path)
    source = model(
        [node("Add", "x z", "h"), node("Relu", "h", "y")],
        {"x": ("rows", 3), "z": (1, 3)},
        [info("y", ("rows", 3))],
    )
    Path("net.onnx").write_bytes(source.SerializeToString())
    for rows in (2, 3):
        np.save(f"{rows}.npy", np.full((rows, 3), rows, np.float32))

    return tool_runner("net.onnx", monkeypatch, capsys)


def test_arrays_say_what_dimensions_are(tool: Run) -> None:
    for rows in (2, 3):
        code, out, _ = tool(
            glow_run.main, "--input", f"x={rows}.npy", "--random-inputs", "0",
            "--vs", "onnxruntime",
        )  # fmt: skip
        assert code == 0
        assert out.startswith(f"y: float32[{rows}, 3] values from")


def test_options_say_what_dimensions_are(tool: Run) -> None:
    code, out, _ = tool(glow_run.main, "--dim", "rows=5", "--random-inputs", "0")
    assert code == 0
    assert out.startswith("y: float32[5, 3] values from")


def test_what_is_not_known_is_reported(tool: Run) -> None:
    for arguments in (["--random-inputs", "0"], ["--save", "net.glow"]):
        assert tool(glow_run.main, *arguments) == (
            1,
            "",
            'error: no array says what dimension "rows" is; give an input that has it, '
            'or its extent: specialize({"rows": ...}) or --dim "rows=..."\n',
        )
    code, _, err = tool(glow_run.main, "--dim", "rows=2", "--input", "x=3.npy")
    assert code == 1
    assert "expected float32[2, 3], got float32[3, 3]" in err
    code, _, err = tool(glow_run.main, "--dim", "rows=-1", "--random-inputs", "0")
    assert code == 1
    assert err == (
        "error: expected --dim NAME=VALUE, at least 0, once per name, got 'rows=-1'\n"
    )


def test_the_signature_shows_symbols(tool: Run) -> None:
    assert tool(glow_run.main, "--signature") == (
        0,
        "input x: float32[rows, 3]\n"
        "input z: float32[1, 3]\n"
        "output y: float32[rows, 3]\n",
        "",
    )


def test_arrays_are_timed(tool: Run) -> None:
    code, out, _ = tool(glow_bench.main, "--input", "x=2.npy", "--seconds", "0.01")
    assert code == 0
    assert json.loads(out)["glow_ms"] > 0
