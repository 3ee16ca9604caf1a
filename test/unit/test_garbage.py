"""The garbage collector rests while anyone wants it to, and then goes on as before."""

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

import glow
from glow.support.garbage import no_collection

NETWORK = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""


@pytest.fixture(autouse=True)
def running() -> Iterator[None]:
    """Start with the collector on, and leave it on."""
    gc.enable()
    yield
    gc.enable()


def test_it_rests_and_goes_on() -> None:
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), no_collection():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_it_rests_until_the_outer_one_ends() -> None:
    with no_collection():
        with no_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    with no_collection():
        pass
    assert not gc.isenabled()


def test_it_rests_until_the_last_thread_ends() -> None:
    begun, may_end, first_is_done = Barrier(2), Event(), Event()

    def first() -> None:
        with no_collection():
            begun.wait()
        first_is_done.set()

    def last() -> None:
        with no_collection():
            begun.wait()
            may_end.wait()

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(first), pool.submit(last)]
        first_is_done.wait()
        rested = not gc.isenabled()
        may_end.set()
        assert [run.result() for run in runs] == [None, None]
    assert rested
    assert gc.isenabled()


def test_many_threads_leave_it_on() -> None:
    def work(_: int) -> None:
        for _ in range(500):
            with no_collection():
                assert not gc.isenabled()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert gc.isenabled()


def test_a_compilation_leaves_it_on(tmp_path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(NETWORK)
    glow.compile(path, target="reference")
    assert gc.isenabled()
    path.write_text("func.func @main(")
    with pytest.raises(glow.GlowError):
        glow.compile(path, target="reference")
    assert gc.isenabled()
