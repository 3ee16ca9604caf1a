"""Arrays for compiled code: where their bytes lie, and that it is a good place."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector."""

_SAMPLE_BYTES = 256

_FROM_BUFFER: Any = ctypes.c_char.from_buffer
_ADDRESS = ctypes.addressof


def address_of(array: NDArray[Any]) -> int:
    """Return where the first element of contiguous `array` lies."""
    try:
        return _ADDRESS(_FROM_BUFFER(array))  # four times as fast as the other
    except (TypeError, ValueError):  # it is read-only, or has no bytes
        return array.__array_interface__["data"][0]


def sample_of(array: NDArray[Any]) -> bytes:
    """Return some bytes of contiguous `array`; most other arrays have others."""
    flat = array.reshape(-1).view(np.uint8)
    return flat[:: max(1, flat.size // _SAMPLE_BYTES)].tobytes()


def has_same_bytes(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays of one type are the same, bit by bit."""
    flat, other = (array.reshape(-1).view(np.uint8) for array in (a, b))
    return np.array_equal(flat, other)


def aligned_empty(size_bytes: int) -> NDArray[np.uint8]:
    """Return uninitialised bytes that start at a multiple of `ALIGNMENT`."""
    raw = np.empty(size_bytes + ALIGNMENT, np.uint8)
    start = -address_of(raw) % ALIGNMENT
    return raw[start : start + size_bytes]


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` itself if it is contiguous and aligned, else a copy that is."""
    if array.flags.c_contiguous and address_of(array) % ALIGNMENT == 0:
        return array
    copy = aligned_empty(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
