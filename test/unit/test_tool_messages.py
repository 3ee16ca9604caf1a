"""Messages of tools: names answered with like ones, folders and inputs that lack."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from glow.support.errors import MissingFileError
from glow.tools import glow_cache, glow_opt, glow_run

SUBTRACT = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @i "in" : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @main() {
  %x = graph.load @x : tensor<2xf32>
  %i = graph.load @i : tensor<2xf32>
  %y = graph.sub %x, %i : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    {
        "an op": (["-"], "graph.relux is not registered, did you mean graph.relu"),
        "a pass": (["-", "--disable", "fold-bia"], "fold-bia, did you mean fold-bias"),
    }.values(),
)
def test_wrong_names_are_answered_with_like_ones(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = '%0 = "graph.relux"() : () -> tensor<2xf32>'
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
    monkeypatch.setattr("sys.argv", ["glow-opt", *arguments, "--stop-after", "graph"])
    with pytest.raises(SystemExit):
        glow_opt.main()
    assert message in capsys.readouterr().err


def test_a_cache_that_nothing_can_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    arguments = ["none.mlir", "--cache-dir", str(tmp_path / "file" / "cache")]
    monkeypatch.setattr("sys.argv", ["glow-run", *arguments])
    with pytest.raises(SystemExit):
        glow_run.main()
    assert "not a directory" in capsys.readouterr().err


def test_a_run_without_inputs_says_how_to_give_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.mlir").write_text(SUBTRACT)
    monkeypatch.setattr("sys.argv", ["glow-run", str(tmp_path / "net.mlir")])
    with pytest.raises(SystemExit):
        glow_run.main()
    message = "expected --random-inputs, or --input NAME=FILE.npy for x, i"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    {
        "no name of a model": (glow_run, ["", "--no-cache"], "expected a name, got ''"),
        "no name of a folder": (
            glow_cache,
            ["--cache-dir", ""],
            "argument --cache-dir: expected a name, got ''",
        ),
        "no name of IR": (glow_opt, [""], "expected a file, got ''"),
        "a folder of weights": (
            glow_opt,
            ["net.mlir", "--weights", "."],
            ".: no weights file: ",
        ),
        "a text that ends early": (
            glow_opt,
            ["cut.mlir"],
            "cut.mlir:2:1: unexpected end of the text in block definition",
        ),
        "a device": (glow_opt, [os.devnull], f"{os.devnull}: expected an ONNX model"),
    }.values(),
)
def test_wrong_files_are_named(
    tool: ModuleType,
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.mlir").write_text(SUBTRACT)
    Path("cut.mlir").write_text("func.func @main() {\n")
    monkeypatch.setattr("sys.argv", ["tool", *arguments])
    with pytest.raises(SystemExit):
        tool.main()
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.slow
def test_a_folder_that_is_gone_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = tmp_path / "lost"
    lost.mkdir()
    monkeypatch.chdir(lost)
    try:
        lost.rmdir()
    except OSError:
        pytest.skip("this system keeps folders that are in use")
    error = MissingFileError(2, "No such file or directory", "net.onnx")
    assert str(error).endswith("the current folder is gone")
    command = [sys.executable, "-c", "import glow.tools.glow_opt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "error: the current folder is gone: change to another one\n"
