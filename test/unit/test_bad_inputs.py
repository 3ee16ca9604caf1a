"""Wrong inputs of every kind, each answered by one line and exit code 1."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper

import glow
from glow.targets import known_targets
from glow.tools import glow_bench, glow_bisect, glow_opt, glow_run

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
KNOWN = ", ".join(sorted(known_targets()))
TOOLS = {
    "glow-opt": glow_opt.main,
    "glow-run": glow_run.main,
    "glow-bench": glow_bench.main,
    "glow-bisect": glow_bisect.main,
}


def model(*nodes: Any, element: int = F32, shape: Any = (2,), **graph: Any) -> bytes:
    """Return an ONNX file from `x` to `y` through `nodes`."""
    ends = [helper.make_tensor_value_info(n, element, shape) for n in ("x", "y")]
    proto: ModelProto = helper.make_model(
        helper.make_graph(list(nodes), "g", ends[:1], ends[1:], **graph),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    return proto.SerializeToString()


def external(location: str) -> TensorProto:
    """Return a weight whose bytes are said to lie at `location`."""
    tensor = TensorProto(name="w", data_type=F32, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


node = helper.make_node
ADD_WEIGHT = node("Add", ["x", "w"], ["y"])


def saved(array: NDArray[Any]) -> bytes:
    """Return an array as a .npy file has it."""
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


FILES: dict[str, bytes] = {
    "three.npy": saved(np.ones(3, np.float32)),
    "huge.npy": saved(np.ones(3, np.float32)).replace(
        b"(3,), }" + b" " * 15, b"(1" + b"0" * 15 + b",), }"
    ),
    "good.onnx": model(node("Relu", ["x"], ["y"])),
    "noise.onnx": b"\xff\x00 no model at all",
    "empty.onnx": b"",
    "cut.onnx": model(node("Relu", ["x"], ["y"]))[:-7],
    "cycle.onnx": model(node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"])),
    "types.onnx": model(
        node("Shape", ["x"], ["s"]), node("Add", ["x", "s"], ["y"], name="sum")
    ),
    "escape.onnx": model(ADD_WEIGHT, initializer=[external("../outside.bin")]),
    "absent.onnx": model(ADD_WEIGHT, initializer=[external("nowhere.bin")]),
    "lacking.onnx": model(
        node("Det", ["x"], ["d"], name="first"), node("NoSuchOp", ["d"], ["y"])
    ),
    "symbolic.onnx": model(node("Relu", ["x"], ["y"]), shape=("batch", 2)),
    "net.txt": b"",
    "syntax.mlir": b"func.func @main() {\n  graph.relu\n}",
    "unknown.mlir": b'"graph.no_such_op"() : () -> ()',
    "bytes.mlir": b"\xff",
    "nothing.mlir": b"// nothing",
    "shape.mlir": b"""
func.func @main(%x: tensor<2xf32>) {
  %y = graph.relu %x : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}""",
    "order.mlir": b"""
func.func @main() {
  %b = graph.relu %a : (tensor<2xf32>) -> tensor<2xf32>
  %a = graph.relu %b : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}""",
    "property.mlir": b"""
func.func @main(%x: tensor<2x3xf32>) {
  %y = graph.transpose %x {permutation = 1 : i64} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return
}""",
    "layout.mlir": b"""
func.func private @f(tensor<2x2xf32, #layout.physical<NXWC>>)""",
    "constant.mlir": b"""
graph.placeholder @y "out" : tensor<2xf32>
graph.constant @w #graph.resource<"%s"> : tensor<2xf32>
func.func @main() {
  %%0 = graph.load @w : tensor<2xf32>
  graph.save @y, %%0 : tensor<2xf32>
  func.return
}"""
    % (b"0" * 64),
    "range.mlir": b"%e = graph.literal dense<4096> : tensor<ui8> : tensor<ui8>",
    "undefined.mlir": b"""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
\t%y = graph.add %x, %lost : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = graph.add %y, %gone : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
""",
    "long.mlir": 500 * b" " + b"graph.relu ? // " + 500 * b"b",
    "broken.safetensors": b"nothing",
}

# What follows the name of a file, its line and column, the line and what is below it.
EXCERPTS = {
    "undefined.mlir": (
        "3:21: %lost is used but not defined, nor are %gone",
        "   %y = graph.add %x, %lost : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
        "                      ^^^^^",
    ),
    "long.mlir": (
        "1:512: ",
        f"  {39 * ' '}graph.relu ? // {45 * 'b'}",
        f"  {50 * ' '}^",
    ),
}

