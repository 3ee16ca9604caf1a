"""
The file in which `perf` finds the names of code that is made in memory.

Source: jit-interface.txt in the documentation of Linux's perf.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

VARIABLE = "GLOW_PERF_MAP"
"""The variable of the environment that asks for the file, unless it is empty or 0."""


def is_perf_map_wanted() -> bool:
    """Return whether the environment asks for names of functions."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def perf_map_path() -> Path:
    """Return where perf looks for the names of this process, whatever $TMPDIR is."""
    return Path(f"/tmp/perf-{os.getpid()}.map")


def add_to_perf_map(functions: Iterable[tuple[int, int, str]]) -> None:
    """
    Append the address, size in bytes and name of functions to the file of this process.

    Other users can write to that folder, so a symbolic link there is not followed.
    Errors: OSError.
    """
    lines = [f"{start:x} {size:x} {name}\n" for start, size, name in functions]
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(perf_map_path(), flags, 0o600), "a") as file:
        file.write("".join(lines))
