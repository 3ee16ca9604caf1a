"""Profiles: which call took how long, in Python, tables and traces."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_onnx import info, model, node
from tool_runs import Run, tool_runner

import glow
from glow.runtime.profile import Group, Record
from glow.tools import glow_run
from glow.tools.profiling import table, times_of, write_trace

NETWORK = """
graph.placeholder @x "in" : tensor<64x256xf32>
graph.placeholder @sum "inout" "resident" : tensor<64x512xf32>
graph.placeholder @y "out" : tensor<64x512xf32>
graph.placeholder @z "out" : tensor<64x512xf32>
func.func @main() {
  %x = graph.load @x : tensor<64x256xf32>
  %sum = graph.load @sum : tensor<64x512xf32>
  %w = graph.literal dense<5.000000e-01> : tensor<256x512xf32> : tensor<256x512xf32>
  %p = graph.matmul %x, %w
      : (tensor<64x256xf32>, tensor<256x512xf32>) -> tensor<64x512xf32> loc("product")
  %t = graph.add %p, %sum
      : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xf32> loc("addition")
  %s = graph.softmax %t {axis = 1 : i64}
      : (tensor<64x512xf32>) -> tensor<64x512xf32> loc("shares")
  graph.save @sum, %t : tensor<64x512xf32>
  graph.save @y, %t : tensor<64x512xf32>
  graph.save @z, %s : tensor<64x512xf32>
  func.return
}
"""
X = np.ones((64, 256), np.float32)
FEEDS = {"x": X, "sum": np.zeros((64, 512), np.float32)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "net.mlir"
    path.write_text(NETWORK)
    return path


@pytest.fixture(scope="module")
def net(path: Path) -> glow.Executable:
    return glow.compile(path, profile=True, threads=1)


@pytest.fixture
def tool(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    runner = tool_runner(str(path), monkeypatch, capsys)
    np.save(path.with_suffix(".npy"), FEEDS["sum"])
    given = ["--random-inputs", "0", "--input", f"sum={path.with_suffix('.npy')}"]
    return lambda main, *arguments: runner(
        main, "--target", "cpu", "--no-cache", *given, *arguments
    )


def copied(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name: array.copy() for name, array in arrays.items()}


def product(records: tuple[Record, ...]) -> Record:
    return next(r for r in records if "product" in r.group.name)


def test_records_are_the_calls_of_each_run_in_order(net: glow.Executable) -> None:
    records = net.profile(FEEDS, runs=3)
    runs = [[r for r in records if r.run == number] for number in range(3)]
    assert sum(map(len, runs)) == len(records)
    for run in runs:
        assert [r.kernel for r in run] == [r.kernel for r in runs[0]]
        ends = [time for r in run for time in (r.begin_ns, r.end_ns)]
        assert ends == sorted(ends)
        assert {r.worker for r in run} == {0}
    starts = [run[0].begin_ns for run in runs]
    assert starts[0] == 0
    assert starts == sorted(starts)


def test_the_sum_is_near_the_time_of_a_run(net: glow.Executable) -> None:
    """Between calls, main only loads arguments."""
    records = net.profile(FEEDS, runs=20)
    shares: list[float] = []
    for number in range(20):
        run = [r for r in records if r.run == number]
        span = run[-1].end_ns - run[0].begin_ns
        shares.append(sum(r.ns for r in run) / span)
    assert 0.9 < np.median(shares) <= 1


def test_nanoseconds_are_those_of_the_clock(net: glow.Executable) -> None:
    """A core does at most 200 multiply-adds in a nanosecond, and at least 0.05."""
    times = [product(net.profile(FEEDS)).ns for _ in range(3)]
    assert 64 * 256 * 512 / 200 < min(times) < 64 * 256 * 512 / 0.05


def test_groups_say_what_is_computed(net: glow.Executable) -> None:
    groups = {r.group.op: r.group for r in net.profile(FEEDS)}
    found = groups["memory.matmul"]
    results = 64 * 512
    assert found.name == "product + addition"
    assert found.flops == results * (2 * 256 + 1)
    assert found.bytes >= 4 * (64 * 256 + 256 * 512 + 2 * results)
    assert groups["graph.softmax"].name == "shares"
    assert groups["graph.softmax"].bytes == 4 * 2 * results
    assert groups["memory.ready"].flops == 0


def test_states_start_as_the_model_says(net: glow.Executable) -> None:
    """What is profiled leaves alone the states and arrays of others."""
    bindings = net.bind(copied(FEEDS))
    bindings.run()
    before = np.array(bindings["sum"])
    given = {"x": X.copy(), "sum": np.ones((64, 512), np.float32)}
    net.profile(given)
    assert np.array_equal(bindings["sum"], before)
    assert np.array_equal(given["x"], X)
    assert np.all(given["sum"] == 1)


def test_results_are_those_of_other_executables(
    net: glow.Executable, path: Path
) -> None:
    nets = (net, glow.compile(path))
    actual, expected = (each.bind(copied(FEEDS)).run() for each in nets)
    assert all(np.array_equal(actual[name], expected[name]) for name in expected)


def test_what_is_saved_is_profiled_after_loading(
    net: glow.Executable, tmp_path: Path
) -> None:
    net.save(tmp_path / "net.glow")
    found = glow.load_executable(tmp_path / "net.glow").profile(FEEDS)
    expected = net.profile(FEEDS)
    assert [(r.group, r.kernel) for r in found] == [
        (r.group, r.kernel) for r in expected
    ]


def test_dynamic_models_are_profiled_for_each_shape() -> None:
    made = model([node("Softmax", "x", "y", "shares")], {"x": ["batch", 8]}, ["y"])
    net = glow.compile(made, profile=True)
    for batch in (2, 3):
        (record, *_) = net.profile({"x": np.ones((batch, 8), np.float32)})
        group = record.group
        assert (group.name, group.op) == ("shares", "graph.softmax")
        assert (group.flops, group.bytes) == (8 * batch, 64 * batch)
        assert group.extents == (batch, 8)


def test_a_run_that_fails_says_so() -> None:
    made = model(
        [node("Gather", "x i", "y", "lookup")],
        {"x": [4, 2], "i": info("i", [1], "i64")},
        ["y"],
    )
    net = glow.compile(made, profile=True)
    inputs = {"x": np.ones((4, 2), np.float32), "i": np.array([1])}
    (record, *_) = net.profile(inputs)
    assert (record.group.name, record.group.op) == ("lookup", "graph.gather")
    assert (record.group.flops, record.group.bytes) == (0, 2 * 8 + 8)
    with pytest.raises(glow.ExecutionError, match="lookup"):
        net.profile(inputs | {"i": np.array([4])})


GROUP = Group("/block/Conv + /block/Relu", "memory.conv", 2000, moves=((500, 9, 0),))


def record(
    worker: int, begin: float, end: float, run: int = 0, section: int = 0
) -> Record:
    kernel = "gemm_8x32_0123456789ab"
    return Record(run, worker, GROUP, kernel, worker, section, 0, begin, end)


def test_a_group_takes_the_median_of_runs() -> None:
    runs = [record(0, 0, 10, 0), record(0, 20, 320, 1), record(0, 400, 420, 2)]
    (time,) = times_of(runs)
    assert (time.ns, time.busy) == (20, 1)
    assert time.kernels == ("gemm_8x32",)


def test_parts_that_are_equal_have_their_own_time() -> None:
    """As the phases of a transposed convolution: each does its own operations."""
    whole = record(0, 0, 10)
    part = replace(whole, group=replace(GROUP), begin_ns=20, end_ns=50)
    assert [time.ns for time in times_of([whole, part])] == [10, 30]


def test_a_table_has_rates_and_shares() -> None:
    title, row, last = table([record(0, 0, 1000)]).splitlines()
    assert title.split() == ["node", "kernel", "us", "share", "GFLOP/s", "GB/s"]
    assert row.split()[-5:] == ["gemm_8x32", "1.00", "100.0%", "2.0", "0.5"]
    assert last.startswith("1 groups, 0.0010 ms in calls, 0.0010 ms from first to last")


def test_a_table_of_several_workers_says_how_many_were_busy() -> None:
    title, row, _ = table([record(0, 0, 1000), record(1, 0, 500)]).splitlines()
    assert title.split()[-1] == "busy"
    assert row.split()[-1] == "1.5"


def test_a_table_of_nothing() -> None:
    assert table([]) == "nothing is computed\n"


@pytest.mark.slow
def test_traces_are_what_perfetto_reads(tool: Run, tmp_path: Path) -> None:
    """Events have the fields that the Trace Event Format requires."""
    target = tmp_path / "trace.json"
    code, out, err = tool(glow_run.main, "--threads=1", "--profile", str(target))
    assert (code, err) == (0, "")
    assert out.endswith(f"wrote {target}\n")
    assert "product + addition" in out
    events = json.loads(target.read_text())["traceEvents"]
    names = [e for e in events if e["ph"] == "M"]
    assert [(e["name"], e["tid"], e["args"]["name"]) for e in names] == [
        ("thread_name", 0, "worker 0")
    ]
    calls = [e for e in events if e["ph"] == "X"]
    assert len(names) + len(calls) == len(events)
    for event in calls:
        assert {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"} == event.keys()
        assert event["ts"] >= 0
        assert event["dur"] >= 0
    groups = list(dict.fromkeys(e["name"] for e in calls))
    assert groups[:2] == ["product + addition", "shares"]


@pytest.mark.slow
def test_a_model_after_the_option_is_no_trace(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(path.with_suffix(".npy"), FEEDS["sum"])
    given = ["--random-inputs", "0", "--input", f"sum={path.with_suffix('.npy')}"]
    words = ["glow-run", *given, "--no-cache", "--profile", str(path)]
    monkeypatch.setattr("sys.argv", words)
    glow_run.main()
    assert "product + addition" in capsys.readouterr().out


def test_traces_show_who_waits(tmp_path: Path) -> None:
    """Worker 1 comes late, and has less to do in the first section."""
    run = [record(0, 10, 2000), record(1, 500, 1500), record(0, 2100, 3000, section=1)]
    write_trace(tmp_path / "t.json", run)
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    waits = [(e["tid"], e["ts"], e["dur"]) for e in events if e["name"] == "waiting"]
    assert waits == [(0, 1.99, 0.1), (1, 0, 0.49), (1, 1.49, 1.5)]
    marks = [(e["name"], e["ts"], e["s"]) for e in events if e["ph"] == "i"]
    assert marks == [("end of section 0", 1.99, "p")]


@pytest.fixture(scope="module")
def shared(path: Path) -> glow.Executable:
    return glow.compile(path, profile=True, threads=2)


def test_each_piece_is_recorded_by_who_does_it(
    shared: glow.Executable, net: glow.Executable
) -> None:
    runs = 40
    records = shared.profile(FEEDS, runs=runs)
    pieces = {(r.group, r.kernel, r.piece, r.section) for r in records}
    assert len(records) == runs * len(pieces)
    assert len({r.section for r in records}) > 1
    assert {r.group for r in records} == {r.group for r in net.profile(FEEDS)}
    for number in range(runs):
        run = [r for r in records if r.run == number]
        assert {(r.group, r.kernel, r.piece, r.section) for r in run} == pieces
        ends: dict[int, float] = {}
        for each in sorted(run, key=lambda r: r.begin_ns):
            assert ends.get(each.worker, 0) <= each.begin_ns <= each.end_ns
            ends[each.worker] = each.end_ns
            earlier = (r.end_ns for r in run if r.section < each.section)
            assert max(earlier, default=0) <= each.begin_ns


def test_shared_runs_compute_the_same_when_profiled(
    shared: glow.Executable, path: Path, tmp_path: Path
) -> None:
    shared.save(tmp_path / "net.glow")
    loaded = glow.load_executable(tmp_path / "net.glow")
    assert {r.kernel for r in loaded.profile(FEEDS)} == {
        r.kernel for r in shared.profile(FEEDS)
    }
    nets = (shared, loaded, glow.compile(path))
    *actual, expected = (each.bind(copied(FEEDS)).run() for each in nets)
    for found in actual:
        assert all(np.array_equal(found[name], expected[name]) for name in expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--profile=x.txt"],
            "expected a name in .json to write a trace to, or in .html",
        ),
        (
            ["--profile", "x.txt"],
            "expected a name in .json to write a trace to, or in .html, .svg, .png, "
            ".pdf, .dot to draw to, got 'x.txt'",
        ),
        (["--profile", "--fast"], "unrecognized arguments: --fast"),
        (["other.onnx", "--profile"], "unrecognized arguments: other.onnx"),
        (["--profile", "--vs", "onnxruntime"], "expected --profile without --vs"),
        (["--save=x.glow", "--profile"], "expected --save without --profile"),
    ],
)
def test_tools_refuse_what_does_not_go_together(
    tool: Run, arguments: list[str], message: str
) -> None:
    code, _, err = tool(glow_run.main, *arguments)
    assert code == 1
    assert message in err


def boxes_of(drawing: Path) -> dict[str, tuple[str, ...]]:
    """Return the lines of each box that has a time, by its first line."""
    labels = re.findall(r'label="([^"]* us, [^"]*)"', drawing.read_text())
    return {first: tuple(lines) for first, *lines in (x.split("\\n") for x in labels)}


@pytest.mark.slow
def test_a_drawing_has_the_times_of_ops(tool: Run, tmp_path: Path) -> None:
    drawing = tmp_path / "net.dot"
    code, out, _ = tool(glow_run.main, f"--profile={drawing}")
    assert code == 0
    assert out.endswith(f"wrote {drawing}\n")
    boxes = boxes_of(drawing)
    rows = {line.split("  ")[0]: line.split() for line in out.splitlines()[1:]}
    for box, name in (
        ("product + addition", "product + addition"),
        ("graph.softmax axis 1", "shares"),
    ):
        us, share = re.fullmatch(r"(.*) us, (.*)", boxes[box][-1]).groups()
        assert {us, share} <= set(rows[name])


@pytest.mark.slow
def test_a_drawing_of_an_open_model_is_for_the_shape_of_the_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = model([node("Softmax", "x", "y", "shares")], {"x": ["batch", 8]}, ["y"])
    path, drawing = tmp_path / "net.onnx", tmp_path / "net.dot"
    path.write_bytes(made.SerializeToString())
    np.save(tmp_path / "x.npy", np.ones((3, 8), np.float32))
    given = ["--target", "cpu", "--input", f"x={tmp_path / 'x.npy'}", "--no-cache"]
    tool = tool_runner(str(path), monkeypatch, capsys)
    code, *_ = tool(glow_run.main, *given, "--profile", str(drawing))
    assert code == 0
    assert "graph.softmax" in boxes_of(drawing)
    assert "3x8xf32" in drawing.read_text()


def test_an_executable_is_not_drawn(
    net: glow.Executable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    net.save(tmp_path / "net.glow")
    tool = tool_runner(str(tmp_path / "net.glow"), monkeypatch, capsys)
    _, _, err = tool(glow_run.main, "--random-inputs", "--profile", "net.svg")
    assert "net.glow: expected a model to draw, got an executable" in err


def test_other_executables_are_refused(path: Path, tmp_path: Path) -> None:
    plain = glow.compile(path)
    plain.save(tmp_path / "net.glow")
    text = r"expected an executable that was compiled with profile=True"
    for each in (plain, glow.load_executable(tmp_path / "net.glow")):
        with pytest.raises(glow.CompilationError, match=text):
            each.profile(FEEDS)
    text = "expected a target with kernels to profile, such as cpu, got reference"
    with pytest.raises(glow.TargetError, match=text):
        glow.compile(path, target="reference", profile=True)


def test_wrong_arguments_are_refused(net: glow.Executable) -> None:
    with pytest.raises(ValueError, match="expected at least one run, got 0"):
        net.profile(FEEDS, runs=0)
    with pytest.raises(glow.BindingError, match='input "x": not bound'):
        net.profile({})
    with pytest.raises(glow.BindingError, match='"q"'):
        net.profile(FEEDS | {"q": X})
