"""Limits of groups: bytes and how far away they are, algorithms, measured peaks."""

import time
from math import inf
from pathlib import Path

import numpy as np
import pytest
from small_onnx import model, node
from tool_runs import Run, tool_runner

import glow
from glow.backends.cpu.peaks import (
    ClockProbe,
    MemoryRate,
    Peaks,
    measured_peaks,
    measured_tile,
)
from glow.backends.cpu.processor import missing_features
from glow.runtime.profile import Group
from glow.support.targets import target_of
from glow.tools import glow_bench
from glow.tools.profiling import GroupTime
from glow.tools.roofline import (
    Standing,
    limit_of,
    reason_for,
    roofline_table,
    share_of,
    standings,
)

PEAKS = Peaks(
    100.0,
    (
        MemoryRate("L1", 1000, 50.0, 100.0),
        MemoryRate("L2", 10_000, 20.0, 40.0),
        MemoryRate("memory", inf, 5.0, 10.0),
    ),
)


def conv(**more: object) -> Group:
    fields: dict[str, object] = {
        "name": "a",
        "op": "memory.conv",
        "flops": 10_000,
        "extents": (1, 64, 4, 4, 576),
        "ways": ((5000, 0),),
    }
    return Group(**(fields | more))  # pyright: ignore[reportArgumentType]


def standing(group: Group, ns: float, *kernels: str) -> Standing:
    time = GroupTime(group, kernels or ("gemm_8x32",), ns, 1.0)
    return Standing(time, limit_of(group, PEAKS))


BAGS = """
func.func @main(%t: tensor<90x8xf32>, %i: tensor<3x5xi64>) -> tensor<3x8xf32> {
  %y = graph.embedding_bag %t, %i {mode = "sum"}
    : (tensor<90x8xf32>, tensor<3x5xi64>) -> tensor<3x8xf32>
  func.return %y : tensor<3x8xf32>
}
"""


def test_bags_count_the_rows_that_they_combine(tmp_path: Path) -> None:
    """A table may have any number of others."""
    path = tmp_path / "bags.mlir"
    path.write_text(BAGS)
    net = glow.compile(path, profile=True)
    feeds = {"t": np.ones((90, 8), np.float32), "i": np.zeros((3, 5), np.int64)}
    (record, *_) = net.profile(feeds)
    rows, indices, result = 3 * 5 * 8, 8 * 3 * 5, 4 * 3 * 8
    assert record.group.op == "graph.embedding_bag"
    assert record.group.flops == rows
    assert record.group.bytes == 4 * rows + indices + result


@pytest.mark.parametrize(
    ("moves", "ns", "bound"),
    [
        ([(100, 500, 0)], 100, "arithmetic"),
        ([(10_000, 750, 0)], 200, "L1"),
        ([(10_000, 750, 1)], 100, "arithmetic"),  # writes go beside reads
        ([(4000, 1500, 0)], 150, "L2"),  # a quarter of it is in L1
        ([(2000, 15_000, 0)], 300, "memory"),  # a quarter of it is in L2
        ([(2000, 15_000, 0), (2000, 15_000, 1)], 300, "memory"),
    ],
)
def test_a_limit_is_the_slowest_of_its_parts(
    moves: list[tuple[int, int, int]], ns: float, bound: str
) -> None:
    limit = limit_of(conv(moves=tuple(moves)), PEAKS)
    assert (limit.ns, limit.bound) == (ns, bound)


def test_the_best_algorithm_counts_unless_its_bytes_take_longer() -> None:
    near, far = ((100, 500, 0),), ((100, 10**9, 0),)
    fast = limit_of(conv(moves=near, ways=((5000, 0), (2000, 300))), PEAKS)
    assert (fast.ns, fast.steps) == (40, 2000)
    heavy = limit_of(conv(moves=far, ways=((5000, 0), (2000, 5000))), PEAKS)
    assert (heavy.ns, heavy.steps) == (100, 5000)


