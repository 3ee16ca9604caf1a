"""Things that are made when they are first asked for, and kept while they are used."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from typing import Generic, TypeVar

from glow.support.forking import lock_free_in_children, undivided

Made = TypeVar("Made")


class Specializations(Generic[Made]):
    """
    At most `size` things by key, such as executables; the least recently used one goes.

    Of threads that ask for the same one, one makes it and the others wait.
    """

    def __init__(self, size: int):
        if size < 1:
            raise ValueError(f"expected a cache_size of at least 1, got {size}")
        self.size = size
        self._lock = lock_free_in_children()
        self._ready: OrderedDict[Hashable, Made] = OrderedDict()
        self._last: tuple[Hashable, Made | None] = (None, None)
        """What was used last, which need not be moved to the end."""
        self._pending: dict[Hashable, Future[Made]] = {}

    def find(self, key: Hashable) -> Made | None:
        """Return what is kept for `key`, if it still is."""
        last, net = self._last
        if last == key:  # the short way counts for small models
            return net
        with self._lock:
            return self._used(key)

    def _used(self, key: Hashable) -> Made | None:
        net = self._ready.get(key)
        if net is not None:
            self._ready.move_to_end(key)
            self._last = key, net
        return net

    @undivided()  # a child would wait for a promise of a thread that it lacks
    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what is kept for `key`, or `make` it; errors are not kept."""
        while True:
            with self._lock:
                net = self._used(key)
                if net is not None:
                    return net
                others = self._pending.get(key)
                if others is None:
                    own = self._pending[key] = Future[Made]()
                    break
            try:
                return others.result()
            except CancelledError:
                continue  # the thread that made it was interrupted
        return self._made(key, make, own)

    def _made(
        self,
        key: Hashable,
        make: Callable[[], Made],
        promise: Future[Made],
    ) -> Made:
        """Keep what `make` makes, and pass it to the threads that wait for it."""
        try:
            net = make()
        except BaseException as error:
            with self._lock:
                del self._pending[key]
            if isinstance(error, Exception):
                promise.set_exception(error)
            else:
                promise.cancel()
            raise
        with self._lock:
            del self._pending[key]
            self._ready[key] = net
            self._last = key, net
            if len(self._ready) > self.size:
                self._ready.popitem(last=False)
        promise.set_result(net)
        return net

    def items(self) -> tuple[tuple[Hashable, Made], ...]:
        """Return keys with their executables, the most recently used last."""
        with self._lock:
            return tuple(self._ready.items())
