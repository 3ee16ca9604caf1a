"""Control of Python's cyclic garbage collector while IR is built."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock


class _Pauses:
    """The number of callers that pause the collector, and whether it ran before."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.was_enabled = False


_PAUSES = _Pauses()


@contextmanager
def no_collection() -> Generator[None]:
    """
    Pause the cyclic garbage collector, from any number of threads at once.

    IR is one large cycle that grows: the collector would walk it again and again, for a
    sixth of the time of a compilation, and find little to free.
    """
    with _PAUSES.lock:
        if _PAUSES.count == 0:
            _PAUSES.was_enabled = gc.isenabled()
            gc.disable()
        _PAUSES.count += 1
    try:
        yield
    finally:
        with _PAUSES.lock:
            _PAUSES.count -= 1
            if _PAUSES.count == 0 and _PAUSES.was_enabled:
                gc.enable()
