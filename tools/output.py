"""Files and logs that tools write: results, what broke the compiler, passes."""

from __future__ import annotations

import hashlib
import shlex
import sys
import tempfile
import traceback
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from glow.loading import weights_beside
from glow.model import debug_text
from glow.support.weights import resources_of, save_weights


class OutputFile(StringIO):
    """Text that reaches its file when it is closed, if no tool has failed before."""

    def __init__(self, path: Path):
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed and self.getvalue():
            self._path.write_text(self.getvalue())
        super().close()


def save_weights_beside(module: ModuleOp, path: Path) -> None:
    """Write the constants of `module`, if it has some, beside `path`."""
    if any(True for _ in resources_of(module)):
        save_weights(module, weights_beside(path))


def save_crash(module: ModuleOp, arguments: list[str], error: BaseException) -> str:
    """
    Write `module` to `glow-crash-*.mlir`; return the command that repeats `error`.

    `arguments` follow the file on the command line of glow-opt. Constants go to a
    file beside it; where the current folder cannot be written, all of it goes to the
    folder for temporary files.
    """
    body = debug_text(module)
    digest = hashlib.sha256((body + " ".join(arguments)).encode()).hexdigest()
    details = "".join(traceback.format_exception(error)).splitlines()

    def save(folder: Path) -> str:
        path = folder / f"glow-crash-{digest[:8]}.mlir"
        command = shlex.join(["glow-opt", str(path), *arguments])
        comment = "".join(f"// {line}\n" for line in [command, *details])
        path.write_text(f"{comment}\n{body}\n")
        save_weights_beside(module, path)
        return command

    try:
        return save(Path())
    except OSError:
        return save(Path(tempfile.gettempdir()))


def log_pass(
    each: ModulePass, module: ModuleOp, seconds: float, times: bool, modules: bool
) -> None:
    """Write the time of a pass, and the IR after it, to stderr, as far as asked."""
    if times:
        count = sum(1 for _ in module.walk())
        line = f"{seconds * 1e3:9.2f} ms  {count:7} ops  {each.name}"
        print(line, file=sys.stderr)
    if modules:
        print(f"// IR after {each.spec()}", file=sys.stderr)
        Printer(stream=sys.stderr).print_op(module)
        print(file=sys.stderr)