def test_the_share_of_a_model_is_that_of_the_sums() -> None:
    found = [standing(conv(), 400), standing(conv(), 100)]
    assert share_of(found) == 200 / 500


def test_what_is_too_short_to_measure_is_left_out() -> None:
    times = [standing(conv(), ns).time for ns in (100, 1000)]
    assert [s.time.ns for s in standings(times, PEAKS)] == [1000]


@pytest.mark.parametrize(
    ("group", "kernel", "reason"),
    [
        (conv(ways=((5000, 0), (2000, 0))), "winograd", "transforms of tiles"),
        (conv(ways=((5000, 0), (2000, 0))), "gemm", "direct sum: 2.5 times"),
        (conv(extents=(1, 9, 4, 4, 576)), "gemm", "tails: 9 columns in vectors of 8"),
        (conv(extents=(1, 64, 4, 4, 27)), "gemm", "short sums: of 27 terms"),
        (conv(op="memory.matmul", extents=(1, 64, 512)), "gemm", "few rows"),
        (conv(), "gemm", "1 of 100 GFLOP/s"),
        (conv(op="graph.softmax"), "softmax", "roots, quotients and functions"),
        (conv(op="graph.max_pool"), "pool_max", "windows"),
        (conv(op="graph.layer_norm"), "norm", "lines are read"),
        (conv(moves=((400, 10**9, 0),)), "gemm", "weights and rows"),
        (conv(op="memory.zero_halo"), "fill", "borders"),
        (
            conv(op="memory.copy", flops=0, ways=(), moves=((10_000, 500, 0),)),
            "runs",
            "1 GB/s, 50 from L1",
        ),
    ],
)
def test_reasons_follow_from_facts(group: Group, kernel: str, reason: str) -> None:
    found = reason_for(standing(group, 10_000, kernel), PEAKS, lanes=8)
    assert found.startswith(reason)


def test_functions_are_no_reason_where_elements_take_few_steps() -> None:
    near = Peaks(100.0, (MemoryRate("L1", 10**6, 500.0, 1000.0),))
    for steps, reason in ((6000, "few steps"), (60_000, "roots")):
        group = conv(
            op="memory.elementwise",
            flops=2 * steps,
            ways=((steps, 0),),
            moves=((16_000, 500, 0),),
        )
        time = GroupTime(group, ("elementwise",), 10_000, 1.0)
        found = reason_for(Standing(time, limit_of(group, near)), near, lanes=8)
        assert found.startswith(reason)


def test_small_groups_are_said_to_be_small() -> None:
    assert reason_for(standing(conv(), 900), PEAKS, 8) == "small: 0.9 us with the call"


def test_a_table_begins_with_what_loses_most() -> None:
    found = [standing(conv(name=str(ns)), ns) for ns in (110, 90_000, 130)]
    title, *rows, whole = roofline_table(found, PEAKS, 8).splitlines()
    assert title.split()[:5] == ["node", "kernel", "us", "limit", "share"]
    assert [row.split()[0] for row in rows] == ["90000", "130", "110"]
    assert rows[0].split()[4:6] == ["0%", "arithmetic"]
    assert rows[2].split()[4] == "91%"
    assert whole.startswith("0% of the limit: 0.0003 of 0.0902 ms; one core does 100")
    assert roofline_table([], PEAKS, 8) == "nothing is computed\n"


def test_bytes_are_as_far_as_what_is_touched_meanwhile() -> None:
    """A product reads its weights after all else was touched, its input at once."""
    weights = {f"w{i}": np.full((256, 256), i + 1, np.float32) for i in range(2)}
    made = model(
        [node("MatMul", "x w0", "h", "first"), node("MatMul", "h w1", "y", "second")],
        {"x": [64, 256]},
        ["y"],
        weights,
    )
    records = glow.compile(made, profile=True).profile(
        {"x": np.ones((64, 256), np.float32)}
    )
    second = next(r.group for r in records if r.group.name == "second")
    rows, filter = 64 * 256 * 4, 256 * 256 * 4
    away = {(size, written): near for size, near, written in second.moves}
    assert away[rows, 0] == rows
    assert away[filter, 0] == 2 * filter + 3 * rows  # h is beside it
    assert second.extents == (64, 256, 256)
    assert second.flops == 2 * 64 * 256 * 256


