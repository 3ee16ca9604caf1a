"""Files and logs that tools write: results, what broke the compiler, passes."""

from __future__ import annotations

import sys
import traceback
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.reproducers import save_reproducer
from glow.support.printing import layer_text


class OutputFile(StringIO):
    """Text that reaches its file when it is closed, if no tool has failed before."""

    def __init__(self, path: Path):
        super().__init__()
        self._path = path

    def close(self) -> None:
        if not self.closed and self.getvalue():
            self._path.write_text(self.getvalue())
        super().close()


def save_crash(module: ModuleOp, arguments: list[str], error: BaseException) -> str:
    """Write `module` to a file; return the command of glow-opt that repeats `error`."""
    details = "".join(traceback.format_exception(error))
    return save_reproducer(module, "glow-opt", arguments, details)


def log_pass(
    each: ModulePass, module: ModuleOp, seconds: float, times: bool, modules: bool
) -> None:
    """Write the time of a pass and the IR after it to stderr, as options request."""
    if times:
        count = sum(1 for _ in module.walk())
        line = f"{seconds * 1e3:9.2f} ms  {count:7} ops  {each.name}"
        print(line, file=sys.stderr)
    if modules:
        print(f"// IR after {each.spec()}", file=sys.stderr)
        print(layer_text(module), file=sys.stderr)


def log_total(seconds: float) -> None:
    """Write the time of all passes to stderr, in the form of `log_pass`."""
    print(f"{seconds * 1e3:9.2f} ms  {'':7}      all passes", file=sys.stderr)
