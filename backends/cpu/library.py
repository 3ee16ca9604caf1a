"""The kernel library: object code of kernels, each made once and kept by its key."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import version

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Region

from glow.backends.cpu.code_generation import cache_key, object_code
from glow.backends.cpu.llvm_ir import units
from glow.backends.cpu.object_cache import ObjectCache
from glow.lowering.expand_math import ExpandMathPass
from glow.lowering.loops_to_llvm import LoopsToLlvmPass
from glow.lowering.memory_to_loops.kernels.library_function import (
    LibraryFunction,
    closure,
    declared_function,
)
from glow.support.extensions import KERNELS
from glow.support.fingerprint import (
    digest_of_sources,
    digests_of_extensions,
    folders_of,
)
from glow.support.targets import Target
from glow.support.walking import free_ops, ops_in, ops_of

# The packages whose sources decide the code of a kernel.
_PACKAGES = (
    "glow.backends.cpu",
    "glow.codegen",
    "glow.dialects",
    "glow.lowering",
    "glow.support",
)


def kernel_objects(
    symbols: Iterable[str], target: Target, cache: ObjectCache
) -> list[bytes]:
    """Return the code of `symbols` that are kernels, and of all that they call."""
    declared = (declared_function(symbol) for symbol in symbols)
    found = (function for function in declared if function is not None)
    return function_objects(found, target, cache)


def function_objects(
    functions: Iterable[LibraryFunction], target: Target, cache: ObjectCache
) -> list[bytes]:
    """Return the code of functions of the library, and of all that they call."""
    return [_kernel_object(each, target, cache) for each in closure(functions)]


def _kernel_object(
    kernel: LibraryFunction, target: Target, cache: ObjectCache
) -> bytes:
    key = cache_key(target, f"{_sources()}\n{kernel.digest}")
    return cache.get(key, lambda: object_code(kernel_text(kernel, target), target))


def kernel_text(kernel: LibraryFunction, target: Target) -> str:
    """Return `kernel` as LLVM IR for `target`; what it calls is declared."""
    function = kernel.build()
    module = ModuleOp([*_declared_callees(function), function])
    lower(module, target)
    text = units(module)[kernel.symbol]
    free_ops(module.body)
    return text


def _declared_callees(function: FuncOp) -> list[FuncOp]:
    """Return a function without a body for each that `function` calls."""
    types: dict[str, tuple[list[Attribute], list[Attribute]]] = {
        op.callee.string_value(): ([value.type for value in op.arguments], [])
        for op in ops_of(ops_in(function.body), CallOp)
    }
    return [
        FuncOp(name, signature, Region(), visibility=StringAttr("private"))
        for name, signature in types.items()
    ]


def lower(module: ModuleOp, target: Target) -> None:
    """Take a loops-level module to the llvm dialect."""
    spec = f"{target.name}:{target.isa}"
    for each in (ExpandMathPass(spec), LoopsToLlvmPass(spec)):
        each.apply(Context(), module)


@cache
def _sources() -> str:
    """Return digests of the sources that kernels depend on, a part of every key."""
    versions = (version("glow-xdsl"), version("xdsl"))
    folders = (folder for package in _PACKAGES for folder in folders_of(package))
    others = (digest for _, digest in digests_of_extensions([KERNELS]))
    return " ".join([*versions, digest_of_sources(*folders), *others])
