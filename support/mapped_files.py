"""
Files mapped into memory, whose bytes are read where they are used.

Replacing such a file does no harm; truncating or overwriting it in place changes what
arrays hold, or ends the process where it reads beyond the new end.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from glow.support.arrays import (
    ALIGNMENT,
    address_of,
    aligned,
    aligned_array,
    blocks_of,
)

SMALL_BYTES = 1 << 20
"""Smaller files are read: mapping them would save nothing."""

_MOVED_BYTES = 1 << 16
"""Smaller arrays are moved to an aligned place."""

# The same file, as far as its directory entry says.
_Identity = tuple[int, int, int, int]
_MAPPINGS: WeakValueDictionary[_Identity, mmap.mmap] = WeakValueDictionary()
_LOCK = Lock()


def contents_of(path: Path) -> memoryview:
    """
    Return the bytes of a file: small ones in memory, large ones mapped, read-only.

    All callers get the same mapping, while any part of it is in use. Errors: OSError.
    """
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if status.st_size < SMALL_BYTES:
            return memoryview(file.read())
        key = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        with _LOCK:
            contents = _MAPPINGS.get(key)
            if contents is None:
                contents = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                _MAPPINGS[key] = contents
    return memoryview(contents)


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether the bytes of `array` are those of a mapped file."""
    return mapping_of(array) is not None


def forget(array: NDArray[Any]) -> None:
    """
    Give back the memory of `array`, gaps included, if it is that of a mapped file.

    Later reads only take longer.
    """
    mapping = mapping_of(array)
    if mapping is None or not array.nbytes:
        return
    start, end = byte_bounds(array)
    origin = address_of(np.frombuffer(mapping, np.uint8))
    release_pages(mapping, start - origin, end - origin)


def release_pages(mapping: mmap.mmap, start: int = 0, end: int | None = None) -> None:
    """Give back the memory of a mapped file, or of its bytes from `start` to `end`."""
    advice = getattr(mmap, "MADV_DONTNEED", None)  # some systems take none
    if advice is not None:
        first = start // mmap.PAGESIZE * mmap.PAGESIZE
        mapping.madvise(advice, first, (len(mapping) if end is None else end) - first)


def usable(array: NDArray[Any]) -> NDArray[Any]:
    """
    Return `array` itself if code can read it where it lies, else an aligned copy.

    Small arrays are moved to a cache line, where loading vectors of them costs least.
    """
    if not array.flags.c_contiguous:
        return aligned(array)
    is_aligned = address_of(array) % ALIGNMENT == 0
    if is_aligned or (array.flags.aligned and array.nbytes >= _MOVED_BYTES):
        return array
    copy = aligned_array(array.shape, array.dtype)
    for target, block in zip(blocks_of(copy), blocks_of(array), strict=True):
        target[...] = block
        forget(block)
    return copy


def mapping_of(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the mapped file that `array` is a view of, or None."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None
