"""When runs are done alone, on made-up counts of lost processors."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import pytest
from teams import computes_right, pool_of, program

from glow.runtime import crowding
from glow.runtime.crowding import LOOK_NS, Crowding, Usage
from glow.support import team_words as words

Losses = Callable[[int, bool], int]
"""What is lost in an interval, by its number and whether runs are done alone."""


def shares(losses: Losses, intervals: int, seconds: float = 0.02) -> list[bool]:
    """Return whether workers took part, for each interval of 10 ms."""
    had = [Usage(0, 0.0)]
    watch = Crowding(lambda: had[0])
    found: list[bool] = []
    for number in range(intervals):
        now = (number + 1) * LOOK_NS
        if now >= watch.next_look:
            watch.look(now)
        found.append(not watch.is_crowded)
        lost = losses(number, watch.is_crowded)
        had[0] = Usage(had[0].losses + lost, had[0].seconds + seconds)
    return found


def test_workers_take_part_where_processors_are_free() -> None:
    assert all(shares(lambda *_: 0, 300))


def test_a_loss_now_and_then_is_no_crowd() -> None:
    assert all(shares(lambda number, alone: int(number % 3 == 0), 300))
    assert all(shares(lambda *_: 9, 300, seconds=0.2))  # of many processors


def test_where_processors_are_shared_most_runs_are_done_alone() -> None:
    found = shares(lambda number, alone: 5, 3000)
    assert 0 < sum(found) < 300  # a tenth
    assert not any(all(found[i : i + 10]) for i in range(len(found)))
    # It tries again at least each two seconds.
    assert any(found[-200:])


def test_workers_come_back_when_others_are_gone() -> None:
    found = shares(lambda number, alone: 5 if number < 400 else 0, 1200)
    assert not all(found[300:400])
    assert all(found[700:])


def test_a_worker_that_takes_the_last_free_processor_stays_away() -> None:
    # One busy neighbor on two processors: a caller alone loses nothing.
    found = shares(lambda number, alone: 0 if alone else 5, 3000)
    assert sum(found) < 300


def test_losses_of_this_process_are_counted() -> None:
    first = crowding.usage()
    end = first.seconds + 0.02
    while crowding.usage().seconds < end:
        pass
    assert crowding.usage().losses >= first.losses


@pytest.mark.parametrize("losses", [0, 1000])
def test_callers_run_alone_while_the_pool_is_crowded(losses: int) -> None:
    had = [Usage(0, 0.0)]
    with pool_of(2, crowding=Crowding(lambda: had[0])) as pool:
        net = program()
        assert computes_right(net, 0)
        had[0] = Usage(losses, 0.1)
        pool.look(pool.next_look)
        pool.next_look = sys.maxsize
        calls = ctypes.c_int64.from_address(pool.address + 8 * words.CALLS)
        before = calls.value
        assert all(computes_right(net, seed) for seed in range(5))
        assert calls.value == before + (0 if losses else 5)
        del net
