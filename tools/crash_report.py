"""Save the module that broke the compiler, with the command that reproduces it."""

from __future__ import annotations

import hashlib
import shlex
import tempfile
import traceback
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from glow.tools.output import save_weights_beside


def save_crash(module: ModuleOp, arguments: list[str], error: BaseException) -> str:
    """
    Write `module` to `glow-crash-*.mlir`; return the command that repeats `error`.

    `arguments` follow the file on the command line of glow-opt. Constants go to a
    file beside it; where the current folder cannot be written, all of it goes to the
    folder for temporary files.
    """
    stream = StringIO()
    Printer(stream=stream, print_debuginfo=True).print_op(module)
    body = stream.getvalue()
    digest = hashlib.sha256((body + " ".join(arguments)).encode()).hexdigest()
    path = Path(f"glow-crash-{digest[:8]}.mlir")
    details = "".join(traceback.format_exception(error))
    command = shlex.join(["glow-opt", str(path), *arguments])
    text = "".join(f"// {line}\n" for line in [command, *details.splitlines()])
    try:
        path.write_text(f"{text}\n{body}\n")
    except OSError:
        path = Path(tempfile.gettempdir()) / path
        command = shlex.join(["glow-opt", str(path), *arguments])
        path.write_text(f"{text}\n{body}\n")
    save_weights_beside(module, path)
    return command
