"""Processes that fork while other threads import, compile and load."""

import os
import subprocess
import sys
import threading
import time

import pytest

from glow.support.forking import lock_free_in_children, undivided

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

FORKS = """
import os, signal, sys, threading, time
import numpy as np
import glow

def net(width):
    b = glow.Builder("net")
    x = b.input("x", (2, width), np.float32)
    b.output("y", b.softmax(b.relu(b.linear(x, 8)), axis=-1))
    return glow.compile(b.model())

def work():
    for width in range(1, 1000):
        if not is_done:
            net(width).save(sys.argv[1])
            glow.load_executable(sys.argv[1])

is_done = False
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
wrong = []
for number in range(12):
    time.sleep(0.013 * (number % 13))
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        total = net(2000 + number)(np.ones((2, 2000 + number), np.float32)).sum()
        os._exit(0 if abs(total - 2) < 1e-5 else 1)
    wrong += [number] if os.waitpid(child, 0)[1] else []
is_done = True
for thread in threads:
    thread.join()
sys.exit(f"children {wrong} hung or failed" if wrong else 0)
"""


@pytest.mark.slow
def test_children_compile_whatever_other_threads_did(tmp_path: object) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, f"{tmp_path}/a.glow"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def fork_and_wait() -> None:
    child = os.fork()
    if not child:
        with undivided():
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forks_wait_for_work_of_other_threads_only() -> None:
    started, ended = threading.Event(), list[float]()

    def work() -> None:
        with undivided(), undivided():
            started.set()
            time.sleep(0.2)
            ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    with undivided():
        fork_and_wait()
    assert time.monotonic() > ended[0]
    thread.join()
    with undivided():
        fork_and_wait()  # a thread is not in its own way


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_locks_are_free_in_children() -> None:
    lock = lock_free_in_children()
    with lock:
        child = os.fork()
        if not child:
            os._exit(0 if lock.acquire(blocking=False) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert lock.locked()
