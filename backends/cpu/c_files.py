"""Models as files for linkers of C: code for one thread, constants, and a header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from glow.backends.cpu.c_header import Interface, header_of
from glow.backends.cpu.code_generation import object_code
from glow.backends.cpu.elf import UnknownFormError, read_object, write_array
from glow.backends.cpu.executable import (
    constants_of,
    list_of,
    number_of,
    parameters_of,
    team_of,
)
from glow.backends.cpu.llvm_ir import internal_ir
from glow.runtime.image import ENTRY
from glow.support.arrays import ALIGNMENT, Array, address_of, blocks_of
from glow.support.errors import CompilationError
from glow.support.targets import Pieces, Target


def c_files(module: ModuleOp, target: Target, name: str) -> Mapping[str, Pieces]:
    """
    Return what a program of C needs to run a module of the llvm dialect, by suffix.

    `.o` exports the function `NAME_run` and nothing else, `.weights.o` the array
    `NAME_weights`; `.h` is the header. Errors: CompilationError for a module that is
    not a model, code for several threads or with calls of external functions, absent
    constants, and a target whose objects are not ELF.
    """
    functions = {op.sym_name.data for op in module.ops if isinstance(op, llvm.FuncOp)}
    if ENTRY not in functions:
        raise CompilationError("expected a model to write for C, got functions alone")
    if team_of(module) is not None:
        raise CompilationError("expected code for one thread, got code for several")
    parameters = tuple(parameters_of(module))
    arrays = tuple(constants_of(module, {b.initial for b in parameters}))
    places, pieces, size = _laid_out(arrays)
    text = _entry(f"{name}_run", len(parameters), places)
    code = object_code(f"{internal_ir(module)}\n{text}", target)
    _check(code, target)
    interface = Interface(
        name,
        f"{target.triple}, {target.isa}",
        parameters,
        number_of(module, "glow.arena_bytes"),
        size,
        [
            None if (i := b.initial) is None else (places[i], arrays[i])
            for b in parameters
        ],
        [text.data for text in list_of(module, "glow.messages")],
    )
    return {
        ".o": [code],
        ".weights.o": write_array(code, f"{name}_weights", size, pieces),
        ".h": [header_of(interface).encode(errors="replace")],
    }


def _laid_out(arrays: Sequence[Array]) -> tuple[list[int], Pieces, int]:
    """Return offsets of constants, their bytes and total size; no array lies twice."""
    kept = {(address_of(array), array.nbytes): array for array in arrays}
    rooms = [array.nbytes + -array.nbytes % ALIGNMENT for array in kept.values()]
    starts = dict(zip(kept, accumulate(rooms, initial=0), strict=False))
    pieces = (
        piece
        for array, room in zip(kept.values(), rooms, strict=True)
        for piece in (*map(_memory, blocks_of(array)), bytes(room - array.nbytes))
    )
    return [starts[address_of(a), a.nbytes] for a in arrays], pieces, sum(rooms)


def _memory(block: Array) -> memoryview:
    return block.data


def _entry(symbol: str, count: int, constants: Sequence[int]) -> str:
    """
    Return a function that calls `main` with `count` arrays, and constants at offsets.

    It passes no callback for outputs. Pointers are computed, so that no loader needs to
    relocate a table.
    """
    given = [*(f"ptr %x{i}" for i in range(count)), "ptr %weights", "ptr %arena"]
    lines = [
        f"define i32 @{symbol}({', '.join(given)}) nounwind {{",
        f"  %io = alloca [{count + 1} x ptr], align 8",
        f"  %constants = alloca [{max(len(constants), 1)} x ptr], align 8",
        "  %fault = alloca i32, align 4",
        "  store i32 0, ptr %fault, align 4",
    ]
    passed = [*(f"%x{i}" for i in range(count)), "null"]
    lines += _stored("io", passed)
    for i, place in enumerate(constants):
        lines.append(f"  %w{i} = getelementptr i8, ptr %weights, i64 {place}")
    lines += _stored("constants", [f"%w{i}" for i in range(len(constants))])
    lines += [
        f"  call void @{ENTRY}(ptr %arena, ptr %io, ptr %constants, ptr %fault)",
        "  %stored = load i32, ptr %fault, align 4",
        "  %negated = sub i32 0, %stored",  # kernels store the opposite
        "  %is_negative = icmp slt i32 %stored, 0",
        "  %code = select i1 %is_negative, i32 %negated, i32 %stored",
        "  ret i32 %code",
        "}",
    ]
    return "\n".join([*lines, ""])


def _stored(table: str, values: Sequence[str]) -> list[str]:
    """Return lines that store pointers in a table."""
    lines: list[str] = []
    for i, value in enumerate(values):
        lines.append(f"  %{table}{i} = getelementptr ptr, ptr %{table}, i64 {i}")
        lines.append(f"  store ptr {value}, ptr %{table}{i}, align 8")
    return lines


def _check(code: bytes, target: Target) -> None:
    """Raise if code has undefined symbols, which other objects would have to define."""
    try:
        symbols = read_object(code).symbols
    except UnknownFormError as error:
        raise CompilationError(
            f"cannot write for C on {target.triple}: {error}"
        ) from None
    missing = [
        s.name for s in symbols if s.name and s.section is None and not s.is_local
    ]
    if missing:
        raise CompilationError(
            f"expected code that calls nothing, got calls of {', '.join(missing)}"
        )
