"""States, bound inputs and several shapes on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto
from small_onnx import info, model, node

from glow.tools import glow_bench, glow_opt, glow_run
from glow.tools.options import parse_relayout

Run = Callable[..., tuple[int, str, str]]

TEXT = """
func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = graph.mul %x, %scale : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %y : tensor<2x3xf32>
}
"""


def network() -> ModelProto:
    """Return y = relu(x * scale + past), which is also what the past becomes."""
    nodes = [
        node("Mul", "x scale", "scaled"),
        node("Add", "scaled past", "present"),
        node("Relu", "present", "y"),
    ]
    rows = ("rows", 3)
    shapes = {"x": rows, "past": rows, "scale": (3,)}
    return model(nodes, shapes, [info("y", rows), info("present", rows)])


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("net.onnx").write_bytes(network().SerializeToString())
    Path("net.mlir").write_text(TEXT)
    np.save("scale.npy", np.array([1, 2, 4], np.float32))
    np.save("x.npy", np.ones((2, 3), np.float32))

    def run(main: Callable[[], None], *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["tool", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ending:
            code = int(ending.code or 0)
        return code, *capsys.readouterr()

    return run


QUICK = ("net.onnx", "--target", "reference")
WISH = (*QUICK, "--states", "present=past", "--bind", "scale=scale.npy")


def test_states_and_bound_inputs_are_compared(tool: Run) -> None:
    options = (*WISH, "--input", "x=x.npy", "--vs", "onnxruntime")
    assert tool(glow_run.main, *options) == (
        0,
        "y: float32[2, 3] values from 1 to 4, error 0\n",
        "",
    )


def test_the_signature_shows_states(tool: Run) -> None:
    assert tool(glow_run.main, *WISH, "--signature")[:2] == (
        0,
        "input x: float32[rows, 3]\n"
        "output y: float32[rows, 3]\n"
        "state past: float32[rows, 3]\n",
    )


def test_each_shape_is_run_and_timed(tool: Run) -> None:
    shapes = ("--shapes", "rows=1,4")
    code, out, _ = tool(
        glow_run.main, *WISH, *shapes, "--random-inputs", "0", "--vs", "onnxruntime"
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[0::2] == ["for rows=1", "for rows=4"]
    assert [line.split(" values")[0] for line in lines[1::2]] == [
        "y: float32[1, 3]",
        "y: float32[4, 3]",
    ]
    code, out, _ = tool(
        glow_bench.main, *WISH, *shapes, "--seconds", "0", "--vs", "onnxruntime"
    )
    found = [json.loads(line) for line in out.splitlines()]
    assert (code, [each["shape"] for each in found]) == (0, ["rows=1", "rows=4"])
    assert [each["max_error"] for each in found] == [0, 0]


def test_text_is_bound_too(tool: Run) -> None:
    given = ("net.mlir", "--target", "reference", "--bind", "scale=scale.npy")
    assert tool(glow_run.main, *given, "--input", "x=x.npy")[:2] == (
        0,
        "y: float32[2, 3] values from 1 to 4\n",
    )


@pytest.mark.parametrize("source", ["net.mlir", "net.onnx"])
def test_glow_opt_takes_the_same(tool: Run, source: str) -> None:
    rest = ("--dim", "rows=2", "--states", "present=past")
    options = ("--stop-after", "graph", "--bind", "scale=scale.npy")
    code, out, _ = tool(
        glow_opt.main, source, *options, *(rest if source == "net.onnx" else ())
    )
    assert code == 0
    assert ("graph.constant @scale" in out) == (source == "net.mlir")
    assert ("dense<[1.000000e+00, 2.000000e+00" in out) == (source == "net.onnx")
    assert "graph.placeholder @scale" not in out
    is_tied = 'graph.placeholder @past "inout" "resident"' in out
    assert is_tied == (source == "net.onnx")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--states", "present"],
            "--states OUTPUT=INPUT once per output, got 'present'",
        ),
        (["--states", "=past"], "--states OUTPUT=INPUT once per output, got '=past'"),
        (
            ["--states", "a=b,a=c"],
            "--states OUTPUT=INPUT once per output, got 'a=c'",
        ),
        (
            ["--states", "q=past"],
            'states: expected an output out of "y", "present", got',
        ),
        (["--bind", "scale.npy"], "--bind NAME=FILE.npy once per name, got 'scale"),
        (["--bind", "q=scale.npy"], 'the model has no input "q"'),
        (["--bind", "scale=none.npy"], "none.npy: no such file"),
        (
            ["--bind", "scale=x.npy"],
            'input "scale" is given as float32[2, 3], expected',
        ),
        (["--shapes", "rows"], "--shapes NAME=VALUE,... once per name, got 'rows'"),
        (["--shapes", "rows=1,x"], "--shapes NAME=VALUE,... once per name, got"),
        (["--shapes", "rows=1", "--shapes", "rows=2"], "once per name, got 'rows=2'"),
        (["--shapes", "q=1"], 'shapes: no symbolic dimension is called "q"'),
        (
            ["--shapes", "rows=1", "--dim", "rows=2"],
            "shapes: the model has no symbolic dimensions",
        ),
        (
            ["--shapes", "rows=1,2", "--random-inputs", "0", "--output-dir", "out"],
            "--output-dir with one shape, got 2",
        ),
    ],
)
def test_wrong_options_get_one_line(
    tool: Run, arguments: list[str], message: str
) -> None:
    code, _, err = tool(glow_run.main, *QUICK, *arguments)
    assert code == 1
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_files_of_several_shapes_are_made_and_run(tool: Run) -> None:
    wish = ("net.onnx", "--no-cache", *WISH[3:], "--shapes", "rows=1,2")
    assert tool(glow_run.main, *wish, "--save", "net.glow") == (
        0,
        "wrote net.glow\n",
        "",
    )
    saved = ("net.glow", "--random-inputs", "0")
    code, out, _ = tool(glow_run.main, *saved)
    assert (code, out.count("\n")) == (0, 4)
    assert out.startswith("for rows=1\ny: float32[1, 3] values from")
    assert "for rows=2\ny: float32[2, 3] values from" in out
    line = "y: float32[2, 3] values from 1 to 4\n"
    assert tool(glow_run.main, "net.glow", "--input", "x=x.npy") == (0, line, "")
    chosen = tool(glow_run.main, *saved, "--dim", "rows=2")[1]
    assert chosen.startswith("y: float32[2, 3] values from")
    assert tool(glow_run.main, *saved, "--dim", "rows=3")[2].startswith(
        "error: net.glow: expected rows = 1 or rows = 2, which it is compiled for, got"
    )
    given = ("--states", "a=b", "--bind", "scale=scale.npy", "--shapes", "rows=1")
    assert tool(glow_run.main, *saved, *given, "--dim", "rows=1")[2] == (
        "error: net.glow is compiled already: expected no --bind, --shapes, --states\n"
    )
    signature = tool(glow_run.main, "net.glow", "--signature")[1]
    assert "state past: float32[rows, 3]" in signature


def test_glow_opt_ties_states_where_stages_run(tool: Run) -> None:
    code, _, err = tool(glow_opt.main, "net.mlir", "--states", "a=b")
    assert (code, err) == (1, "error: expected --states together with --stop-after\n")
    wrong = ("net.mlir", "--bind", "q=scale.npy")
    assert tool(glow_opt.main, *wrong)[2] == (
        'error: no input is called "q", expected "x", "scale"\n'
    )


@pytest.mark.parametrize(
    ("text", "layouts"),
    [
        ("NHWC", "NHWC"),
        ("N[a=64]HWC", "N[a=64]HWC"),
        ("x=N[a=64]HWC", {"x": "N[a=64]HWC"}),
        ("a=b=NHWC", {"a=b": "NHWC"}),
        ("x=nonsense", {"x": "nonsense"}),
    ],
)
def test_layouts_and_names_may_have_equal_signs(
    text: str, layouts: dict[str, str] | str
) -> None:
    assert parse_relayout([text]) == layouts
