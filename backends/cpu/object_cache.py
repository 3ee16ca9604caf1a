"""Cache of object code by the text that it was made from, in memory and on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock

from glow.support.files import FileCache, replace_file

# A file is this, the SHA-256 of the object, and the object.
_MAGIC = b"glow-object-1\n"
_DIGEST_BYTES = 32
SUFFIX = ".object"

LIMIT_BYTES = 64 << 20
_MEMORY_LIMIT_BYTES = 64 << 20


class ObjectCache:
    """
    Objects by key, in this process and in a directory; safe for all threads.

    A file that is damaged counts as absent and is written anew.
    """

    def __init__(self, directory: Path | None = None, limit_bytes: int = LIMIT_BYTES):
        self._files: FileCache | None = None
        if directory is not None:
            self._files = FileCache(directory, SUFFIX, limit_bytes)

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the object for `key`; `make` it where it is not known."""
        files = self._files
        data = _MEMORY.get(key)
        if data is None and files is not None:
            data = _read(files, key)
        if data is None:
            data = make()
        if files is not None and not os.path.exists(files.path(key)):
            pieces = (_MAGIC, sha256(data).digest(), data)
            files.put(key, lambda path: replace_file(path, pieces))
        _remember(key, data)
        return data


def _read(files: FileCache, key: str) -> bytes | None:
    """Return the object in a file; a damaged file is removed."""
    try:
        data = _unpacked(files.path(key).read_bytes())
    except OSError:
        return None
    if data is None:
        files.drop(key)
    else:
        files.touch(key)
    return data


def _unpacked(content: bytes) -> bytes | None:
    """Return the object in a file; None if the file is damaged."""
    start = len(_MAGIC) + _DIGEST_BYTES
    data = content[start:]
    intact = content[:start] == _MAGIC + sha256(data).digest()
    return data if intact else None


_MEMORY: dict[str, bytes] = {}
_MEMORY_LOCK = Lock()


def _remember(key: str, data: bytes) -> None:
    """Keep an object in memory; drop the oldest ones when there are too many."""
    if key in _MEMORY:
        return
    with _MEMORY_LOCK:
        _MEMORY[key] = data
        total = sum(map(len, _MEMORY.values()))
        for old in list(_MEMORY):
            if total <= _MEMORY_LIMIT_BYTES:
                return
            total -= len(_MEMORY.pop(old))
