"""The log of passes that `glow-opt` writes to stderr."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer


@dataclass(frozen=True)
class PassLog:
    """Prints the time of each pass and the IR behind it, as far as asked for."""

    times: bool = False
    modules: bool = False

    def __call__(self, each: ModulePass, module: ModuleOp, seconds: float) -> None:
        if self.times:
            count = sum(1 for _ in module.walk())
            line = f"{seconds * 1e3:9.2f} ms  {count:7} ops  {each.name}"
            print(line, file=sys.stderr)
        if self.modules:
            print(f"// IR after {each.spec()}", file=sys.stderr)
            Printer(stream=sys.stderr).print_op(module)
            print(file=sys.stderr)
