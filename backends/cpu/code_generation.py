"""LLVM as a generator of object code and assembly, and as a linker."""

from __future__ import annotations

import ctypes.util
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any

from glow.backends.cpu.llvmlite_binding import llvm, llvmlite_version
from glow.backends.cpu.object_cache import ObjectCache
from glow.backends.cpu.targets import cpu_target
from glow.support.errors import InternalError, RefusedCodeError
from glow.support.forking import lock_free_in_children
from glow.support.targets import Target

KERNEL_LEVEL = 1
"""
LLVM's effort on kernels, which are written as they should run.

On x86 level 2 takes a quarter longer to compile them, and 13 models run as fast (0.98
to 1.02) with the same bits.
"""

PAIRING_LEVEL = 2
"""Used for kernels elsewhere: only this level pairs loads and stores on AArch64."""

ROW_OF_CALLS_LEVEL = 0
"""The effort on `main`: above this, 3,200 calls take 19 s to compile, for no gain."""


@cache
def _initialize() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


@cache
def machine_for(target: Target, level: int = KERNEL_LEVEL) -> Any:
    """Return LLVM's code generator for `target`, made once per process."""
    _initialize()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=_effort(target, level),
        reloc="pic",
        codemodel="small",
    )


def _effort(target: Target, level: int) -> int:
    """Return LLVM's level for one of the levels above."""
    is_x86 = target.triple.startswith("x86")
    return PAIRING_LEVEL if level == KERNEL_LEVEL and not is_x86 else level


def _parsed(text: str, target: Target) -> Any:
    """Return LLVM's module; a context of its own frees its types with it."""
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.triple = target.triple
        module.data_layout = str(machine_for(target).target_data)
        module.verify()
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise RefusedCodeError(f"LLVM refuses what it was given: {reason}") from error
    return module


def object_code(text: str, target: Target, level: int = KERNEL_LEVEL) -> bytes:
    """Return the object file of a module of LLVM IR."""
    module = _parsed(text, target)
    with _own_addresses():
        return machine_for(target, level).emit_object(module)


def assembly(text: str, target: Target) -> str:
    """Return the assembly of a module of LLVM IR."""
    module = _parsed(text, target)
    with _own_addresses():
        return machine_for(target).emit_assembly(module)


_OPTIONS = lock_free_in_children()


@contextmanager
def _own_addresses() -> Generator[None]:
    """
    Let LLVM take the addresses in loops as they are written.

    The search for better ones takes half of the time to compile a kernel, and finds
    none. The option is one of the process, in which other code may use LLVM too.
    """
    with _OPTIONS:
        llvm.set_option("", "-disable-lsr=true")
        try:
            yield
        finally:
            llvm.set_option("", "-disable-lsr=false")


def cache_key(target: Target, content: str, level: int = KERNEL_LEVEL) -> str:
    """Return the key of an object made from `content` for `target`."""
    llvm_version, effort = llvm.llvm_version_info, _effort(target, level)
    made_by = f"llvmlite {llvmlite_version}, LLVM {llvm_version}, level {effort}"
    machine = f"{target.triple} {target.cpu} {target.features}"
    return sha256("\n".join([made_by, machine, content]).encode()).hexdigest()


def cached_object_code(
    text: str, target: Target, cache: ObjectCache, level: int = KERNEL_LEVEL
) -> bytes:
    """Return the object file of a module of LLVM IR, from `cache` if it is there."""
    key = cache_key(target, text, level)
    return cache.get(key, lambda: object_code(text, target, level))


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
