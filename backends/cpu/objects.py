"""Object code and assembly for a target, from LLVM IR."""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm

from glow.support.targets import Target

# Kernels are written as they should run; LLVM's optimiser makes them no faster.
_CODEGEN_LEVEL = 2


@cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@cache
def machine_for(target: Target) -> Any:
    """Return LLVM's code generator for `target`, made once per process."""
    _initialize()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=_CODEGEN_LEVEL,
        reloc="pic",
        codemodel="small",
    )


def _parsed(text: str, target: Target) -> Any:
    machine = machine_for(target)
    module = llvm.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    return module


def object_code(text: str, target: Target) -> bytes:
    """Return the object file of a module of LLVM IR."""
    return machine_for(target).emit_object(_parsed(text, target))


def assembly(text: str, target: Target) -> str:
    """Return the assembly of a module of LLVM IR."""
    return machine_for(target).emit_assembly(_parsed(text, target))
