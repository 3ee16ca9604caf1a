"""Files that are written whole or not at all, and bounded folders of them by key."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path

from glow.support.errors import MissingFileError, missing_files

TEMPORARY = ".tmp"
"""The suffix of files that are being written."""

CACHE_VARIABLE = "GLOW_CACHE_DIR"
"""The environment variable that names the folder of caches; empty, there is none."""

CACHE_BYTES = 4 << 30
"""How many bytes of executables a folder may hold by default."""

# A process that writes for longer has ended before it could clean up.
_ABANDONED_SECONDS = 3600


_OTHERS_MAY_WRITE = 0o022

MODEL, TEXT, EXECUTABLE = ".onnx", ".mlir", ".glow"
"""The suffixes of files with an ONNX model, with IR as text, and with code."""

EXECUTABLE_MAGIC = b"glow-executable\n"
"""How files with code begin."""

# Of text, after comments: an op, a module without a prefix, an alias, or metadata.
_TEXT = re.compile(rb"(\s|//.*)*(\"?\w+\.\w|module\b|[#!][\w.]+\s*=|\{-#)")
# Of a model, its first field: the version of its format.
_MODEL = re.compile(rb"\x08[\x01-\x1f][\x12-\x42]")


def kind_of_file(path: Path) -> str:
    """
    Return the suffix for the kind of a file: its own if known, else by how it begins.

    A file of no known kind keeps its own. Errors: OSError if it must be read.
    """
    if path.suffix in (MODEL, TEXT, EXECUTABLE):
        return path.suffix
    with path.open("rb") as file:
        start = file.read(4096)
    if start.startswith(EXECUTABLE_MAGIC):
        return EXECUTABLE
    if _MODEL.match(start):
        return MODEL
    return TEXT if _TEXT.match(start) else path.suffix


def check_parent(path: Path) -> None:
    """Raise MissingFileError unless there is a folder for a file `path`."""
    if not path.parent.is_dir():
        raise MissingFileError(ENOENT, os.strerror(ENOENT), str(path))


def strangers_in(folder: Path) -> str | None:
    """
    Return who else can write to a folder, and so put code there that this user runs.

    None if nobody else can, or if there is no such folder.
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


def check_private(folder: Path, name: str) -> None:
    """Raise a ValueError where others can write to a folder that `name` gives."""
    strangers = strangers_in(folder)
    if strangers is not None:
        raise ValueError(
            f"expected a {name} that only you can write to, as code in it is run, "
            f"got {strangers}: {folder}"
        )


def user_cache_dir() -> Path | None:
    """
    Return the folder for this user's machine code, made if need be.

    `GLOW_CACHE_DIR` names it; if that is empty, there is none. By default it is `glow`
    in the user's cache. None, too, if the folder cannot be made, with a warning if it
    is named.
    Source: XDG Base Directory Specification 0.8, where relative paths do not count.
    Errors: ValueError for a named folder that others can write to; a default one that
    they can write to is not used, with a warning.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named == "":
        return None
    try:
        folder = _default_cache_dir() if named is None else Path(named)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # the latter: there is no home folder
        if named is not None:
            warnings.warn(f"nothing is kept in {CACHE_VARIABLE}: {error}", stacklevel=2)
        return None
    if named is not None:
        check_private(folder, CACHE_VARIABLE)
    elif strangers := strangers_in(folder):
        warnings.warn(f"nothing is kept in {folder}, {strangers}", stacklevel=2)
        return None
    return folder


def _default_cache_dir() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "glow"


@missing_files()
def replace_file(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write `pieces` one after another to `path`, replacing an old file at once."""
    # Unlike a file of tempfile, this one has the permissions that the umask allows.
    temporary = path.parent / f".{path.name}.{os.urandom(8).hex()}{TEMPORARY}"
    try:
        with temporary.open("xb") as file:
            for piece in pieces:
                file.write(piece)
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename == str(temporary):
            # The caller knows only the other name.
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


@dataclass(frozen=True, order=True)
class CachedFile:
    """A file of a cache. Units: bytes; seconds since the epoch."""

    used: float
    size_bytes: int
    path: str

    @property
    def is_abandoned(self) -> bool:
        """Whether the process that wrote the file has surely ended."""
        age = time.time() - self.used
        return self.path.endswith(TEMPORARY) and age > _ABANDONED_SECONDS


class FileCache:
    """
    Files of one suffix by key; safe for many threads and processes, for this user only.

    Beyond `limit_bytes`, unfinished ones counted too, those used longest ago are
    removed. A process looks for them when it first writes, and whenever it has written
    a sixteenth of that. Errors of the disk are ignored: then nothing is kept.
    """

    def __init__(self, folder: Path, suffix: str, limit_bytes: int):
        self.folder = folder
        self.suffix = suffix
        self.limit_bytes = limit_bytes

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
            path.chmod(0o600)
            size = path.stat().st_size
            if size > self.limit_bytes:  # all others would have to go for it
                path.unlink()
                return
            if self._should_prune(size):
                self._prune()

    def _should_prune(self, size: int) -> bool:
        """
        Return whether this process has written enough here since it last looked.

        Listing all files takes longer than writing one: 15 ms for 64 MiB of kernels.
        """
        kind, interval = (self.folder, self.suffix), self.limit_bytes // 16
        written = _WRITTEN.get(kind, interval) + size
        is_enough = written >= interval
        _WRITTEN[kind] = 0 if is_enough else written
        return is_enough

    def files(self) -> list[CachedFile]:
        """Return the files, those used longest ago first, unfinished ones included."""
        return sorted(filter(self._is_own, self._all()))

    def clear(self) -> int:
        """
        Remove all files but those that are being written; return how many there were.

        Processes that have a file open or mapped can go on using it.
        """
        files = [file for file in self.files() if not file.path.endswith(TEMPORARY)]
        abandoned = [file for file in self._all() if file.is_abandoned]
        return sum(map(_remove, [*files, *abandoned]))

    def _prune(self) -> None:
        """Remove the files used longest ago until the rest is below the limit."""
        kept: list[CachedFile] = []
        for file in self._all():
            if file.is_abandoned:
                _remove(file)
            elif self._is_own(file):
                kept.append(file)
        excess = sum(file.size_bytes for file in kept) - self.limit_bytes
        for file in sorted(kept) if excess > 0 else ():
            _remove(file)
            excess -= file.size_bytes
            if excess <= 0:
                return

    def _is_own(self, file: CachedFile) -> bool:
        """Return whether a file, finished or not, has the suffix of this cache."""
        return f"{self.suffix}." in f"{file.path}."

    def _all(self) -> list[CachedFile]:
        """Return all files of the folder."""
        files: list[CachedFile] = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    status = entry.stat()
                    files.append(
                        CachedFile(status.st_mtime, status.st_size, entry.path)
                    )
        return files


_WRITTEN: dict[tuple[Path, str], int] = {}
"""Bytes that this process wrote to a folder since it last looked for old files."""


def _remove(file: CachedFile) -> bool:
    """Remove a file; return whether it was there."""
    with suppress(OSError):
        os.unlink(file.path)
        return True
    return False
