"""Progress messages, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Thread

_PATIENCE_S = 1.0


@contextmanager
def progress(what: str) -> Generator[None]:
    """Show `what` and the seconds it takes on stderr, if it takes over a second."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    thread = Thread(target=_tick, args=(what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _tick(what: str, done: Event) -> None:
    start = time.monotonic()
    shown = 0
    while not done.wait(_PATIENCE_S):
        line = f"{what} ... {time.monotonic() - start:.0f} s"
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()
        shown = len(line)
    if shown:
        sys.stderr.write("\r" + " " * shown + "\r")
        sys.stderr.flush()
