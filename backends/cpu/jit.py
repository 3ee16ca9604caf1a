"""
Code in this process: object files linked together, and addresses of their functions.

To try a kernel: `compile_loops(module, target).address("my_kernel")`, then call that
address with ctypes.
"""

from __future__ import annotations

import ctypes.util
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from glow.backends.cpu.binding import llvm
from glow.backends.cpu.library import lower
from glow.backends.cpu.llvm_text import llvm_ir
from glow.backends.cpu.objects import machine_for, object_code
from glow.support.errors import CompilationError, InternalError
from glow.support.targets import Target

_NUMBERS = count()


@cache
def _linker(target: Target) -> Any:
    """Return the linker of this process, which finds the functions of libm too."""
    library = ctypes.util.find_library("m")
    if library is not None:
        llvm.load_library_permanently(library)
    return llvm.create_lljit_compiler(machine_for(target))


class Jit:
    """
    Object files linked into this process; the code lives as long as this value.

    Errors: a CompilationError where `target` is not what this process runs on.
    """

    def __init__(
        self, objects: Sequence[bytes], symbols: Sequence[str], target: Target
    ):
        if not target.runs_here:
            raise CompilationError(
                f"expected a target that runs here, got {target.isa} code for"
                f" {target.triple}; only its assembly and object code can be written"
            )
        builder = llvm.JITLibraryBuilder()
        for data in objects:
            builder.add_object_img(data)
        for symbol in symbols:
            builder.export_symbol(symbol)
        builder.add_current_process()
        name = f"glow.{next(_NUMBERS)}"
        try:
            self._tracker = builder.link(_linker(target), name)
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise InternalError(f"cannot link compiled code: {reason}") from error

    def address(self, symbol: str) -> int:
        """Return the address of a function that is not private."""
        return self._tracker[symbol]


def public_symbols(module: ModuleOp) -> list[str]:
    """Return the names of the functions of `module` that others may call."""
    from xdsl.dialects.func import FuncOp

    return [
        op.sym_name.data
        for op in module.ops
        if isinstance(op, FuncOp)
        and not op.is_declaration
        and (op.sym_visibility is None or op.sym_visibility.data != "private")
    ]


def lower_loops(module: ModuleOp) -> ModuleOp:
    """Return a copy of a loops-level module in the llvm dialect."""
    lowered = module.clone()
    lower(lowered)
    return lowered


def compile_loops(module: ModuleOp, target: Target) -> Jit:
    """
    Compile a module of loops-level IR, which stays as it is.

    Only functions that are not private have addresses.
    """
    text = llvm_ir(lower_loops(module))
    return Jit([object_code(text, target)], public_symbols(module), target)
