"""The tables of latencies, overhead and load times: each of their rows runs."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])


@pytest.mark.slow
def test_a_call_with_bound_arrays_costs_little(tmp_path: Path) -> None:
    import overhead

    rows = overhead.measure(tmp_path, seconds=0.5)
    assert len(rows) == len(overhead.NAMES)
    assert all(min(row) > 0 for row in rows)
    _, _, beside = rows[0]
    assert beside < overhead.LIMIT_US  # ten times what it takes


@pytest.mark.full
def test_every_way_to_load_works() -> None:
    import load_time

    found, call = load_time.measure("mlp", repeats=1)
    assert list(found) == list(load_time.WAYS)
    assert all(0 < loaded <= first for loaded, first in found.values())
    assert found["compile, found"][0] < found["compile"][0]
    assert min(call) > 0


@pytest.mark.slow
def test_models_are_timed_beside_those_that_take_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import compare_models

    peers = {"onnxruntime": "ONNX Runtime", "pip": "Refusing", "absent": "Absent"}
    monkeypatch.setattr(compare_models, "PEERS", peers)
    arguments = ["mlp", "--seconds", "0", "--target", "reference"]
    monkeypatch.setattr(sys, "argv", ["", *arguments])
    compare_models.main()
    out, err = capsys.readouterr()
    *_, titles, _, cells, _, means = out.splitlines()
    assert titles.count("|") == cells.count("|") == 12
    name, _, theirs, _, *dashes, strict, _, error = cells.strip("| ").split(" | ")
    assert (name, dashes) == ("mlp", ["-"] * 4)
    assert float(theirs) > 0
    assert float(strict) > 0
    assert float(error) < 1e-5
    assert means.startswith("Geometric means of speeds")
    assert "Absent is not installed (`pip install 'glow-xdsl[bench]'`)" in out
    assert "mlp: error: argument --vs: invalid choice: 'pip'" in err


def test_a_row_of_threads_compares_with_the_faster_one() -> None:
    import threads

    figures = {"name": "net", "sections": 7, "glow1": 6.0, "glow2": 3.0}
    figures |= {"together": 6.25, "onnxruntime2": 4.5, "openvino2": 3.6}
    row = "| net | 6.00 | 3.00 | 2.00 | 1.92 | 4.50 | 3.60 | 1.20 | 7 |\n"
    assert threads.row(figures, 2) == row
    del figures["onnxruntime2"], figures["openvino2"]
    assert "| - | - | - | 7 |" in threads.row(figures, 2)
    times = {"glow": 2.0, "onnxruntime": 4.0, "openvino": 1.6}
    assert (
        threads.busy_row("net", times) == "| net | 2.00 | 4.00 | 1.60 | 0.50 | 1.25 |\n"
    )


def test_busy_processes_end_with_their_block() -> None:
    import threads

    with threads.busy(1) as processes:
        assert processes[0].poll() is None
    assert processes[0].poll() is not None


@pytest.mark.slow
def test_costs_of_threads_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    import thread_costs

    monkeypatch.setattr(thread_costs, "LARGE", ("mlp", "lstm"))
    costs = thread_costs.measure(2, 0.1)
    for runs in ("several", "one", "peer", "large"):
        assert costs[f"{runs}_in_turn_us"] > 0
        assert costs[f"{runs}_alone_us"] > 0
    assert 0 <= costs["idle"] < 1
    assert 0 < costs["round_trip_us"] < 1000
    figures = costs | {"round_trip_us": 0.125, "barrier_us": 0.25, "passing_on_us": 0.5}
    figures |= {"start_us": 4.0, "one_in_turn_us": 212.0, "one_alone_us": 200.0}
    lines = thread_costs.table(figures, 2).splitlines()
    assert lines[3] == "| a barrier of 2 threads | 0.25 us, 2.0 times that |"
    assert lines[4].endswith("go to the other | 0.50 us |")
    assert lines[5] == "| a run of 2 threads beside its sections | 4.0 us |"
    assert lines[7] == "| the same with one thread | 1.06, 12 us more |"
    assert len(lines) == 11


def test_models_are_known_or_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from argparse import ArgumentParser, Namespace

    from reporting import chosen_models

    (tmp_path / "own.onnx").touch()
    given = Namespace(names=[], exported=tmp_path)
    parser = ArgumentParser()
    assert chosen_models(parser, given, ["a", "b"]) == ["a", "b", "own"]
    assert chosen_models(parser, given, ["a", "b"], usual=["b"]) == ["b", "own"]
    given.names = ["own", "a", "c"]
    with pytest.raises(SystemExit):
        chosen_models(parser, given, ["a", "b"])
    message = "expected names out of a, b, own, got c\n"
    assert capsys.readouterr().err.endswith(message)
    given.names.remove("c")
    assert chosen_models(parser, given, ["a", "b"]) == ["own", "a"]


# Without PyTorch `export_models` cannot start.
WITH_NAMES = sorted(
    path.stem
    for path in BENCHMARKS.glob("*.py")
    if '"names", nargs' in path.read_text() and path.stem != "export_models"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_NAMES)
def test_a_name_that_is_not_known_is_one_line(name: str) -> None:
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), "nosuch"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "nosuch" in done.stderr.splitlines()[-1]