def test_a_3x3_convolution_has_other_algorithms() -> None:
    weights = {"w": np.ones((32, 32, 3, 3), np.float32)}
    made = model(
        [node("Conv", "x w", "y", "conv", pads=[1, 1, 1, 1])],
        {"x": [1, 32, 16, 16]},
        ["y"],
        weights,
    )
    inputs = {"x": np.ones((1, 32, 16, 16), np.float32)}
    records = glow.compile(made, profile=True).profile(inputs)
    group = next(r.group for r in records if r.group.op == "memory.conv")
    assert group.flops == 2 * 32 * 256 * 288
    (direct, more), (f2, f2_bytes), (f4, f4_bytes) = group.ways
    assert (2 * direct, more) == (group.flops, 0)
    products = 32 * 32 * 64 * 16  # of 64 tiles at 16 places
    assert products < f2 < direct
    assert products * 36 / 64 < f4 < f2
    assert (f2_bytes, f4_bytes) == (7 * 32 * 32 * 4, 27 * 32 * 32 * 4)
    assert (32 * 288 * 4) in [size for size, *_ in group.moves]


@pytest.mark.slow
def test_peaks_are_those_of_a_machine() -> None:
    peaks = measured_peaks()
    assert 1 < peaks.flops < 1000
    assert [each.name for each in peaks.memories] == ["L1", "L2", "L3", "memory"]
    held = [each.bytes for each in peaks.memories]
    assert held == sorted(held)
    for each in peaks.memories:
        assert 0.1 < each.read_rate <= each.rate < 10_000
    assert peaks.best(peaks) == peaks
    assert peaks.best(PEAKS_OF_NOTHING).flops == peaks.flops


def test_a_clock_is_right_where_others_had_the_core_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right, looks, real = ClockProbe(), 0, time.perf_counter

    def late() -> float:
        """Return the time, a millisecond more after each of the first looks."""
        nonlocal looks
        looks += 1
        return real() + 1e-3 * min(looks, 8)

    with monkeypatch.context() as disturbed:
        disturbed.setattr(time, "perf_counter", late)
        probe = ClockProbe()
    probe.measure()
    assert 0.2 < probe.flops() / right.flops() < 5


def test_tiles_of_bf16_are_measured_where_pairs_are_multiplied() -> None:
    target = target_of("cpu")
    kinds = [False, *([True] if not missing_features(["avx512bf16"]) else [])]
    for in_pairs in kinds:
        assert 1 < measured_tile(target, 2, target.f32_lanes, in_pairs) < 10_000


PEAKS_OF_NOTHING = Peaks(
    0.0, tuple(MemoryRate(n, inf, 0.0, 0.0) for n in ("L1", "L2", "L3", "memory"))
)


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    path = tmp_path / "net.onnx"
    made = model([node("Softmax", "x", "y", "shares")], {"x": [64, 64]}, ["y"])
    path.write_bytes(made.SerializeToString())
    return tool_runner(str(path), monkeypatch, capsys)


@pytest.mark.slow
def test_glow_bench_shows_the_table(tool: Run) -> None:
    options = ("--target", "cpu", "--roofline", "--seconds", "0")
    code, out, err = tool(glow_bench.main, *options)
    assert (code, err) == (0, "")
    assert "shares" in out
    assert "of the limit" in out


@pytest.mark.parametrize(
    "options", [(), ("--target", "cpu", "--vs", "onnxruntime")], ids=("target", "vs")
)
def test_rooflines_are_of_this_machine_alone(
    tool: Run, options: tuple[str, ...]
) -> None:
    code, _, err = tool(glow_bench.main, "--roofline", *options)
    assert code == 1
    assert "expected --roofline for one thread of cpu" in err
