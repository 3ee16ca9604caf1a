"""Modules of the loops level compiled into this process; call them with ctypes."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.library import lower
from glow.backends.cpu.linker import Code, link
from glow.backends.cpu.llvm_ir import llvm_ir
from glow.support.targets import Target


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


def lower_loops(module: ModuleOp, target: Target) -> ModuleOp:
    """Return a copy of a loops-level module in the llvm dialect, for `target`."""
    lowered = module.clone()
    lower(lowered, target)
    return lowered


def compile_loops(module: ModuleOp, target: Target) -> Code:
    """
    Compile a module of loops-level IR, of which public functions have addresses.

    The test is skipped where `target` is not what this process runs on.
    """
    if not target.runs_here:
        pytest.skip(f"{target.isa} does not run here")
    text = llvm_ir(lower_loops(module, target))
    return link([object_code(text, target)], public_symbols(module))
