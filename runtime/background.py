"""Work that a thread does while calls go on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from threading import Thread, main_thread

from glow.support.forking import lock_free_in_children, undivided

_LOG = logging.getLogger("glow")


class BackgroundWork:
    """
    Tasks by key, which one thread runs in order; the thread ends when none are left.

    A program that ends waits for the running task; those after it are dropped.
    """

    def __init__(self) -> None:
        self._lock = lock_free_in_children()
        self._tasks: dict[Hashable, Callable[[], object]] = {}
        self._errors: dict[Hashable, Exception] = {}
        self._thread: Thread | None = None

    def add(self, key: Hashable, task: Callable[[], object]) -> None:
        """Queue `task`, unless one of this key is queued or running."""
        with self._lock:
            self._tasks.setdefault(key, task)
            if self._thread is None or not self._thread.is_alive():  # as after a fork
                self._thread = Thread(target=self._run, name="glow background")
                self._thread.start()

    def check(self, key: Hashable) -> None:
        """Raise, once, what the last task of this key raised."""
        with self._lock:
            error = self._errors.pop(key, None)
        if error is not None:
            raise error

    def wait(self) -> None:
        """Wait until nothing is left to do."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not (self._tasks and main_thread().is_alive()):
                    self._thread = None
                    return
                key, task = next(iter(self._tasks.items()))
            try:
                with undivided():
                    task()
            except Exception as error:  # which `check` raises
                _LOG.warning("in the background: %s", error)
                with self._lock:
                    self._errors[key] = error
            with self._lock:
                del self._tasks[key]
