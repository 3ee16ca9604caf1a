"""Runs that threads share: the same bits, whoever comes, is late or is busy."""

from __future__ import annotations

import ctypes
import gc
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import teams
from teams import PIECES, SECTIONS, computes_right, inputs, pool_of, program

from glow.runtime import team
from glow.support import team_words as words
from glow.support.errors import ExecutionError

HOOK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


@pytest.fixture(scope="module", autouse=True)
def the_first_pool_is_kept() -> Iterator[None]:
    before = team.SHARED.pool
    yield
    assert team.SHARED.pool is before


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 16])
def test_bits_are_the_same_for_any_number_of_threads_and_any_delays(
    workers: int,
) -> None:
    delays, seen = random.Random(workers), set[int]()

    def delay(worker: int, strand: int) -> None:
        seen.add(worker)
        time.sleep(delays.choice((0, 0, 0.0001, 0.0003)))

    hook = HOOK(delay)
    with pool_of(workers - 1) as pool:
        pool.delay = ctypes.cast(hook, ctypes.c_void_p).value or 0
        net = program()
        assert all(computes_right(net, seed) for seed in range(10))
        del net
    assert seen <= set(range(workers))
    assert len(seen) > 1 or workers == 1


@pytest.mark.slow
def test_a_limit_is_kept() -> None:
    seen = set[int]()
    hook = HOOK(lambda worker, strand: (seen.add(worker), time.sleep(0.0002))[0])
    with pool_of(5) as pool:
        pool.delay = ctypes.cast(hook, ctypes.c_void_p).value or 0
        net = program()
        net.threads = 3
        assert all(computes_right(net, seed) for seed in range(20))
        del net
    assert seen <= {0, 1, 2}


def test_every_piece_is_claimed_once() -> None:
    claims: list[int] = []
    hook = HOOK(lambda worker, strand: claims.append(strand))
    with pool_of(3) as pool:
        pool.delay = ctypes.cast(hook, ctypes.c_void_p).value or 0
        net = program()
        assert computes_right(net, 1)
        del net
    assert sorted(claims) == sorted([*range(SECTIONS)] * PIECES)


def test_nobody_waits_for_threads_that_do_not_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(team.ThreadPool, "start", lambda pool, code: None)
    with pool_of(3):
        net = program()
        assert all(computes_right(net, seed) for seed in range(5))
        del net


def test_who_finds_the_pool_busy_runs_alone() -> None:
    seen = set[int]()
    hook = HOOK(lambda worker, strand: seen.add(worker))
    with pool_of(3) as pool:
        pool.delay = ctypes.cast(hook, ctypes.c_void_p).value or 0
        net = program()
        assert computes_right(net, 0)
        ctypes.c_int64.from_address(pool.address + 8 * words.BUSY).value = 1
        seen.clear()
        assert all(computes_right(net, seed) for seed in range(5))
        del net
    assert seen == {0}


@pytest.mark.slow
def test_many_callers_share_one_pool_while_executables_come_and_go() -> None:
    def call(seed: int) -> bool:
        net = program()
        return all(computes_right(net, 1000 * seed + i) for i in range(15))

    with pool_of(3):
        with ThreadPoolExecutor(16) as callers:
            assert all(callers.map(call, range(24)))
        gc.collect()


def test_threads_sleep_where_there_is_no_futex() -> None:
    call, _, clock = team.system_words(has_futex=False)
    with pool_of(3, system=(call, 0, clock)):
        net = program()
        for seed in range(10):
            assert computes_right(net, seed)
            time.sleep(0.003)  # until they sleep
        del net


def test_the_least_fault_is_reported() -> None:
    with pool_of(3):
        net = program()
        for count in (1, 3, PIECES):
            given = inputs(0, count)
            for _ in range(20):
                with pytest.raises(ExecutionError, match=f"piece {PIECES - count} f"):
                    net.run(given)
            assert computes_right(net, count)
        del net


@pytest.mark.slow
def test_threads_that_have_nothing_to_do_take_no_time() -> None:
    with pool_of(3):
        net = program()
        assert computes_right(net, 0)
        time.sleep(0.005)
        used = list[float]()
        for _ in range(3):  # a thread that spins does so each time
            start = time.process_time()
            time.sleep(0.2)
            used.append(time.process_time() - start)
        del net
    assert min(used) < 0.01


def run_script(text: str) -> str:
    """Return what a script prints, which can import the support of tests."""
    support = str(Path(teams.__file__).parent)
    script = f"""import faulthandler, sys; sys.path.insert(0, {support!r})
faulthandler.dump_traceback_later(50, exit=True)
{text}"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_child_makes_its_own_pool() -> None:
    found = run_script("""
import os
from glow.runtime import team
from teams import computes_right, program
team.SHARED.pool = team.ThreadPool(2)
net = program()
assert computes_right(net, 0)
child = os.fork()
if not child:
    team.SHARED.pool = team.ThreadPool(3)
    other = program()
    right = all(computes_right(n, i) for n in (net, other) for i in range(20))
    del net, other
    print("right" if right else "wrong", flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("right" if computes_right(net, 1) else "wrong")
""")
    assert found.split() == ["right", "right"]


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0, 0.005])
def test_a_process_ends_at_once_while_threads_look_out_or_sleep(pause: float) -> None:
    found = run_script(f"""
import time
from glow.runtime import team
from teams import computes_right, program
team.SHARED.pool = team.ThreadPool(3)
net = program()
assert computes_right(net, 0)
time.sleep({pause})
print(time.time())
""")
    assert time.time() - float(found) < 5


RUNNING = """
import os, signal, sys, threading
from glow.runtime import team
from teams import computes_right, program
team.SHARED.pool = team.ThreadPool(2)
net, begun = program(), threading.Semaphore(0)
def go_on(seed):
    while computes_right(net, seed):
        begun.release()
for seed in range(3):
    threading.Thread(target=go_on, args=(seed,), daemon=True).start()
for _ in range(20):
    begun.acquire()
"""


@pytest.mark.slow
def test_a_process_ends_while_its_threads_run() -> None:
    assert run_script(RUNNING + "print('ends')") == "ends\n"


@pytest.mark.slow
def test_a_process_forks_while_its_threads_run() -> None:
    found = run_script(f"""{RUNNING}
for _ in range(5):
    child = os.fork()
    if not child:
        team.SHARED.pool = team.ThreadPool(2)
        right = all(computes_right(program(), i) for i in range(5))
        os._exit(0 if right else 1)
    print(os.waitpid(child, 0)[1], computes_right(net, 1))
""")
    assert found.splitlines() == ["0 True"] * 5


@pytest.mark.slow
def test_an_interrupt_ends_a_series_of_runs_and_not_the_pool() -> None:
    found = run_script(f"""{RUNNING}
signal.signal(signal.SIGALRM, signal.default_int_handler)
for _ in range(5):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 1)  # again if a finalizer has it
        while computes_right(net, 7):
            pass
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(computes_right(net, 8))
""")
    assert found.splitlines() == ["True"] * 5


def test_two_threads_share_a_run() -> None:
    """Each waits at its first piece for the other one."""
    both, seen = threading.Barrier(2, timeout=30), set[int]()

    def meet(worker: int, strand: int) -> None:
        if worker not in seen:
            seen.add(worker)
            both.wait()

    hook = HOOK(meet)
    with pool_of(1) as pool:
        pool.delay = ctypes.cast(hook, ctypes.c_void_p).value or 0
        net = program()
        assert computes_right(net, 0)
        del net
    assert seen == {0, 1}
