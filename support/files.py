"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".tmp"
"""The suffix of files that are being written."""


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
