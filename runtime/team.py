"""Threads that runs share: the pool of a process, and the part of a frame in it."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition, Thread

import numpy as np
from numpy.typing import NDArray

from glow.runtime.crowding import Crowding, Usage, usage_of
from glow.runtime.image import TeamSizes
from glow.support import team_words as words
from glow.support.arrays import ALIGNMENT, address_of, aligned_empty
from glow.support.forking import lock_free_in_children, undivided
from glow.support.thread_count import allowed_threads

RUN, WORK = "team_run", "team_work"
"""The functions of an executable's code that callers and workers call."""

SPIN_NS = 1_000_000
"""How long workers look out for the next run before they sleep."""

_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_SYSTEM_CALL = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 7)

# What Linux calls `futex` on each processor.
_FUTEX = {"x86_64": 202, "aarch64": 98, "riscv64": 98}


@dataclass(frozen=True)
class TeamCode:
    """The addresses of the functions by which threads share runs, and their owner."""

    run: int
    work: int
    owner: object


def _forever(value: object) -> None:
    """Keep `value` even when the interpreter ends: threads may still look at it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))


class _Sleepers:
    """A substitute for Linux's `futex` on other systems: slower, but correct."""

    def __init__(self) -> None:
        self._changed = Condition()

    def __call__(self, _: int, place: int, does: int, number: int, *others: int) -> int:
        word = ctypes.c_uint32.from_address(place)
        with self._changed:
            if does & 1 == (does >> 3) & 1:  # to sleep, with bits or without
                if word.value == number & 0xFFFFFFFF:
                    self._changed.wait(1)
            else:
                self._changed.notify_all()
        return 0


def system_words(has_futex: bool = True) -> tuple[int, int, int]:
    """Return the words of a run record about functions of the system."""
    library = ctypes.CDLL(None)
    number = _FUTEX.get(platform.machine(), 0)
    if has_futex and number and platform.system() == "Linux":
        call = ctypes.cast(library.syscall, ctypes.c_void_p).value or 0
    else:
        sleep = _SYSTEM_CALL(_Sleepers())
        _forever(sleep)
        call = ctypes.cast(sleep, ctypes.c_void_p).value or 0
    clock = ctypes.cast(library.clock_gettime, ctypes.c_void_p).value or 0
    return call, number, clock


def zeros(count: int) -> NDArray[np.int64]:
    """Return zeros, as words that begin at a cache line."""
    array = aligned_empty(8 * count).view(np.int64)
    array[:] = 0
    return array


class ThreadPool:
    """
    Threads that work for one run at a time; a caller that finds them busy runs alone.

    The first executable with teams brings their code, which stays for good. They sleep
    while there is nothing to do.
    """

    def __init__(
        self,
        threads: int,
        system: tuple[int, int, int] | None = None,
        usage_of: Callable[[Sequence[int]], Callable[[], Usage]] | None = None,
    ):
        """
        `threads` is how many there are besides the callers.

        `usage_of`, given native identifiers, returns a function for the threads' times;
        without it workers take part however crowded processors are.
        """
        self.threads = threads
        self.system = system or system_words()
        slots = threads + 1  # each thread may be late in one
        records = words.FIRST_SLOT + slots * words.RECORD
        self._words = zeros(records + threads * words.RECORD)
        self.address = address_of(self._words)
        _forever(self._words)
        self._words[words.SLOTS] = slots
        self._words[words.THREADS] = threads
        self._words[words.SPIN] = SPIN_NS
        self._records = range(records, len(self._words), words.RECORD)
        self._slots = range(words.FIRST_SLOT, records, words.RECORD)
        self._lock = lock_free_in_children()
        self._started: list[Thread] = []
        self.delay = 0
        """The address of a function that workers call after each claim, for tests."""
        self._scratch = aligned_empty(0)
        self._usage_of = usage_of
        self._crowding: Crowding | None = None
        self.next_look = sys.maxsize
        """When a caller is to `look`, by `time.perf_counter_ns`."""

    def look(self, now: int) -> None:
        """Let runs from now on have threads, or none while others want processors."""
        if self._crowding is not None:
            self._crowding.look(now)
            self.next_look = self._crowding.next_look
            alone = self._crowding.is_crowded
            self._words[words.THREADS] = 0 if alone else self.threads

    def start(self, code: TeamCode) -> None:
        """Start the threads unless they run."""
        with self._lock, undivided():
            if self._started or not self.threads:
                return
            _forever(code.owner)
            work = _FUNCTION(code.work)
            for number, place in enumerate(self._records, 1):
                self._words[place + words.WORKER] = number
                self._words[place + words.SYSCALL : place + words.CLOCK + 1] = (
                    self.system
                )
                arguments = self.address + 8 * place, self.address
                name = f"glow-{number}"
                thread = Thread(target=work, args=arguments, name=name, daemon=True)
                self._started.append(thread)
                thread.start()
            if self._usage_of is not None:
                ids = [thread.native_id or 0 for thread in self._started]
                watched = self._usage_of([os.getpid(), *ids])
                self._crowding = Crowding(watched, self.threads + 1)
                self.next_look = 0

    def scratch(self, bytes_each: int) -> int:
        """Return the address of memory with so many bytes for each thread."""
        with self._lock:
            size = bytes_each * self.threads
            if self._scratch.nbytes < size:
                self._scratch = aligned_empty(1 << (size - 1).bit_length())
                _forever(self._scratch)  # a run may use it for a while
            return address_of(self._scratch)

    def is_working_for(self, job: int) -> bool:
        """Return whether a thread may still look at the run record at `job`."""
        return any(
            self._words[slot + words.GATE] and self._words[slot + words.JOB] == job
            for slot in self._slots
        )

    def stop(self) -> None:
        """End the threads when they are idle; runs go on without them."""
        self._words[words.STOPPED] = 1
        self._words[words.CALLS] += 1
        call, number, _ = self.system
        wake = _SYSTEM_CALL(call)
        while any(thread.is_alive() for thread in self._started):
            wake(number, self.address, 129, (1 << 31) - 1, 0, 0, 0)
            time.sleep(0.001)


