"""Compilation of a module of the llvm dialect to an executable in this process."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.llvm import FuncOp
from xdsl.ir import Attribute

from glow.backends.cpu.code_generation import (
    KERNEL_LEVEL,
    ROW_OF_CALLS_LEVEL,
    cached_object_code,
)
from glow.backends.cpu.library import function_objects, kernel_objects
from glow.backends.cpu.linker import link_image
from glow.backends.cpu.llvm_ir import units
from glow.backends.cpu.main_of_numbers import code_of
from glow.backends.cpu.object_cache import ObjectCache
from glow.backends.cpu.targets import expect_host, features_of
from glow.backends.signature import spec_of
from glow.dialects.graph.placeholder import ResourceAttr
from glow.lowering.loops_to_llvm.numbers_of_main import ROWS, calls_of, numbers_in
from glow.lowering.memory_to_loops.profile import GROUPS, RECORDS
from glow.lowering.team import RUNTIME
from glow.runtime.constant_pool import CONSTANTS
from glow.runtime.image import ENTRY, Image, Machine, Parameter, TeamSizes
from glow.runtime.native import NativeExecutable
from glow.runtime.profile import Group, Profile
from glow.support.arrays import repeated_element
from glow.support.errors import CompilationError
from glow.support.targets import Target

_ALONE = 4
"""How many arguments a `main` for one thread has; one with sections has more."""

# Name, direction, type, and what else memory-to-loops has to say.
_Entry = tuple[StringAttr, StringAttr, MemRefType[Attribute], *tuple[Attribute, ...]]


def compile_module(
    module: ModuleOp,
    target: Target,
    *,
    cache_dir: str | os.PathLike[str] | None = None,
) -> NativeExecutable:
    """
    Compile a module of the llvm dialect with the attributes of memory-to-loops.

    Kernels that it only declares come from the library. `cache_dir` keeps objects.
    Errors: a CompilationError for a target that does not run here, or absent constants.
    """
    expect_host(target)
    cache = ObjectCache(None if cache_dir is None else Path(cache_dir))
    team = team_of(module)
    kinds, read, text = calls_of(module), list[NDArray[Any]](), None
    if kinds is not None:
        entry, rows = len(list_of(module, "glow.constants")), number_of(module, ROWS)
        text = code_of(tuple(kinds), team is not None, entry, rows)
        read = [CONSTANTS.share(numbers_in(module))]
    objects = objects_of(module, target, cache, text)
    if team is not None:
        objects += function_objects(RUNTIME, target, cache)
    parameters = tuple(parameters_of(module))
    # Code writes to states, so it never reads their initial values in place.
    starts = {b.initial for b in parameters if b.direction == "inout"}
    image = Image(
        Machine("cpu", target.triple, features_of(target), target.accuracy),
        tuple(objects),
        parameters,
        number_of(module, "glow.arena_bytes"),
        (*constants_of(module, starts), *read),
        tuple(text.data for text in list_of(module, "glow.messages")),
        _profile(module),
        team,
    )
    return link_image(image)


def objects_of(
    module: ModuleOp, target: Target, cache: ObjectCache, main: str | None = None
) -> list[bytes]:
    """
    Return the code of a module of the llvm dialect, and of kernels it declares.

    `main`, if given, is the LLVM IR of a `main` that reads its numbers from a constant.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    objects = [
        cached_object_code(text, target, cache, level_of(functions[name]))
        for name, text in units(module).items()
    ]
    declared = [name for name, op in functions.items() if not op.body.blocks]
    if main is not None:
        declared.remove(ENTRY)
        objects.append(cached_object_code(main, target, cache, ROW_OF_CALLS_LEVEL))
    return objects + kernel_objects(declared, target, cache)


def level_of(function: FuncOp) -> int:
    """Return LLVM's effort on `function`: least on a `main` that only calls kernels."""
    blocks = function.body.blocks
    calls_only = blocks.first is blocks.last or len(blocks[0].args) > _ALONE
    is_main = function.sym_name.data.partition(".")[0] == ENTRY
    return ROW_OF_CALLS_LEVEL if is_main and calls_only else KERNEL_LEVEL


def team_of(module: ModuleOp) -> TeamSizes | None:
    """Return the sizes that a shared `main` needs, None if it is for one thread."""
    if "glow.sections" not in module.attributes:
        return None
    names = "strands", "sections", "worker_bytes"
    return TeamSizes(*(number_of(module, f"glow.{name}") for name in names))


def number_of(module: ModuleOp, name: str) -> int:
    attribute = module.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 0


def list_of(module: ModuleOp, name: str) -> tuple[Any, ...]:
    attribute = module.attributes.get(name)
    return tuple(attribute) if isinstance(attribute, ArrayAttr) else ()  # pyright: ignore


def constants_of(module: ModuleOp, starts: Container[int]) -> Iterator[NDArray[Any]]:
    """Yield the constants; of one in `starts` that repeats an element, the element."""
    for number, resource in enumerate(list_of(module, "glow.constants")):
        assert isinstance(resource, ResourceAttr)
        array = resource.data.find()
        if array is None:
            raise CompilationError(
                f"the bytes of constant {resource.data.digest[:12]} are absent;"
                " name the file that has them with --weights"
            )
        element = repeated_element(array.array) if number in starts else None
        share = CONSTANTS.share
        yield array.settle(share) if element is None else share(element)


def parameters_of(module: ModuleOp) -> Iterator[Parameter]:
    for entry in list_of(module, "glow.signature"):
        name, direction, type_, *rest = cast(_Entry, entry.data)
        residency, initial, axes = "run", None, None
        for attribute in rest:
            match attribute:
                case StringAttr():
                    residency = attribute.data
                case IntegerAttr():
                    initial = attribute.value.data
                case _:
                    axes = cast(ArrayAttr[StringAttr], attribute)
        spec = spec_of(name.data, type_, axes)
        yield Parameter(spec, direction.data, residency, initial)


def _profile(module: ModuleOp) -> Profile | None:
    """Return what `main` records, None for a module compiled without profiling."""
    if RECORDS not in module.attributes:
        return None
    groups = tuple(map(_group, list_of(module, GROUPS)))
    records = tuple(
        (group.value.data, kernel.data, *(place.value.data for place in places))
        for group, kernel, *places in list_of(module, RECORDS)
    )
    return Profile(groups, records)


def _group(entry: Iterable[Any]) -> Group:
    """Return what an entry of `glow.groups` says."""
    name, op, *arrays = entry
    flops, extents, moves, ways = (tuple(each.iter_values()) for each in arrays)
    (count,) = flops
    triples = zip(*(moves[i::3] for i in range(3)), strict=True)
    pairs = zip(ways[::2], ways[1::2], strict=True)
    return Group(name.data, op.data, count, extents, tuple(triples), tuple(pairs))
