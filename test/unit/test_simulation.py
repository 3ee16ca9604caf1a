"""Schedules of more threads than there are: bounds, shares, what the tool prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_runs import tool_runner

from glow.runtime.profile import Group, Record
from glow.tools import glow_bench
from glow.tools.simulation import LINE_NS, Schedule

NETWORK = """
func.func @main(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %y = graph.softmax %x {axis = 1 : i64}
      : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %z = graph.softmax %y {axis = 0 : i64}
      : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
  func.return %z : tensor<512x1024xf32>
}
"""
GROUP = Group("a", "memory.conv", 1)

sections = st.lists(
    st.lists(st.lists(st.floats(1, 1e5), min_size=1, max_size=40), min_size=1),
    min_size=1,
    max_size=4,
)


@pytest.mark.slow
@given(sections, st.integers(1, 20))
def test_a_schedule_is_within_its_bounds(
    parts: list[list[list[float]]], workers: int
) -> None:
    """Not below what is to be done, nor by more than a piece above it."""
    made = tuple(tuple(map(tuple, strands)) for strands in parts)
    length = Schedule(made, 0).length(workers)
    least = most = 0.0
    for strands in made:
        pieces = [ns for strand in strands for ns in strand]
        waits = LINE_NS * workers * (workers > 1)
        least += max(max(pieces), sum(pieces) / workers) + waits
        most += sum(pieces) / workers + max(pieces) + waits
    assert least * (1 - 1e-9) <= length <= most * (1 + 1e-9)


def test_equal_pieces_are_shared_evenly() -> None:
    schedule = Schedule((((10.0,) * 32,),), 5)
    assert [schedule.length(n) for n in (1, 2, 16)] == [
        32 * 15,
        16 * 15 + 2 * LINE_NS,
        2 * 15 + 16 * LINE_NS,
    ]


def test_calls_of_a_strand_are_done_together_and_medians_count() -> None:
    """Two calls of one strand of two pieces, then a strand alone, in three runs."""

    def run(number: int, ns: float) -> list[Record]:
        places = [(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 0, 0), (0, 1, 1)]
        return [
            Record(
                *(number, 0, GROUP, "f", piece, section, strand),
                *(n * (ns + 2), n * (ns + 2) + ns),
            )
            for n, (piece, section, strand) in enumerate(places)
        ]

    records = [record for n, ns in enumerate((10, 90, 30)) for record in run(n, ns)]
    schedule = Schedule.of(records)
    assert schedule.sections == (((60, 60),), ((30,),))
    assert schedule.overhead == 2
    assert schedule.pieces == 3


def test_nothing_takes_no_time() -> None:
    assert Schedule.of([]).length(4) == 0


@pytest.mark.slow
def test_glow_bench_says_what_more_threads_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(NETWORK)
    tool = tool_runner(str(path), monkeypatch, capsys)
    given = ("--target", "cpu", "--seconds", "0.05", "--simulate-threads")
    code, out, _ = tool(glow_bench.main, *given, "8")
    assert code == 0
    figures = json.loads(out)
    assert figures["simulated_threads"] == 8
    assert figures["sections"] == 3 < figures["pieces"]
    assert figures["simulated_ms"] < figures["one_ms"] < 1000
    share = figures["one_ms"] / (8 * figures["simulated_ms"])
    assert figures["efficiency"] == pytest.approx(share, rel=0.01)
    assert tool(glow_bench.main, *given, "0")[2] == (
        "error: expected --simulate-threads of 1 to 1024, got 0\n"
    )
    assert tool(glow_bench.main, *given, "8", "--roofline")[2] == (
        "error: expected --simulate-threads for cpu, and without --vs and --roofline\n"
    )
