"""
Many threads run, and destroy things, at the same time: the same bits as in series.

`make stress` runs the full sizes.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from teams import computes_right, pool_of, program

import glow

Array = NDArray[Any]

pytestmark = pytest.mark.slow

THREADS = 16
SIDE = 32
# `s` is updated by every run; the weights are packed, and need an arena to go through.
NETWORK = """
graph.placeholder @x "in" : tensor<32x32xf32>
graph.placeholder @s "inout" : tensor<32x32xf32>
graph.placeholder @y "out" : tensor<32x32xf32>
func.func @main() {{
  %x = graph.load @x : tensor<32x32xf32>
  %s = graph.load @s : tensor<32x32xf32>
  %w = graph.literal dense<{weights}> : tensor<32x32xf32> : tensor<32x32xf32>
  %0 = graph.matmul %x, %w
      : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = graph.tanh %0 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = graph.matmul %1, %w
      : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = graph.add %2, %s : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  graph.save @s, %3 : tensor<32x32xf32>
  graph.save @y, %2 : tensor<32x32xf32>
  func.return
}}
"""


def square(seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal((SIDE, SIDE), np.float32)


def network(seed: int) -> str:
    return NETWORK.format(weights=(square(seed) / 8).round(3).tolist())


def given(seed: int) -> dict[str, Array]:
    return {"x": square(seed), "s": np.zeros((SIDE, SIDE), np.float32)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "net.mlir"
    found.write_text(network(0))
    return found


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Let threads take turns a hundred times as often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Callable[[int], int]) -> int:
    """Return the sum of what `work` gives for 0, 1, ... in a thread each."""
    start = Barrier(THREADS)

    def started(number: int) -> int:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return sum(pool.map(started, range(THREADS)))


@pytest.mark.parametrize(
    "runs", [10_000 // THREADS, pytest.param(10_000, marks=pytest.mark.full)]
)
def test_many_threads_get_the_bits_that_one_gets(path: Path, runs: int) -> None:
    net = glow.compile(path)
    expected: list[tuple[Array, Array]] = []
    for seed in range(THREADS):
        bound = net.bind(given(seed))
        for _ in range(runs):
            found = bound.run()
        expected.append((found["y"], found["s"]))

    def work(seed: int) -> int:
        bound, wrong = net.bind(given(seed)), 0
        for _ in range(runs):
            found = bound.run()
            wrong += not np.array_equal(found["y"], expected[seed][0])
            found["y"][...] = 0
        return wrong + (not np.array_equal(found["s"], expected[seed][1]))

    assert in_threads(work) == 0


@pytest.mark.parametrize("rounds", [2, pytest.param(100, marks=pytest.mark.full)])
def test_things_are_destroyed_while_others_run(
    path: Path, tmp_path: Path, rounds: int
) -> None:
    """
    Executables, their files, constants, bindings and arrays come and go.

    Each thread keeps the last reference to what it runs, and lets go of it after a run.
    """
    shared = glow.compile(path)
    expected = [shared.run(given(seed))["y"] for seed in range(THREADS)]
    model = glow.load(path)

    def makers(seed: int) -> Iterator[glow.Executable]:
        saved = tmp_path / f"{seed}.glow"
        shared.save(saved)
        yield glow.load_executable(saved, verify=bool(seed % 2))
        os.unlink(saved)  # while it is mapped
        yield shared
        if seed == 0:  # compiling shares constants with those that run
            yield glow.compile(model)

    def work(seed: int) -> int:
        wrong = 0
        for _ in range(rounds):
            for net in makers(seed):
                bound = net.bind(given(seed))
                del net
                twin = bound.clone()
                for each in (bound, twin):
                    wrong += not np.array_equal(each.run()["y"], expected[seed])
                result = twin.run()["y"]
                del bound, twin, each
                if seed % 5 == 0:
                    gc.collect()
                wrong += not np.array_equal(result, expected[seed])
        return wrong

    assert in_threads(work) == 0


@pytest.mark.parametrize("rounds", [300, pytest.param(30_000, marks=pytest.mark.full)])
def test_bindings_in_use_are_refused_and_not_corrupted(path: Path, rounds: int) -> None:
    """All threads use one binding: each call runs whole, or is refused."""
    net = glow.compile(path)
    bound = net.bind(given(0))
    expected = bound.run()["y"].copy()

    def work(number: int) -> int:
        ran = 0
        for count in range(rounds):
            try:
                match (number + count) % 4:
                    case 0:
                        bound["y"] = np.empty((SIDE, SIDE), np.float32)
                    case 1:
                        bound.clone()
                    case _:
                        bound.run()
                        ran += 1
            except glow.BindingError as error:
                if "in another thread" not in str(error):
                    raise
        return ran

    before = bound["s"]
    assert before is not None
    ran = in_threads(work)
    assert ran > 0
    assert np.array_equal(bound.run()["y"], expected)
    total = np.zeros_like(expected)
    for _ in range(ran + 2):
        total = expected + total
    assert np.array_equal(bound["s"], total)  # no run is lost or counted twice


@pytest.mark.parametrize("runs", [100, pytest.param(10_000, marks=pytest.mark.full)])
def test_callers_share_threads_and_destroy_what_they_ran(runs: int) -> None:
    """A caller that finds the threads of the pool busy runs alone; others come late."""
    shared = program()

    def work(seed: int) -> int:
        wrong = 0
        for run in range(runs):
            net = shared if run % 2 else program()
            wrong += not computes_right(net, runs * seed + run)
        return wrong

    with pool_of(3):
        assert in_threads(work) == 0
        del shared


SHARED = """
graph.placeholder @x "in" : tensor<128x128xf32>
graph.placeholder @y "out" : tensor<128x128xf32>
func.func @main() {
  %x = graph.load @x : tensor<128x128xf32>
  %0 = graph.matmul %x, %x
      : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = graph.tanh %0 : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = graph.matmul %1, %0
      : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  graph.save @y, %2 : tensor<128x128xf32>
  func.return
}
"""


@pytest.mark.parametrize("runs", [100, pytest.param(10_000, marks=pytest.mark.full)])
def test_callers_of_code_for_two_threads_get_the_bits_of_one(
    tmp_path: Path, runs: int
) -> None:
    path = tmp_path / "shared.mlir"
    path.write_text(SHARED)
    rng = np.random.default_rng(0)
    given = rng.standard_normal((THREADS, 128, 128), np.float32) / 8
    alone = glow.compile(path, threads=1)
    expected = [alone.run({"x": x})["y"] for x in given]

    def work(seed: int) -> int:
        bound = net.bind({"x": given[seed]})
        return sum(
            not np.array_equal(bound.run()["y"], expected[seed]) for _ in range(runs)
        )

    with pool_of(1):
        net = glow.compile(path, threads=2)
        assert net.image().team is not None
        assert in_threads(work) == 0
        del net
