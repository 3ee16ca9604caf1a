"""A cache of executables: each is made once, the least recently used go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from threading import Lock

from glow.runtime.interface import Executable


class Specializations:
    """
    At most `size` executables by key; the least recently used one goes.

    Any number of threads may ask: one makes an executable, those that want the same
    wait for it, all others go on. Who runs one that goes keeps it until it is done.
    """

    def __init__(self, size: int):
        if size < 1:
            raise ValueError(f"expected a cache_size of at least 1, got {size}")
        self.size = size
        self._lock = Lock()
        self._ready: OrderedDict[Hashable, Executable] = OrderedDict()
        self._pending: dict[Hashable, Future[Executable]] = {}

    def find(self, key: Hashable) -> Executable | None:
        """Return the executable for `key`, if it is still kept."""
        with self._lock:
            net = self._ready.get(key)
            if net is not None:
                self._ready.move_to_end(key)
        return net

    def get(self, key: Hashable, make: Callable[[], Executable]) -> Executable:
        """Return the executable for `key`, or `make` it; errors are not kept."""
        while True:
            with self._lock:
                net = self._ready.get(key)
                if net is not None:
                    self._ready.move_to_end(key)
                    return net
                others = self._pending.get(key)
                if others is None:
                    own = self._pending[key] = Future[Executable]()
                    break
            try:
                return others.result()
            except CancelledError:
                continue  # the thread that made it was interrupted
        return self._made(key, make, own)

    def _made(
        self,
        key: Hashable,
        make: Callable[[], Executable],
        promise: Future[Executable],
    ) -> Executable:
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
            if len(self._ready) > self.size:
                self._ready.popitem(last=False)
        promise.set_result(net)
        return net

    def items(self) -> tuple[tuple[Hashable, Executable], ...]:
        """Return keys with their executables, the most recently used last."""
        with self._lock:
            return tuple(self._ready.items())