class _Shared:
    """The pool of this process, created on first use."""

    def __init__(self) -> None:
        self.pool: ThreadPool | None = None
        self.lock = lock_free_in_children()

    def get(self) -> ThreadPool:
        with self.lock:
            if self.pool is None:
                self.pool = ThreadPool(allowed_threads() - 1, usage_of=usage_of)
            return self.pool


SHARED = _Shared()


class Team:
    """State of a frame that runs with the threads of the pool; one run at a time."""

    def __init__(
        self,
        sizes: TeamSizes,
        code: TeamCode,
        limit: int | None,
        pointers: Sequence[int],
    ):
        """`pointers`: main's address, and those of its first four arguments."""
        self._sizes, self._code, self._limit = sizes, code, limit
        self._pointers = pointers
        self._run = _FUNCTION(code.run)
        self._pool: ThreadPool | None = None
        self._process = 0
        self._job = 0

    def run(self) -> None:
        """Run main; return when it is done, whoever did it."""
        pool = SHARED.pool
        if pool is None or pool is not self._pool:
            pool = self._enter(SHARED.get())
        now = time.perf_counter_ns()
        if now >= pool.next_look:
            pool.look(now)
        self._run(self._job, pool.address)

    def _enter(self, pool: ThreadPool) -> ThreadPool:
        """Make the run record for `pool`; a child process has another pool."""
        pool.start(self._code)
        sizes = self._sizes
        workers = min(self._limit or pool.threads + 1, pool.threads + 1)
        stride = sizes.strands + -sizes.strands % words.LINE
        done = words.RECORD
        cursors = done + 2 * words.LINE
        job = zeros(cursors + workers * stride)
        room = sizes.worker_bytes + -sizes.worker_bytes % ALIGNMENT
        scratch = aligned_empty(room)
        address = address_of(job)
        job[words.MAIN : words.FAULT + 1] = self._pointers
        job[words.OWN_SCRATCH : words.SCRATCH_BYTES + 1] = (
            address_of(scratch),
            pool.scratch(room),
            room,
        )
        job[words.LIMIT], job[words.STRIDE] = workers, stride
        job[words.CURSORS] = address + 8 * cursors
        job[words.DONE] = address + 8 * done
        job[words.SYSCALL : words.CLOCK + 1] = pool.system
        job[words.DELAY], job[words.JOB] = pool.delay, address
        self._memory = job, scratch
        self._pool, self._process, self._job = pool, os.getpid(), address
        return pool

    def __del__(self) -> None:
        """Wait for threads that are late: they look at memory of this frame."""
        pool = self._pool
        if pool is not None and self._process == os.getpid():
            while pool.is_working_for(self._job):
                time.sleep(0.0001)


def _in_child() -> None:
    SHARED.pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
