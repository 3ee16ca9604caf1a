"""Control of Python's cyclic garbage collector while IR is built."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock


class _Pauses:
    """The number of callers that pause the collector, and whether it ran before."""

    lock = Lock()
    count = 0
    was_enabled = False


@contextmanager
def no_collection() -> Generator[None]:
    """
    Pause the cyclic garbage collector, from any number of threads at once.

    IR is one large cycle that grows: the collector would walk it again and again, for a
    sixth of the time of a compilation, and find little to free.
    """
    with _Pauses.lock:
        if _Pauses.count == 0:
            _Pauses.was_enabled = gc.isenabled()
            gc.disable()
        _Pauses.count += 1
    try:
        yield
    finally:
        with _Pauses.lock:
            _Pauses.count -= 1
            if _Pauses.count == 0 and _Pauses.was_enabled:
                gc.enable()
