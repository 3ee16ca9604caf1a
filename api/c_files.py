"""Compiled models as files for programs of C, which need nothing of Python to run."""

from __future__ import annotations

from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from glow.support.errors import CompilationError
from glow.support.files import check_parent, replace_file
from glow.support.targets import resolve, target_of

SUFFIX = ".h"
"""The suffix of the header, which names the other files too."""


def check_header(path: Path) -> None:
    """
    Raise ValueError unless `path` is a header whose name can be part of names in C.

    Errors: OSError where there is no such folder.
    """
    name = path.stem
    if path.suffix != SUFFIX or not (name.isascii() and name.isidentifier()):
        raise ValueError(
            "expected a header whose name is one of C, such as net.h, to write to, "
            f"got {path}"
        )
    check_parent(path)


def write_c_files(module: ModuleOp, machine: str, path: Path) -> None:
    """
    Write a module at the level of target `machine`: the header `path`, others beside.

    Errors: CompilationError for a target or module that has no such files;
    ValueError for the name; OSError.
    """
    check_header(path)
    backend = resolve(machine)
    if backend.c_files is None:
        raise CompilationError(f"target {backend.name} writes no code for C")
    files = backend.c_files(module, target_of(machine), path.stem)
    for suffix, pieces in files.items():
        replace_file(path.with_suffix(suffix), pieces)
