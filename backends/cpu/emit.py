"""Machine code as LLVM IR, assembly or an object file."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from glow.backends.cpu.code_generation import assembly, object_code
from glow.backends.cpu.llvm_ir import llvm_ir
from glow.support.targets import FORMS, Target


def emit(module: ModuleOp, target: Target, form: str) -> str | bytes:
    """
    Return a module of the llvm dialect as text or bytes, for any target.

    Errors: a form other than llvm-ir, asm, object.
    """
    text = llvm_ir(module)
    match form:
        case "llvm-ir":
            return f'target triple = "{target.triple}"\n\n{text}'
        case "asm":
            return assembly(text, target)
        case "object":
            return object_code(text, target)
        case _:
            raise ValueError(f"expected a form out of {', '.join(FORMS)}, got {form!r}")
