"""Work that a fork waits for, since the child has no thread to finish it."""

from __future__ import annotations

# These have hooks of forks as well: if a thread imported one while a fork waits, its
# hook would release a lock that it never took.
import concurrent.futures.thread  # noqa: F401  # pyright: ignore[reportUnusedImport]
import logging  # noqa: F401  # pyright: ignore[reportUnusedImport]
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import _bootstrap  # pyright: ignore[reportPrivateUsage]
from threading import Condition, Lock, get_ident, local
from time import monotonic
from typing import Any
from weakref import WeakSet

_PATIENCE, _PAUSE = 60, 0.005
"""The seconds after which a fork waits no longer, and after which it looks again."""


class _Depth(local):
    """The number of blocks of `undivided` that this thread is in."""

    blocks = 0


class _Work:
    """The threads that are at work; the lock is held while a process forks."""

    def __init__(self, threads: int = 0):
        self.threads = threads
        self.changed = Condition()


_DEPTH = _Depth()
_WORK = [_Work()]
_LOCKS = WeakSet[Any]()


@contextmanager
def undivided() -> Generator[None]:
    """
    Have forks of other threads wait until the block ends.

    Else the child may wait forever for a thread that it does not have: one that is in
    LLVM, or has temporarily replaced something shared. Blocks may be nested. Forks wait
    for imports by themselves.
    """
    if not _DEPTH.blocks:
        _add(1)
    _DEPTH.blocks += 1
    try:
        yield
    finally:
        _DEPTH.blocks -= 1
        if not _DEPTH.blocks:
            _add(-1)


def lock_free_in_children() -> Lock:
    """Return a lock that is free in a child; for data that is valid at each step."""
    lock = Lock()
    _LOCKS.add(lock)
    return lock


def _add(threads: int) -> None:
    work = _WORK[0]
    with work.changed:
        work.threads += threads
        work.changed.notify_all()


def _before_fork() -> None:
    work, own = _WORK[0], bool(_DEPTH.blocks)
    work.changed.acquire()
    end = monotonic() + _PATIENCE
    while (work.threads > own or _others_import()) and monotonic() < end:
        work.changed.wait(_PAUSE)


def _others_import() -> bool:
    """
    Return whether another thread imports a module.

    A child would wait for the lock of that module, as Python does not reset it.
    """
    locks: Mapping[str, Any] = getattr(_bootstrap, "_module_locks", {})
    owners = (getattr(reference(), "owner", None) for reference in [*locks.values()])
    return any(owner not in (None, get_ident()) for owner in owners)


def _after_fork() -> None:
    _WORK[0].changed.release()


def _in_child() -> None:
    _WORK[0] = _Work(threads=bool(_DEPTH.blocks))
    for lock in _LOCKS:
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child
    )
