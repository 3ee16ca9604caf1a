"""The cache of executables by shape: threads that wait, errors, interruptions, size."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Lock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_onnx import info, model, node

import glow
from glow.runtime.interface import Executable
from glow.runtime.signature import Signature
from glow.runtime.specializations import Specializations


class Nothing(Executable):
    """An executable that does nothing."""

    def __init__(self) -> None:
        super().__init__(Signature((), ()))

    def execute(self, *_: object) -> None: ...


@given(st.integers(1, 4), st.lists(st.integers(0, 6), max_size=30))
def test_the_last_used_are_kept(size: int, asked: list[int]) -> None:
    cache, made = Specializations(size), list[int]()
    expected: list[int] = []
    for key in asked:

        def make(key: int = key) -> Executable:
            made.append(key)
            return Nothing()

        is_known = key in expected
        count = len(made)
        found = cache.find(key) if len(made) % 2 else None
        assert found is None or is_known
        found = cache.get(key, make)
        assert len(asked) % 2 or cache.find(key) is found
        assert len(made) == count + (not is_known)
        expected = [*(each for each in expected if each != key), key][-size:]
        assert [key for key, _ in cache.items()] == expected


def test_one_thread_makes_it_while_others_wait_and_others_go_on() -> None:
    cache, started, release = Specializations(4), Event(), Event()
    made: list[str] = []

    def slow() -> Executable:
        started.set()
        assert release.wait(30)
        made.append("slow")
        return Nothing()

    def quick() -> Executable:
        made.append("quick")
        return Nothing()

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(cache.get, "slow", slow)
        assert started.wait(30)
        waiting = [pool.submit(cache.get, "slow", quick) for _ in range(5)]
        other = cache.get("quick", quick)
        assert cache.find("quick") is other
        assert cache.find("slow") is None
        assert not any(each.done() for each in (first, *waiting))
        release.set()
        assert {each.result(30) for each in waiting} == {first.result(30)}
    assert made == ["quick", "slow"]


def test_an_error_reaches_all_who_wait_and_does_not_stay() -> None:
    cache, started, release = Specializations(1), Event(), Event()

    def failing() -> Executable:
        started.set()
        assert release.wait(30)
        raise glow.CompilationError("no")

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(cache.get, 1, failing)
        assert started.wait(30)
        second = pool.submit(cache.get, 1, failing)
        release.set()
        for each in (first, second):
            with pytest.raises(glow.CompilationError, match="no"):
                each.result(30)
    assert cache.items() == ()
    assert cache.get(1, Nothing) is cache.find(1)


def test_who_waits_for_an_interrupted_one_makes_it() -> None:
    cache, started, release = Specializations(1), Event(), Event()

    def interrupted() -> Executable:
        started.set()
        assert release.wait(30)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.get, 1, interrupted)
        assert started.wait(30)
        second = pool.submit(cache.get, 1, Nothing)
        release.set()
        with pytest.raises(KeyboardInterrupt):
            first.result(30)
        assert second.result(30) is cache.find(1)


@pytest.mark.slow
def test_many_threads_run_many_shapes_in_a_small_cache() -> None:
    weight = np.random.default_rng(0).standard_normal((3, 4), np.float32)
    source = model(
        [node("MatMul", "x w", "h"), node("Relu", "h", "y")],
        {"x": ("batch", 3)},
        [info("y", ("batch", 4))],
        {"w": weight},
    )
    net = glow.compile(source, target="reference", cache_size=2)
    start, lock, count = Barrier(6), Lock(), [0]

    def work(seed: int) -> None:
        generator = np.random.default_rng(seed)
        start.wait(30)
        for _ in range(25):
            x = generator.standard_normal((generator.integers(1, 6), 3), np.float32)
            np.testing.assert_allclose(
                net(x), np.maximum(x @ weight, 0), rtol=1e-5, atol=1e-6
            )
            with lock:
                count[0] += 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert count == [150]
    assert isinstance(net, glow.DynamicExecutable)
    assert len(net.compiled) == 2
