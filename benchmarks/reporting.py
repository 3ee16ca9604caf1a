"""Helpers of benchmarks: tables that grow while they are printed, child processes."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from glow.tools.target_numbers import core_name


class Page:
    """Text that is printed as it comes, and can be written to a file in the end."""

    def __init__(self, text: str):
        self.text = ""
        self.add(text)

    def add(self, text: str) -> None:
        print(text, end="", flush=True)
        self.text += text

    def add_row(self, *cells: object) -> None:
        self.add(table_row(cells))

    def write(self, path: Path | None) -> None:
        if path is not None:
            path.write_text(self.text)


def chosen_models(
    parser: ArgumentParser,
    args: Namespace,
    known: Iterable[str],
    usual: Iterable[str] | None = None,
) -> list[str]:
    """
    Return `args.names`, by default the usual models (else all) and exported ones.

    Ends the program with an error if a name is neither known nor exported.
    """
    folder = args.exported
    exported = sorted(path.stem for path in folder.glob("*.onnx")) if folder else []
    usual = known if usual is None else usual
    return chosen(parser, args, [*known, *exported], [*usual, *exported])


def chosen(
    parser: ArgumentParser,
    args: Namespace,
    known: Iterable[str],
    usual: Sequence[str] | None = None,
) -> list[str]:
    """
    Return `args.names`, by default the usual names, or else all.

    Ends the program with an error if a name is not known.
    """
    known = [*known]
    if strange := [name for name in args.names if name not in known]:
        parser.error(
            f"expected names out of {', '.join(known)}, got {', '.join(strange)}"
        )
    return args.names or [*(known if usual is None else usual)]


def table_row(cells: Iterable[object]) -> str:
    """Return a line of a table in Markdown."""
    return f"| {' | '.join(map(str, cells))} |\n"


def table_head(titles: Sequence[str]) -> str:
    """Return the first two lines of a table in Markdown."""
    return f"{table_row(titles)}|{'---|' * len(titles)}\n"


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def processor() -> str:
    """Return the name of the processor, where the system tells it, and of its cores."""
    core = core_name()
    kind = "" if core is None else f" ({core})"
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() + kind
    names = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return (names[0].strip() if names else platform.processor()) + kind


def peak_bytes() -> int:
    """Return the most memory of this process; rusage may tell that of its parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (peak,) = (line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(peak) * 1024


def run_python(*arguments: object) -> str:
    """Return what a fresh interpreter prints that gets these arguments."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=_environment()
    )
    return done.stdout


def json_of_python(*arguments: object) -> Any:
    """Return what a fresh interpreter prints as JSON."""
    return json.loads(run_python(*arguments))


def kept_json(path: Path | None, name: str, *arguments: object) -> Any:
    """Return `json_of_python(*arguments)`, kept in a file by name if one is given."""
    kept: dict[str, Any] = (
        json.loads(path.read_text()) if path and path.exists() else {}
    )
    if name not in kept:
        kept[name] = json_of_python(*arguments)
        if path is not None:
            path.write_text(json.dumps(kept, indent=1))
    return kept[name]


@cache
def _environment() -> dict[str, str]:
    """
    Return an environment in which sources are compiled by the first process alone.

    Where Python is told to write no bytecode, each process would do it anew, for two
    seconds; there it goes to a folder that is gone with this process. Kernels that the
    user's programs left are not found.
    """
    found = {**os.environ, "GLOW_CACHE_DIR": ""}
    if found.pop("PYTHONDONTWRITEBYTECODE", ""):
        found["PYTHONPYCACHEPREFIX"] = _folder().name
    return found


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="bytecode")
