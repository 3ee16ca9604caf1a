"""When runs are done alone, on made-up times of waiting for processors."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from teams import computes_right, pool_of, program

from glow.runtime import crowding
from glow.runtime.crowding import LOOK_NS, Crowding, Usage
from glow.support import team_words as words

Waits = Callable[[int, bool], float]
"""Milliseconds of an interval, by its number and whether runs are done alone."""


def shares(waits: Waits, intervals: int, seconds: float = 0.02) -> list[bool]:
    """Return whether workers took part, for each interval of 10 ms."""
    had = [Usage(0.0, 0.0)]
    watch = Crowding(lambda: had[0], 2)
    found: list[bool] = []
    for number in range(intervals):
        now = (number + 1) * LOOK_NS
        if now >= watch.next_look:
            watch.look(now)
        found.append(not watch.is_crowded)
        waited = waits(number, watch.is_crowded) / 1e3
        had[0] = Usage(had[0].waited + waited, had[0].seconds + seconds)
    return found


def test_workers_take_part_where_processors_are_free() -> None:
    assert all(shares(lambda *_: 0, 300))


def test_a_wait_now_and_then_is_no_crowd() -> None:
    assert all(shares(lambda number, alone: 3 * (number % 3 == 0), 300))
    assert all(shares(lambda *_: 9, 300, seconds=0.2))


def test_more_threads_are_held_up_by_fewer_waits() -> None:
    waits = [Usage(0.0, 0.0), Usage(0.0, 0.0), Usage(0.1, 0.9)]
    for threads, is_crowded in ((2, False), (4, False), (16, True)):
        times = iter(waits)
        watch = Crowding(lambda times=times: next(times), threads)
        watch.look(LOOK_NS)
        watch.look(2 * LOOK_NS)
        assert watch.is_crowded == is_crowded


def test_where_processors_are_shared_most_runs_are_done_alone() -> None:
    found = shares(lambda number, alone: 9, 3000)
    assert 0 < sum(found) < 300  # a tenth
    assert not any(all(found[i : i + 10]) for i in range(len(found)))
    # It tries again at least each two seconds.
    assert any(found[-200:])


def test_workers_come_back_when_others_are_gone() -> None:
    found = shares(lambda number, alone: 9 if number < 400 else 0, 1200)
    assert not all(found[300:400])
    assert all(found[700:])


def test_a_worker_that_takes_the_last_free_processor_stays_away() -> None:
    # One busy neighbor on two processors: a caller alone loses nothing.
    found = shares(lambda number, alone: 0 if alone else 9, 3000)
    assert sum(found) < 300


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_thread_that_shares_a_processor_waits_for_it() -> None:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})  # which the neighbor starts with, too
    neighbor = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        times = crowding.usage_of([threading.get_native_id()])
        first = times()
        while times().seconds < first.seconds + 0.1:
            pass
        assert times().waited > first.waited + 0.01
    finally:
        os.sched_setaffinity(0, allowed)
        neighbor.kill()
        neighbor.wait()


def test_lost_processors_count_where_the_system_tells_no_more() -> None:
    times = crowding.usage_of([1 << 30])  # no thread has this number
    first = times()
    while times().seconds < first.seconds + 0.02:
        pass
    assert times().waited >= first.waited


def test_threads_that_have_ended_need_no_processor() -> None:
    leave = threading.Event()
    thread = threading.Thread(target=leave.wait)
    thread.start()
    times = crowding.usage_of([thread.native_id or 0])
    leave.set()
    thread.join()
    while os.path.exists(f"/proc/self/task/{thread.native_id}"):
        pass
    assert times() == Usage(0.0, 0.0)


@pytest.mark.parametrize("waited", [0.0, 1.0])
def test_callers_run_alone_while_the_pool_is_crowded(waited: float) -> None:
    had = [Usage(0.0, 0.0)]
    with pool_of(2, usage_of=lambda _: lambda: had[0]) as pool:
        net = program()
        assert computes_right(net, 0)
        had[0] = Usage(waited, 0.1)
        pool.look(pool.next_look)
        pool.next_look = sys.maxsize
        calls = ctypes.c_int64.from_address(pool.address + 8 * words.CALLS)
        before = calls.value
        assert all(computes_right(net, seed) for seed in range(5))
        assert calls.value == before + (0 if waited else 5)
        del net
