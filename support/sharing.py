"""Work on large arrays that threads share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from glow.support.thread_count import allowed_threads

T = TypeVar("T")

_LEAST_BYTES = 32 << 20
"""Less is packed as soon by one thread as by two."""


def for_each(work: Callable[[T], object], items: Iterable[T], size_bytes: int) -> None:
    """
    Call `work` for each of `items`, which have `size_bytes` in all, in any order.

    For many bytes, all threads that the process may use take part: NumPy lets others
    run Python while it copies and computes. Each thread holds the memory of one item.
    Errors: those of `work`.
    """
    threads = allowed_threads() if size_bytes >= _LEAST_BYTES else 1
    if threads == 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, items):
            pass
