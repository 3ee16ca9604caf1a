"""The command lines of glow-run and glow-bench."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tool_runs import Run, tool_runner

from glow import compilation
from glow.runtime.comparison import error_of, random_inputs
from glow.runtime.signature import Signature, TensorSpec
from glow.tools import glow_bench, glow_run
from glow.tools.feeds import output_paths
from glow.tools.timing import interleaved_medians

SIGNATURE = Signature((TensorSpec("data/x", (2, 3), np.dtype("f4")),), ())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a network of one node, whose names are as exporters make them."""
    monkeypatch.chdir(tmp_path)
    types = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
        for name in ("data/x", "out/y")
    ]
    node = helper.make_node("Relu", ["data/x"], ["out/y"])
    graph = helper.make_graph([node], "g", types[:1], types[1:])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.save(model, tmp_path / "net.onnx")
    return tmp_path


@pytest.fixture
def tool(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    return tool_runner("net.onnx", monkeypatch, capsys)


def test_random_inputs_are_compared(tool: Run) -> None:
    result = tool(glow_run.main, "--random-inputs", "0", "--vs", "onnxruntime")
    assert result == (
        0,
        "out/y: float32[2, 3] values from 0 to 0.640423, error 0\n",
        "",
    )


def test_arrays_come_from_files_and_go_to_files(tool: Run, folder: Path) -> None:
    np.save("x.npy", np.array([[-1, 2, -3], [4, -5, 6]], np.float32))
    code, out, _ = tool(
        glow_run.main, "--input", "data/x=x.npy", "--output-dir", "results"
    )
    assert code == 0
    assert out.endswith("wrote results/out%2Fy.npy\n")
    written = np.load(folder / "results" / "out%2Fy.npy")
    assert written.tolist() == [[0, 2, 0], [4, 0, 6]]


def test_outputs_have_files_of_their_own(tmp_path: Path) -> None:
    """Names differ in what files cannot be called, and only far behind."""
    long = 400 * "a"
    names = ["a/b", "a_b", "a%2Fb", "..", ".", "", "b c", "\u00e4", long, f"{long}b"]
    paths = output_paths(names, tmp_path / "new" / "results")
    for number, path in enumerate(paths.values()):
        np.save(path, number)
    assert [int(np.load(path)) for path in paths.values()] == list(range(len(names)))
    assert {path.parent for path in paths.values()} == {tmp_path / "new" / "results"}
    assert max(len(path.name) for path in paths.values()) <= 255


def test_outputs_whose_names_differ_in_case_have_files_everywhere(
    tmp_path: Path,
) -> None:
    paths = output_paths(["Y", "y", "z", "a/B", "A/b"], tmp_path)
    assert len({path.name.lower() for path in paths.values()}) == 5
    assert paths["z"].name == "z.npy"


def test_a_folder_is_tried_before_the_run(tool: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    arguments = ("--random-inputs", "0", "--output-dir", str(tmp_path / "file"))
    code, out, err = tool(glow_run.main, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "file" in err


def test_a_difference_is_an_error(tool: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"onnxruntime": lambda *_: lambda _: {"out/y": np.ones((2, 3))}}
    monkeypatch.setattr(glow_run, "PEERS", wrong)
    result = tool(glow_run.main, "--random-inputs", "0", "--vs", "onnxruntime")
    assert result[0] == 1
    assert result[2].startswith("error: expected outputs within 0.0001")
    assert '"out/y" off by 1' in result[2]


def test_bench_prints_one_json_line(tool: Run) -> None:
    arguments = ("--vs", "onnxruntime", "--seconds", "0")
    code, out, _ = tool(glow_bench.main, *arguments)
    assert code == 0
    found = json.loads(out)
    assert found["max_error"] == 0
    assert set(found) == {
        *("model", "target", "threads", "glow_ms", "onnxruntime_ms", "ratio"),
        *("compile_s", "max_error"),
    }


@pytest.mark.slow
def test_bench_times_several_beside_each_other(
    tool: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def peer_that_waits(seconds: float) -> Callable[..., object]:
        def run(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
            end = time.process_time() + seconds
            while time.process_time() < end:
                pass
            return {"out/y": np.maximum(inputs["data/x"], seconds)}

        return lambda *_: run

    peers = {"slow": peer_that_waits(0.03), "fast": peer_that_waits(0.02)}
    monkeypatch.setattr(glow_bench, "PEERS", peers)
    arguments = (
        "--threads=1",
        "--vs",
        "slow",
        "--vs",
        "fast",
        "--vs",
        "slow",
        "--seconds",
        "0",
    )
    found = json.loads(tool(glow_bench.main, *arguments)[1])
    assert 20 <= found["fast_ms"] < 30 <= found["slow_ms"]
    assert found["ratio"] == pytest.approx(found["fast_ms"] / found["glow_ms"], rel=0.1)
    x = random_inputs(SIGNATURE, 0)["data/x"]
    assert found["max_error"] == pytest.approx(0.03 / x.max(), rel=0.1)


def test_openvino_is_a_peer(tool: Run) -> None:
    pytest.importorskip("openvino", reason="in the extra bench")
    found = json.loads(tool(glow_bench.main, "--vs", "openvino", "--seconds", "0")[1])
    assert found["openvino_ms"] > 0
    assert found["max_error"] == 0


def test_a_peer_that_is_absent_or_refuses_is_reported(
    tool: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    arguments = ("--random-inputs", "0", "--vs", "openvino")
    line = (
        "error: expected package openvino to be installed: "
        "pip install 'glow-xdsl[bench]'\n"
    )
    assert tool(glow_run.main, *arguments) == (1, "", line)

    class Refusing:
        def compile_model(self, *_: object) -> None:
            raise RuntimeError("no Relu\nhere")

    module = SimpleNamespace(Core=Refusing)
    monkeypatch.setitem(sys.modules, "openvino", module)
    line = "error: net.onnx: OpenVINO does not take it: no Relu here\n"
    assert tool(glow_run.main, *arguments) == (1, "", line)


def test_bench_runs_alone(tool: Run) -> None:
    found = json.loads(tool(glow_bench.main, "--seconds", "0")[1])
    assert "ratio" not in found


def objects_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.object"))


@pytest.mark.slow
def test_machine_code_is_kept_where_asked(tool: Run, folder: Path) -> None:
    arguments = ("--target", "cpu", "--random-inputs", "0")
    cache = folder / "cache"
    first = tool(glow_run.main, *arguments, "--cache-dir", str(cache))
    kept = objects_in(cache)
    assert (first[0], len(kept)) == (0, 3)  # main, a kernel, what tells of outputs
    assert tool(glow_run.main, *arguments, "--cache-dir", str(cache)) == first
    assert tool(glow_run.main, *arguments, "--no-cache") == first
    assert objects_in(folder) == kept


@pytest.mark.slow
def test_what_is_kept_is_not_compiled_again(
    tool: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--target", "cpu", "--random-inputs", "0")
    cached = (*arguments, "--cache-dir", str(folder / "cache"))
    first = tool(glow_run.main, *cached)

    def never(*_: object) -> None:
        raise AssertionError("compiled")

    with monkeypatch.context() as patch:
        patch.setattr(compilation, "_compiled", never)
        assert tool(glow_run.main, *cached) == first
        for others in ((*arguments, "--no-cache"), (*cached, "--disable", "cse")):
            code, _, err = tool(glow_run.main, *others)
            assert (code, "AssertionError: compiled" in err) == (1, True)


@pytest.mark.slow
def test_machine_code_is_kept_for_the_user_by_default(
    tool: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    assert tool(glow_run.main, "--target", "cpu", "--random-inputs", "0")[0] == 0
    assert len(objects_in(folder / "glow")) == 3


def test_random_inputs_follow_their_seed() -> None:
    specs = [
        TensorSpec("f", (3,), np.dtype(np.float64)),
        TensorSpec("i", (3,), np.dtype(np.int64)),
        TensorSpec("b", (3,), np.dtype(np.bool_)),
        TensorSpec("u", (999,), np.dtype(np.uint8)),
    ]
    signature = Signature(tuple(specs), ())
    one, same, other = (random_inputs(signature, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not np.array_equal(one["f"], other["f"])
    assert all(one[spec.name].dtype == spec.dtype for spec in specs)
    assert (one["u"].min(), one["u"].max()) == (0, 255)


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([1, 2], [1, 4], 0.5),
        ([np.inf, 1], [np.inf, 2], 0.5),
        ([np.nan, 1], [np.nan, 1], 0),
        ([np.nan, 1], [1, 1], np.inf),
        ([np.inf, 1], [-np.inf, 1], np.inf),
        ([0.5], [0], 0.5),
        ([], [], 0),
    ],
)
def test_error_is_relative_to_the_largest_value(
    actual: list[float], expected: list[float], error: float
) -> None:
    assert error_of(np.array(actual), np.array(expected)) == error


def test_programs_take_turns() -> None:
    calls: list[str] = []
    medians = interleaved_medians(
        [lambda: calls.append("a"), lambda: calls.append("b")], 1, 0, least_runs=3
    )
    assert calls == ["a", "b"] * 4
    assert len(medians) == 2


@pytest.mark.slow
def test_what_is_compiled_already_needs_no_compiler() -> None:
    script = (
        "import sys, glow.tools.glow_run, glow.tools.glow_bench;"
        "assert not {'xdsl', 'onnx', 'llvmlite'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