# What is asked, and how the answer begins.
COMMANDS = {
    "missing file": ("glow-opt none.onnx", "none.onnx: no such file or directory"),
    "missing text": ("glow-opt none.mlir", "none.mlir: no such file or directory"),
    "another kind of file": ("glow-run net.txt", "net.txt: expected an ONNX model"),
    "noise": ("glow-opt noise.onnx", '"noise.onnx" is'),
    "empty file": ("glow-opt empty.onnx", '"empty.onnx" is empty'),
    "cut file": ("glow-opt cut.onnx", '"cut.onnx" is'),
    "cycle": ("glow-opt cycle.onnx", "?cycle"),
    "mixed types": ("glow-opt types.onnx", '?node "sum"'),
    "path out of the folder": ("glow-opt escape.onnx", "?../outside.bin"),
    "absent external data": ("glow-opt absent.onnx", "?nowhere.bin"),
    "unsupported operators": ("glow-opt lacking.onnx", "?Det"),
    "symbolic dimension": ("glow-opt symbolic.onnx", "?batch"),
    "malformed dimension": (
        "glow-opt symbolic.onnx --dim batch",
        "expected --dim NAME=VALUE, at least 0, once per name, got 'batch'",
    ),
    "syntax": ("glow-opt syntax.mlir", "syntax.mlir:3:1: operand expected"),
    "unknown op": ("glow-opt unknown.mlir", "?graph.no_such_op"),
    "no text": (
        "glow-opt bytes.mlir",
        "bytes.mlir: expected text in UTF-8, got byte 0xff at offset 0",
    ),
    "no operation": (
        "glow-run nothing.mlir",
        "nothing.mlir:1:11: expected an operation",
    ),
    "an array of more than memory": (
        "glow-run good.onnx --input x=huge.npy",
        "huge.npy: unable to allocate",
    ),
    "a file for a folder": (
        "glow-run good.onnx --random-inputs --output-dir three.npy",
        "expected a folder, got three.npy",
    ),
    "more threads than are simulated": (
        "glow-bench good.onnx --simulate-threads 99999999",
        "expected --simulate-threads of 1 to 1024, got 99999999",
    ),
    "wrong shape": (
        "glow-opt shape.mlir",
        "graph.relu at shape.mlir:3: expected result tensor<2xf32>, got tensor<3xf32>",
    ),
    "use before definition": (
        "glow-opt order.mlir",
        "graph.relu at order.mlir:3: operand 0 is used before it is defined",
    ),
    "wrong property": (
        "glow-opt property.mlir",
        "property.mlir:3:3: 1 : i64 should be of base attribute array",
    ),
    "number out of range": (
        "glow-opt range.mlir",
        "range.mlir:1:1: Integer value 4096 is out of range for type ui8",
    ),
    "bad layout": ("glow-opt layout.mlir", "layout.mlir:2:"),
    "unknown pass": (
        "glow-opt good.onnx -p cce",
        "expected the name of a pass, got 'cce', did you mean",
    ),
    "unknown pass option": ("glow-opt good.onnx -p cse{depth=3}", "pass cse: "),
    "unknown target of a pass": (
        "glow-opt good.onnx -p assign-layouts{target=gpu}",
        f"expected a target out of {KNOWN}, got 'gpu'",
    ),
    "unknown feature of a stage": (
        "glow-opt good.onnx --stop-after layout --cpu-features mmx9",
        "expected cpu-features out of",
    ),
    "a negative number of passes": (
        "glow-opt good.onnx --stop-after layout --stop-after-pass -1",
        "expected stop_after_pass of at least 0, got -1",
    ),
    "a negative number of passes to run": (
        "glow-run good.onnx --random-inputs --stop-after-pass -1",
        "expected stop_after_pass of at least 0, got -1",
    ),
    "a negative seed": (
        "glow-run good.onnx --random-inputs -1",
        "expected a seed of at least 0, got -1",
    ),
    "a negative seed to time": (
        "glow-bench good.onnx --seed -1",
        "expected a seed of at least 0, got -1",
    ),
    "weights of a model": (
        "glow-opt good.onnx --weights some.safetensors",
        "good.onnx: expected weights with textual IR only",
    ),
    "nowhere to write": (
        "glow-opt good.onnx --stop-after graph -o nowhere/x.mlir",
        "nowhere/x.mlir: no folder nowhere; the current folder is ",
    ),
    "an input that is not there": (
        "glow-bisect good.onnx --input z=three.npy",
        'no input is called "z", expected x',
    ),
    "an input of another shape": (
        "glow-bisect good.onnx --input x=three.npy",
        'input "x": expected float32[2], got float32[3]',
    ),
    "a negative number of passes to check": (
        "glow-bisect good.onnx --stop-after-pass -1",
        "expected stop",
    ),
    "a kind of file that is not IR": (
        "glow-opt net.txt",
        "net.txt: expected an ONNX model or IR as text, in a file that ends in .onnx "
        "or .mlir, or with -f onnx or -f mlir",
    ),
    "unbalanced pass option": ("glow-opt good.onnx -p cse{", "cannot parse passes"),
    "unknown stage": ("glow-opt good.onnx --stop-after nowhere", "argument --stop-aft"),
    "unknown target": (
        "glow-run good.onnx --target gpu",
        f"expected a target out of {KNOWN}, got 'gpu'",
    ),
    "unknown feature": ("glow-run good.onnx --cpu-features mmx9", "?mmx9"),
    "no threads": (
        "glow-run good.onnx --threads 0",
        "expected at least one thread, got 0",
    ),
    "target of xDSL": ("glow-opt good.onnx -t riscv-asm", "argument -t/--target: inv"),
    "no seconds": (
        "glow-bench good.onnx --seconds -1",
        "expected 0 seconds or more to measure, got -1.0",
    ),
    "nowhere to save": (
        "glow-run good.onnx --save nowhere/x.glow",
        "nowhere/x.glow: no folder nowhere; the current folder is ",
    ),
    "nowhere to write a profile": (
        "glow-run good.onnx --random-inputs --profile nowhere/x.json",
        "nowhere/x.json: no folder nowhere",
    ),
    "nowhere to draw": (
        "glow-opt good.onnx --emit-graph nowhere/x.svg",
        "nowhere/x.svg: no folder nowhere",
    ),
    "constant without bytes": (
        "glow-run constant.mlir --target reference",
        'the bytes of constant "w" are absent; name the file that has them with'
        " --weights, which glow-opt -o writes beside a text",
    ),
    "broken weights": (
        "glow-opt constant.mlir --weights broken.safetensors",
        "?broken.safetensors",
    ),
    "missing weights": (
        "glow-opt constant.mlir --weights none.safetensors",
        "none.safetensors: no such file or directory",
    ),
    "weights of an ONNX model": (
        "glow-run good.onnx --weights broken.safetensors",
        "good.onnx: expected weights with textual IR only",
    ),
    "dimensions of textual IR": (
        "glow-run shape.mlir --dim batch=2",
        "shape.mlir: expected dims with an ONNX model only",
    ),
    "dimensions of textual IR to look at": (
        "glow-opt shape.mlir --dim batch=2",
        "shape.mlir: expected dims with an ONNX model only",
    ),
    "dimension that is given twice": (
        "glow-opt symbolic.onnx --dim batch=2 --dim batch=3",
        "expected --dim NAME=VALUE, at least 0, once per name, got 'batch=3'",
    ),
    "input that is bound twice": (
        "glow-run good.onnx --bind x=a.npy --bind x=b.npy",
        "expected --bind NAME=FILE.npy once per name, got 'x=b.npy'",
    ),
    "no output": ("glow-opt good.onnx --output-file=", "expected a file, got ''"),
    "missing input": (
        "glow-run good.onnx --target reference",
        "expected --random-inputs, or --input NAME=FILE.npy for x",
    ),
    "malformed input": (
        "glow-run good.onnx --input x",
        "expected --input NAME=FILE.npy once per name, got 'x'",
    ),
    "input that is not an array": (
        "glow-run good.onnx --input x=net.txt",
        "net.txt: expected an array in a .npy file",
    ),
    "no ONNX to compare with": (
        "glow-bench shape.mlir --vs onnxruntime",
        "shape.mlir: graph.relu at",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    (tmp_path / "outside.bin").write_bytes(bytes(8))
    for name, content in FILES.items():
        (inner / name).write_bytes(content)
    return inner


@pytest.fixture
def refusal(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Return a function that runs a command, which ends with 1, for what it says."""

    def run(command: str) -> str:
        arguments = command.split()
        monkeypatch.setattr("sys.argv", arguments)
        with pytest.raises(SystemExit) as ending:
            TOOLS[arguments[0]]()
        out, err = capsys.readouterr()
        assert (ending.value.code, out) == (1, "")
        return err

    return run


@pytest.mark.parametrize("case", COMMANDS)
def test_command_is_answered_by_one_line(
    case: str, refusal: Callable[[str], str]
) -> None:
    command, expected = COMMANDS[case]
    err = refusal(command)
    place = r"error: \S+\.mlir:\d+:\d+: |error: .*graph\.\w+ at \w+\.mlir:\d+: "
    is_in_text = re.match(place, err) is not None
    assert err.count("\n") == (3 if is_in_text else 1)
    if expected.startswith("?"):
        assert expected[1:] in err
    else:
        assert err.startswith(f"error: {expected}")
    assert "internal error" not in err


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", EXCERPTS)
def test_an_error_in_a_text_shows_its_place(
    name: str, tool: str, refusal: Callable[[str], str]
) -> None:
    message, *excerpt = refusal(f"{tool} {name}").splitlines()
    expected, *lines = EXCERPTS[name]
    assert message.startswith(f"error: {name}:{expected}")
    assert excerpt == lines


@pytest.mark.parametrize("tool", ["glow-opt", "glow-run"])
@pytest.mark.parametrize("name", ["shape.mlir", "order.mlir"])
def test_what_an_op_refuses_shows_its_place(
    name: str, tool: str, refusal: Callable[[str], str]
) -> None:
    message, line, carets = refusal(f"{tool} {name}").splitlines()
    assert f"graph.relu at {name}:3: " in message
    statement = line.strip()
    assert "= graph.relu" in statement
    assert carets == line.replace(statement, len(statement) * "^")


def test_what_is_no_model_is_named() -> None:
    with pytest.raises(TypeError, match="a path, bytes or a ModelProto, got a list"):
        glow.load([1])
