"""Messages of tools: names answered with like ones, folders and inputs that lack."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from glow.tools import glow_opt, glow_run

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
