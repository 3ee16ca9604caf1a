"""Arrays and shapes; aligned arrays for compiled code, and views of their bytes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.support.errors import OutOfMemoryError, memory_for

Array = NDArray[Any]
Shape = tuple[int, ...]
Extents = tuple[int | str, ...]
"""A shape with names of dimensions whose extents are not known."""

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector."""

_SAMPLES, _SAMPLE_BYTES = 16, 16
_BLOCK_BYTES = 1 << 20

_FROM_BUFFER: Any = ctypes.c_char.from_buffer
_ADDRESS = ctypes.addressof


def address_of(array: Array) -> int:
    """Return where the first element of contiguous `array` lies."""
    try:
        return _ADDRESS(_FROM_BUFFER(array))  # four times as fast as the other
    except (TypeError, ValueError):  # it is read-only, or has no bytes
        return array.__array_interface__["data"][0]


def sample_of(array: Array) -> bytes:
    """Return a sample of the bytes of contiguous `array`, to tell arrays apart."""
    flat = array.reshape(-1).view(np.uint8)
    # A file that is mapped is read around each place, so these are few.
    step = flat.size // _SAMPLES
    if step <= _SAMPLE_BYTES:
        return flat.tobytes()
    return flat[: step * _SAMPLES].reshape(_SAMPLES, step)[:, :_SAMPLE_BYTES].tobytes()


def has_same_bytes(a: Array, b: Array) -> bool:
    """Return whether two contiguous arrays of one type are the same, bit by bit."""
    if a.nbytes != b.nbytes or address_of(a) == address_of(b):
        return a.nbytes == b.nbytes
    pairs = zip(blocks_of(a), blocks_of(b), strict=True)
    return all(np.array_equal(block, other) for block, other in pairs)


def repeated_element(array: Array) -> Array | None:
    """
    Return the element that `array` repeats, as an array without axes, or None.

    Bits are compared: NaNs may differ, and -0.0 is not 0.0.
    """
    if not array.size:
        return None
    distinct = np.ascontiguousarray(without_repeats(array)).reshape(-1)
    words = distinct.view(f"u{array.itemsize}")
    if words[0] != words[-1]:
        return None
    for start in range(0, words.size, _BLOCK_BYTES):
        if (words[start : start + _BLOCK_BYTES] != words[0]).any():
            return None
    return distinct[:1].reshape(()).copy()


def filled(element: Array, shape: Sequence[int]) -> Array:
    """
    Return an aligned array of `shape` that repeats `element`.

    Zeros come from the system as they are: pages that are never written take no memory.
    """
    if not any(element.tobytes()):
        return aligned_array(shape, element.dtype, np.zeros)
    array = aligned_array(shape, element.dtype)
    array[...] = element
    return array


def shares_bytes(array: Array) -> bool:
    """Return whether elements of `array` overlap each other in memory."""
    if array.flags.c_contiguous or not array.size:
        return False
    reach = array.itemsize
    axes = zip(map(abs, array.strides), array.shape, strict=True)
    for stride, extent in sorted(axis for axis in axes if axis[1] > 1):
        if stride < reach:
            break
        reach += stride * (extent - 1)
    else:
        return False
    offsets = np.zeros(1, np.int64)
    for stride, extent in zip(array.strides, array.shape, strict=True):
        steps = np.arange(extent, dtype=np.int64) * stride
        offsets = (offsets[:, None] + steps).reshape(-1)
    return bool(np.any(np.diff(np.sort(offsets)) < array.itemsize))


def blocks_of(array: Array) -> Iterator[NDArray[np.uint8]]:
    """Yield the bytes of contiguous `array`, as many at a time as a cache holds."""
    flat = array.reshape(-1).view(np.uint8)
    for start in range(0, flat.size, _BLOCK_BYTES):
        yield flat[start : start + _BLOCK_BYTES]


@cache
def physical_bytes() -> int:
    """Return the bytes of memory of this machine; a huge number if they are unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def check_room(size_bytes: int, what: str, share: int = 1) -> None:
    """Raise OutOfMemoryError if `what` takes more than a `share`th of all memory."""
    room = physical_bytes() // share
    if size_bytes > room:
        raise OutOfMemoryError(f"{what} takes {size_bytes} bytes, more than {room}")


def without_repeats(array: Array) -> Array:
    """Return a view of `array` without the elements that strides of 0 repeat."""
    return array[tuple(slice(None if step else 1) for step in array.strides)]


def aligned_array(
    shape: Sequence[int],
    dtype: np.dtype[Any],
    make: Callable[..., Any] = np.empty,
    what: str = "",
) -> Array:
    """
    Return an array from `np.empty`, or `np.zeros`, at a multiple of `ALIGNMENT`.

    Errors: OutOfMemoryError, which says `what` the array is.
    """
    size_bytes = prod(shape) * dtype.itemsize
    if make is np.empty:  # zeros take no memory until they are written
        check_room(size_bytes, what or f"an array of shape {list(shape)}")
    with memory_for(f"{size_bytes} bytes"):
        raw = make(size_bytes + ALIGNMENT, np.uint8)
    start = -address_of(raw) % ALIGNMENT
    return raw[start : start + size_bytes].view(dtype).reshape(shape)


def aligned_empty(size_bytes: int, what: str = "") -> NDArray[np.uint8]:
    """Return uninitialized bytes that start at a multiple of `ALIGNMENT`."""
    return aligned_array((size_bytes,), np.dtype(np.uint8), what=what)


def aligned(array: Array) -> Array:
    """Return `array` itself if it is contiguous and aligned, else a copy that is."""
    if array.flags.c_contiguous and address_of(array) % ALIGNMENT == 0:
        return array
    copy = aligned_array(array.shape, array.dtype)
    copy[...] = array
    return copy
