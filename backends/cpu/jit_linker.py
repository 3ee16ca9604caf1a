"""LLVM's own linker, for object files of any form."""

from __future__ import annotations

import ctypes.util
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

from glow.backends.cpu.code_generation import machine_for
from glow.backends.cpu.llvmlite_binding import llvm
from glow.backends.cpu.targets import cpu_target
from glow.support.errors import InternalError

_NUMBERS = count()


@cache
def _linker() -> Any:
    """Return the linker of this process, which finds the functions of libm too."""
    library = ctypes.util.find_library("m")
    if library is not None:
        llvm.load_library_permanently(library)
    return llvm.create_lljit_compiler(machine_for(cpu_target()))


class JitCode:
    """Functions in this process; they live as long as this value."""

    def __init__(self, objects: Sequence[bytes], symbols: Sequence[str]):
        builder = llvm.JITLibraryBuilder()
        for data in objects:
            builder.add_object_img(data)
        for symbol in symbols:
            builder.export_symbol(symbol)
        builder.add_current_process()
        name = f"glow.{next(_NUMBERS)}"
        try:
            self._tracker = builder.link(_linker(), name)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise InternalError(f"cannot link compiled code: {reason}") from error

    def address(self, symbol: str) -> int:
        """Return the address of a function that is not private."""
        return self._tracker[symbol]
