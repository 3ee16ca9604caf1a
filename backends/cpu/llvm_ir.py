"""
LLVM IR of modules of the llvm dialect, as text: one line per op, names by counting.

The text depends on the module alone, so it is a key for compiled code. xDSL's own
converter drops flags, linkage and alignment, and goes through a slower library.
"""

import re
from collections.abc import Container

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from glow.backends.cpu.code_generation import assembly, object_code
from glow.backends.cpu.llvm_ops import WRITERS
from glow.backends.cpu.llvm_text import LlvmWriter
from glow.support.errors import CompilationError
from glow.support.locations import layer_of
from glow.support.targets import FORMS, Target


def _write(writer: LlvmWriter, op: Operation, linkage: str | None = None) -> None:
    if isinstance(op, llvm.GlobalOp):
        writer.table(op)
    elif isinstance(op, llvm.FuncOp):
        writer.function(op, linkage or op.linkage.linkage.data)
    else:
        writer.operation(op)


def text_of(writer: LlvmWriter, defined: Container[str]) -> str:
    """Return the text, after declarations of called functions not in `defined`."""
    called = writer.callees.items()
    declarations = (text for name, text in called if name not in defined)
    tail = ["!0 = !{i32 1}"] if writer.uses_nontemporal else []
    head = sorted([*writer.declared.values(), *declarations])
    return "\n".join([*head, *writer.lines, *tail, ""])


def llvm_ir(module: ModuleOp) -> str:
    """
    Return the LLVM IR of a module of the llvm dialect, to read and to link.

    A comment says for which nodes of the model a function is called.
    """
    writer = _CommentedWriter(WRITERS)
    for op in module.ops:
        _write(writer, op)
    return text_of(writer, writer.callees)  # the module declares these


class _CommentedWriter(LlvmWriter):
    """A writer that puts the names of nodes behind calls of functions."""

    def operation(self, op: Operation) -> None:
        super().operation(op)
        if isinstance(op, llvm.CallOp) and (layer := layer_of(op)):
            self.lines[-1] += f"  ; {layer}"


def internal_ir(module: ModuleOp) -> str:
    """Return the LLVM IR of a module of the llvm dialect, all of it private."""
    writer = LlvmWriter(WRITERS)
    for op in module.ops:
        is_declared = isinstance(op, llvm.FuncOp) and op.body.blocks.first is None
        _write(writer, op, None if is_declared else "internal")
    return text_of(writer, writer.callees)


def units(module: ModuleOp) -> dict[str, str]:
    """
    Return the LLVM IR of each function by name, as a module of its own.

    All are external. Constant tables are copied to the functions that use them.
    """
    tables = {
        op.sym_name.data: op for op in module.ops if isinstance(op, llvm.GlobalOp)
    }
    texts: dict[str, str] = {}
    for op in module.ops:
        if not isinstance(op, llvm.FuncOp) or op.body.blocks.first is None:
            continue
        writer = LlvmWriter(WRITERS)
        _write(writer, op, "external")
        name = op.sym_name.data
        for table in writer.globals:
            if tables[table].constant is None:
                raise CompilationError(f"expected a constant table, got @{table}")
            _write(writer, tables[table])
        texts[name] = text_of(writer, {name})
    return texts


def emit(module: ModuleOp, target: Target, form: str) -> str | bytes:
    """
    Return a module of the llvm dialect as text or bytes, for any target.

    The function that runs the model is called `glow_main` there, as programs that such
    code is linked with have a `main`. Errors: a form other than llvm-ir, asm, object.
    """
    text = re.sub(r"@main\b", "@glow_main", llvm_ir(module))
    match form:
        case "llvm-ir":
            return f'target triple = "{target.triple}"\n\n{text}'
        case "asm":
            return assembly(text, target)
        case "object":
            return object_code(text, target)
        case _:
            raise ValueError(f"expected a form out of {', '.join(FORMS)}, got {form!r}")
