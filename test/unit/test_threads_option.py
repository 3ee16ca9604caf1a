"""The option `threads`: the same bits, in files, with callbacks; what it is part of."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from teams import pool_of

import glow
from glow import options
from glow.options import Options

SIDE = 256
T = f"tensor<{SIDE}x{SIDE}xf32>"
# Two branches that both read what a product gives; each can be cut.
NETWORK = f"""
graph.placeholder @x "in" : {T}
graph.placeholder @y "out" : {T}
graph.placeholder @z "out" : {T}
func.func @main() {{
  %x = graph.load @x : {T}
  %0 = graph.matmul %x, %x
      : ({T}, {T}) -> {T}
  %1 = graph.tanh %0 : ({T}) -> {T}
  %2 = graph.matmul %0, %x
      : ({T}, {T}) -> {T}
  graph.save @y, %1 : {T}
  graph.save @z, %2 : {T}
  func.return
}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "net.mlir"
    found.write_text(NETWORK)
    return found


def given() -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(0)
    return {"x": rng.standard_normal((SIDE, SIDE), np.float32) / 16}


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.slow
def test_threads_change_no_bit_here_or_in_files(path: Path, tmp_path: Path) -> None:
    expected = glow.compile(path, threads=1).run(given())
    with pool_of(3):
        for threads in (None, 2, 4):
            net = glow.compile(path, threads=threads)
            for _ in range(5):
                assert_same(net.run(given()), expected)
            net.save(tmp_path / "net.glow")
            loaded = glow.load_executable(tmp_path / "net.glow", threads=threads)
            assert_same(loaded.run(given()), expected)
            bound = loaded.bind(given())
            assert_same(bound.run(), expected)
            del net, loaded, bound


def test_outputs_are_reported_from_whichever_thread_is_there(path: Path) -> None:
    expected = glow.compile(path, threads=1).run(given())
    received: list[str] = []
    seen = set[int]()

    def tell(name: str, array: NDArray[Any]) -> None:
        seen.add(threading.get_ident())
        np.testing.assert_array_equal(array, expected[name])
        received.append(name)

    with pool_of(3):
        net = glow.compile(path, threads=None)
        for _ in range(20):
            net.run(given(), on_output=tell)
        del net
    assert sorted(received) == ["y"] * 20 + ["z"] * 20
    assert seen


def test_what_a_callback_raises_is_raised_by_the_run(path: Path) -> None:
    def refuse(name: str, array: NDArray[Any]) -> None:
        raise KeyError(name)

    with pool_of(3):
        net = glow.compile(path, threads=None)
        for _ in range(10):
            with pytest.raises(KeyError):
                net.run(given(), on_output=refuse)
        del net


def test_code_for_one_thread_is_kept_apart() -> None:
    one, two, more = (Options(threads).of_result() for threads in (1, 2, 4))
    assert one != two
    assert two == more


@pytest.mark.parametrize("allowed", [1, 2, 16])
def test_by_default_code_is_for_as_many_threads_as_the_process_may_use(
    monkeypatch: pytest.MonkeyPatch, allowed: int
) -> None:
    monkeypatch.setattr(options, "allowed_threads", lambda: allowed)
    assert Options().threads is None
    assert Options().of_result() == Options(allowed).of_result()


def test_code_for_one_thread_starts_no_pool(path: Path) -> None:
    before = threading.active_count()
    net = glow.compile(path, threads=1)
    net.run(given())
    assert threading.active_count() == before


@pytest.mark.parametrize(("width", "helps"), [(64, False), (768, True)])
def test_code_is_for_threads_where_a_second_one_saves_time(
    width: int, helps: bool, path: Path
) -> None:
    """A row times 768 x 768 weights waits for these longer than a thread wakes."""
    x, w = f"tensor<1x{width}xf32>", f"tensor<{width}x{width}xf32>"
    path.write_text(f"""
        func.func @main(%x: {x}, %w: {w}) -> {x} {{
          %y = graph.matmul %x, %w : ({x}, {w}) -> {x}
          func.return %y : {x}
        }}""")
    net: Any = glow.compile(path, threads=2)
    assert (net.image().team is not None) == helps
