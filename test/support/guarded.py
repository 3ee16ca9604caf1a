"""Arrays beside memory whose pages are protected: an access there kills the process."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_NO_ACCESS = 0
_LIBC = ctypes.CDLL(None, use_errno=True)
_KEPT: list[mmap.mmap] = []
"""Mappings live as long as the process: code may keep pointers into them."""


def guarded_bytes(size: int, *, at_end: bool) -> NDArray[np.uint8]:
    """
    Return `size` bytes of ones between two pages without access.

    They end where the second one begins, or (not `at_end`) begin where the first one
    ends. As floats they are NaN.
    """
    page = mmap.PAGESIZE
    inner = max(-(-size // page), 1) * page
    memory = mmap.mmap(-1, inner + 2 * page)
    _KEPT.append(memory)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in (address, address + page + inner):
        if _LIBC.mprotect(ctypes.c_void_p(guard), page, _NO_ACCESS):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = page + inner - size if at_end else page
    found = np.frombuffer(memory, np.uint8, size, start)
    found[...] = 0xFF
    return found


def reused_bytes(number: int, size: int, *, at_end: bool) -> NDArray[np.uint8]:
    """Return guarded bytes that are those of the call before for the same `number`."""
    capacity = max(mmap.PAGESIZE, 1 << (size - 1).bit_length()) if size else 0
    whole = _reused(number, capacity)
    return whole[capacity - size :] if at_end else whole[:size]


@cache
def _reused(number: int, capacity: int) -> NDArray[np.uint8]:
    return guarded_bytes(capacity, at_end=True)


def guarded(array: Array, *, at_end: bool) -> Array:
    """Return a copy of `array` with no accessible byte behind (or before) it."""
    copy = guarded_bytes(array.nbytes, at_end=at_end).view(array.dtype)
    copy = copy.reshape(array.shape)
    copy[...] = array
    return copy
