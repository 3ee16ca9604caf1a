"""Files and logs that tools write: results, what broke the compiler, passes."""

from __future__ import annotations

import argparse
import sys
import traceback
from difflib import unified_diff
from io import StringIO
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.reproducers import save_reproducer
from glow.support.printing import layer_text


class OutputFile(StringIO):
    """Text that reaches its file on close, unless the tool has failed before."""

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


class PassLog:
    """What options request to see of passes, on stderr, while they run."""

    def __init__(self, args: argparse.Namespace, module: ModuleOp):
        self._times, self._all = args.time_passes, args.print_ir_after_all
        self._after, self._diff = frozenset(args.print_ir_after), args.print_ir_diff
        self._text = layer_text(module) if self._diff else ""
        self._seconds: dict[str, float] = {}

    @property
    def is_shown(self) -> bool:
        """Whether anything is written."""
        return bool(self._times or self._all or self._after or self._diff)

    def note(self, each: ModulePass, module: ModuleOp, seconds: float) -> None:
        """Write what is requested of a pass that has run."""
        self._seconds[each.name] = self._seconds.get(each.name, 0) + seconds
        if self._times:
            count = sum(1 for _ in module.walk())
            line = f"{seconds * 1e3:9.2f} ms  {count:7} ops  {each.name}"
            print(line, file=sys.stderr)
        if self._all or each.name in self._after:
            print(f"// IR after {each.spec()}", file=sys.stderr)
            print(layer_text(module), file=sys.stderr)
        if self._diff:
            before, self._text = self._text, layer_text(module)
            texts = before.splitlines(), self._text.splitlines()
            lines = list(unified_diff(*texts, n=1, lineterm=""))[2:]
            if lines:
                print(f"// changed by {each.spec()}", *lines, sep="\n", file=sys.stderr)

    def end(self) -> None:
        """Write the time of all passes, and the shares of those that took most."""
        if not self._times:
            return
        total = sum(self._seconds.values())
        parts = sorted(self._seconds.items(), key=lambda part: -part[1])
        shares = (f"{seconds / total:.0%} {name}" for name, seconds in parts[:3])
        log_time("all passes", total, ", ".join(shares))


def log_time(what: str, seconds: float, note: str = "") -> None:
    """Write a time other than that of a pass to stderr, below those of passes."""
    text = f"{what}: {note}" if note else what
    print(f"{seconds * 1e3:9.2f} ms  {'':7}      {text}", file=sys.stderr)
