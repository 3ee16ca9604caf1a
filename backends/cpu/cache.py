"""Compiled objects by what they were made from, in memory and on disk."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock

from glow.support.files import TEMPORARY, replace_file

# A file is this, the SHA-256 of the object, and the object.
_MAGIC = b"glow-object-1\n"
_DIGEST_BYTES = 32
_SUFFIX = ".object"
# A process that writes for longer has ended before it could clean up.
_ABANDONED_SECONDS = 3600

LIMIT_BYTES = 256 << 20
_MEMORY_LIMIT_BYTES = 64 << 20


class ObjectCache:
    """
    Objects by key; safe for many threads and processes.

    Without a directory it lasts as long as the process. On disk a file appears whole
    or not at all; one that is damaged counts as absent and is written anew. When the
    files exceed `limit_bytes`, those used longest ago are removed. A disk that fails
    slows compilation down and breaks nothing.
    """

    def __init__(self, directory: Path | None = None, limit_bytes: int = LIMIT_BYTES):
        self.directory = directory
        self.limit_bytes = limit_bytes
        # Looking at all files costs more than writing one: once per so many bytes.
        self._prune_interval = limit_bytes // 16
        self._unpruned = self._prune_interval

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the object for `key`; `make` it where it is not known."""
        path = self._path(key)
        found = _MEMORY.get(key) or _read(path)
        if found is None:
            found = make()
        if path is not None and not os.path.exists(path):
            self._write(path, found)
        _remember(key, found)
        return found

    def _path(self, key: str) -> Path | None:
        return None if self.directory is None else self.directory / f"{key}{_SUFFIX}"

    def _write(self, path: Path, data: bytes) -> None:
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, (_MAGIC, sha256(data).digest(), data))
            self._unpruned += len(data)
            if self._unpruned >= self._prune_interval:
                self._unpruned = 0
                self._prune()

    def _prune(self) -> None:
        """Remove the files used longest ago until the rest is below the limit."""
        assert self.directory is not None
        for path in self.directory.glob(f".*{TEMPORARY}"):
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                    path.unlink()
        files: list[tuple[float, int, Path]] = []
        for path in self.directory.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.limit_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size


def _read(path: Path | None) -> bytes | None:
    """Return the object in a file; a damaged file is removed."""
    if path is None:
        return None
    with suppress(OSError):
        found = _unpacked(path.read_bytes())
        if found is None:
            path.unlink(missing_ok=True)
        else:
            os.utime(path)
        return found
    return None


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
