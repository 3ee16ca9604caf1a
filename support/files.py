"""Files that are written whole or not at all, and bounded folders of them by key."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".tmp"
"""The suffix of files that are being written."""

# A process that writes for longer has ended before it could clean up.
_ABANDONED_SECONDS = 3600


_OTHERS_MAY_WRITE = 0o022


def strangers_in(folder: Path) -> str | None:
    """
    Return who else can write to a folder, and so put code there that this user runs.

    None where nobody can, or there is no such folder.
    """
    if not hasattr(os, "getuid"):
        return None  # folders of a user are private there
    try:
        status = folder.stat()
    except OSError:
        return None
    if status.st_uid != os.getuid():
        return f"one of user {status.st_uid}"
    if status.st_mode & _OTHERS_MAY_WRITE:
        return f"one that others may write to (mode {status.st_mode & 0o777:o})"
    return None


def replace_file(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write `pieces` one after another to `path`, replacing an old file at once."""
    # Unlike a file of tempfile, this one is for everybody whom the umask lets read.
    temporary = path.parent / f".{path.name}.{os.urandom(8).hex()}{TEMPORARY}"
    try:
        with temporary.open("xb") as file:
            for piece in pieces:
                file.write(piece)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


class FileCache:
    """
    Files of one suffix by key; safe for many threads and processes.

    Beyond `limit_bytes`, unfinished ones counted too, those used longest ago are
    removed. A disk that fails keeps nothing and breaks nothing.
    """

    def __init__(self, folder: Path, suffix: str, limit_bytes: int):
        self.folder = folder
        self.suffix = suffix
        self.limit_bytes = limit_bytes
        # Looking at all files costs more than writing one: once per so many bytes.
        self._prune_interval = limit_bytes // 16
        self._unpruned = self._prune_interval

    def path(self, key: str) -> Path:
        """Return where the file for `key` is, if there is one."""
        return self.folder / f"{key}{self.suffix}"

    def touch(self, key: str) -> None:
        """Note that the file for `key` was used."""
        with suppress(OSError):
            os.utime(self.path(key))

    def drop(self, key: str) -> None:
        """Remove the file for `key`."""
        with suppress(OSError):
            self.path(key).unlink()

    def put(self, key: str, write: Callable[[Path], None]) -> None:
        """Have `write` make the file for `key`, whole or not at all."""
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.path(key)
            write(path)
            size = path.stat().st_size
            if size > self.limit_bytes:  # all others would have to go for it
                path.unlink()
                return
            self._unpruned += size
            if self._unpruned >= self._prune_interval:
                self._unpruned = 0
                self._prune()

    def _prune(self) -> None:
        """Remove the files used longest ago until the rest is below the limit."""
        for path in self.folder.glob(f".*{TEMPORARY}"):
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _ABANDONED_SECONDS:
                    path.unlink()
        files: list[tuple[float, int, Path]] = []
        for pattern in (f"*{self.suffix}", f".*{self.suffix}.*{TEMPORARY}"):
            for path in self.folder.glob(pattern):
                with suppress(OSError):
                    status = path.stat()
                    files.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.limit_bytes:
                return
            with suppress(OSError):
                path.unlink()
            total -= size
