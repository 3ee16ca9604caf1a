"""Files that show a fault of the compiler again: IR, constants and a command."""

from __future__ import annotations

import hashlib
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from glow.loading import weights_beside
from glow.model import debug_text
from glow.support.arrays import Array
from glow.support.weights import resources_of, save_weights


def save_weights_beside(module: ModuleOp, path: Path) -> None:
    """Write the constants of `module`, if it has some, beside `path`."""
    if any(True for _ in resources_of(module)):
        save_weights(module, weights_beside(path))


def save_reproducer(
    module: ModuleOp,
    tool: str,
    arguments: Sequence[str],
    comment: str,
    inputs: Mapping[str, Array] | None = None,
) -> str:
    """
    Write `module` to a file; return the command line of `tool` that takes it.

    The file is named by its content. `arguments` follow it on the command line, and
    then one for each of `inputs`, which lie beside it as its constants do. Where the
    current folder cannot be written, all of it goes to the folder for temporary files.
    """
    body = debug_text(module)
    digest = hashlib.sha256((body + " ".join(arguments)).encode()).hexdigest()
    kind = "crash" if tool == "glow-opt" else tool.removeprefix("glow-")

    def save(folder: Path) -> str:
        path = folder / f"glow-{kind}-{digest[:8]}.mlir"
        command = [tool, str(path), *arguments]
        for number, (name, array) in enumerate((inputs or {}).items()):
            file = path.with_suffix(f".{number}.npy")
            np.save(file, array)
            command += ["--input", f"{name}={file}"]
        lines = [shlex.join(command), *comment.splitlines()]
        text = "".join(f"// {line}\n" for line in lines)
        path.write_text(f"{text}\n{body}\n")
        save_weights_beside(module, path)
        return lines[0]

    try:
        return save(Path())
    except OSError:
        return save(Path(tempfile.gettempdir()))
