"""Constants of all executables of this process: equal ones are in memory once."""

from __future__ import annotations

from threading import Lock
from weakref import ref

import numpy as np

from glow.support.arrays import Array, has_same_bytes, sample_of
from glow.support.mapped_files import forget, is_mapped, usable

_Key = tuple[str, tuple[int, ...], bytes]


class ConstantPool:
    """Arrays by type, shape and bytes, for as long as they are referenced."""

    def __init__(self) -> None:
        self._arrays: dict[_Key, list[ref[Array]]] = {}
        self._lock = Lock()

    def share(self, array: Array) -> Array:
        """Return the read-only array, fit for code, that stands for all equal ones."""
        if not array.nbytes:
            return array
        held = usable(array)
        key = (held.dtype.str, held.shape, sample_of(held))
        with self._lock:
            alike = [each for each in self._arrays.get(key, ()) if each() is not None]
            for each in alike:
                known = each()
                if known is not None and has_same_bytes(known, held):
                    return known
            forget(held)  # of a mapped file, runs may need some rows only
            held = _read_only(held)
            self._arrays[key] = [*alike, ref(held, lambda _: self._forget(key))]
        return held

    def _forget(self, key: _Key) -> None:
        # It runs wherever the last holder lets go, also inside of `share`: no lock.
        alike = [each for each in self._arrays.get(key, ()) if each() is not None]
        if not alike:
            self._arrays.pop(key, None)

    @property
    def nbytes(self) -> int:
        """The bytes of all constants that are referenced."""
        held = [each() for alike in list(self._arrays.values()) for each in alike]
        return sum(array.nbytes for array in held if array is not None)


def _read_only(array: Array) -> Array:
    """Return a new view of an array that cannot be made writeable."""
    if is_mapped(array):
        return array.view()
    content = array.reshape(-1).view(np.uint8).data.toreadonly()
    return np.frombuffer(content, np.uint8).view(array.dtype).reshape(array.shape)


CONSTANTS = ConstantPool()
"""The pool of this process."""
