"""
A linker of ELF objects for x86-64, into the memory of this process.

It needs nothing of LLVM, whose library takes longer to load than a model. Code is PIC
of the small model, so that only distances and addresses of others are filled in.
Source: System V ABI, AMD64 supplement, section 4.4.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from glow.backends.cpu.elf import (
    X86_64,
    ObjectFile,
    Relocation,
    UnknownFormError,
    read_object,
)
from glow.backends.cpu.perf_map import add_to_perf_map, is_perf_map_wanted
from glow.support.errors import ExecutionError, InternalError

# R_X86_64_...: the address; the distance to it, or to a stub for it; the distance to a
# word that holds it.
_64, _PC64 = 1, 24
_PC32, _PLT32 = 2, 4
_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX = 9, 41, 42
_BY_WORD = (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX)
_BYTES = {_64: 8, _PC64: 8} | dict.fromkeys((_PC32, _PLT32, *_BY_WORD), 4)

_JUMP = b"\xff\x25\x02\0\0\0\x0f\x0b"  # jmp *2(%rip); ud2; then the address
_WORD_BYTES = 8
_STUB_BYTES = len(_JUMP) + _WORD_BYTES


class Pages:
    """
    Memory to write through `data` until `seal` makes it code, which this value owns.

    No byte of it can be written and run at the same time. Needs mprotect.
    """

    def __init__(self, size: int):
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.data = mmap.mmap(-1, max(size, 1), flags)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.data))

    def seal(self, code_bytes: int) -> None:
        """Make the first `code_bytes`, whole pages, code, and the rest constants."""
        readable, runnable = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_EXEC
        self._protect(0, code_bytes, runnable)
        self._protect(code_bytes, len(self.data) - code_bytes, readable)

    def _protect(self, start: int, size: int, protection: int) -> None:
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if size and protect(self.address + start, size, protection):
            reason = os.strerror(ctypes.get_errno())
            raise ExecutionError(f"this system runs no code made in memory: {reason}")


class LinkedCode:
    """Functions in this process; they live as long as this value."""

    def __init__(self, pages: Pages, functions: Mapping[str, int]):
        self._pages = pages
        self._functions = functions

    def address(self, symbol: str) -> int:
        """Return the address of a function that is not private."""
        return self._functions[symbol]


def link_elf(objects: Sequence[bytes]) -> LinkedCode:
    """
    Return the functions that object files define between them.

    Errors: an UnknownFormError for an unsupported object file; an InternalError for a
    symbol that is defined twice or nowhere.
    """
    files = [read_object(data) for data in objects]
    for file in files:
        if file.machine != X86_64:
            raise UnknownFormError(f"expected code for x86-64, got {file.machine}")
    return _Linker(files).link()


class _Linker:
    """Places are counted from the start of the pages: code, stubs, constants."""

    def __init__(self, files: Sequence[ObjectFile]):
        self._files = files
        self._defined = _definitions(files)
        self._stubs: dict[str, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        end = self._place(0, is_code=True)
        end += -end % _STUB_BYTES
        for name in _names_for_stubs(files, self._defined):
            self._stubs[name] = end
            end += _STUB_BYTES
        self._code_bytes = end + -end % mmap.PAGESIZE
        self._pages = Pages(self._place(self._code_bytes, is_code=False))

    def _place(self, end: int, is_code: bool) -> int:
        """Place the sections of one kind from `end` on; return where they end."""
        for number, file in enumerate(self._files):
            for index, section in file.sections.items():
                if section.is_code == is_code:
                    end += -end % section.alignment
                    self._places[number, index] = end
                    end += len(section.data)
        return end

    def link(self) -> LinkedCode:
        for number, file in enumerate(self._files):
            for index, section in file.sections.items():
                self._write(self._places[number, index], section.data)
        for name, place in self._stubs.items():
            self._write(place, _JUMP + self._address(name).to_bytes(8, "little"))
        for number, file in enumerate(self._files):
            for relocation in file.relocations:
                self._relocate(number, file, relocation)
        self._pages.seal(self._code_bytes)
        if is_perf_map_wanted():
            add_to_perf_map(self._functions())
        return LinkedCode(
            self._pages, {name: self._address(name) for name in self._defined}
        )

    def _functions(self) -> Iterator[tuple[int, int, str]]:
        """Yield the address, size and name of each function."""
        for number, file in enumerate(self._files):
            for symbol in file.symbols:
                index = symbol.section
                if index is not None and symbol.size and file.sections[index].is_code:
                    place = self._places[number, index] + symbol.offset
                    yield self._pages.address + place, symbol.size, symbol.name

    def _write(self, place: int, data: bytes) -> None:
        self._pages.data[place : place + len(data)] = data

    def _address(self, name: str) -> int:
        """Return the address of a symbol of another file, or of the process."""
        place = self._defined.get(name)
        if place is None:
            return _address_outside(name)
        number, section, offset = place
        return self._pages.address + self._places[number, section] + offset

    def _relocate(self, number: int, file: ObjectFile, relocation: Relocation) -> None:
        place = self._places[number, relocation.section] + relocation.offset
        here = self._pages.address + place
        symbol = file.symbols[relocation.symbol]
        if relocation.kind in _BY_WORD:
            there = self._pages.address + self._stubs[symbol.name] + len(_JUMP)
        elif symbol.is_local and symbol.section is not None:
            start = self._places[number, symbol.section]
            there = self._pages.address + start + symbol.offset
        elif symbol.name in self._defined:
            there = self._address(symbol.name)
        else:
            there = self._pages.address + self._stubs[symbol.name]
        value = there + relocation.addend - (0 if relocation.kind == _64 else here)
        size = _BYTES[relocation.kind]
        self._write(
            place, value.to_bytes(size, "little", signed=relocation.kind != _64)
        )


def _definitions(files: Sequence[ObjectFile]) -> dict[str, tuple[int, int, int]]:
    """Return the file, section and offset of each symbol that others can see."""
    definitions: dict[str, tuple[int, int, int]] = {}
    firm: set[str] = set()
    for number, file in enumerate(files):
        for symbol in file.symbols:
            if symbol.is_local or symbol.section is None:
                continue
            if symbol.name in firm and not symbol.is_weak:
                raise InternalError(
                    f"cannot link compiled code: {symbol.name} is defined twice"
                )
            if symbol.name not in definitions or not symbol.is_weak:
                definitions[symbol.name] = number, symbol.section, symbol.offset
            if not symbol.is_weak:
                firm.add(symbol.name)
    return definitions


def _names_for_stubs(
    files: Iterable[ObjectFile], defined: Mapping[str, object]
) -> dict[str, None]:
    """
    Return the symbols that need a stub: undefined functions, and words with addresses.

    Errors: an UnknownFormError for relocations that are not supported.
    """
    names: dict[str, None] = {}
    for file in files:
        for relocation in file.relocations:
            symbol = file.symbols[relocation.symbol]
            is_here = symbol.section is not None or symbol.name in defined
            by_word = relocation.kind in _BY_WORD
            if relocation.kind not in _BYTES or (by_word and symbol.is_local):
                raise UnknownFormError(f"relocation {relocation.kind} of {symbol.name}")
            if not is_here and not by_word and relocation.kind != _PLT32:
                raise UnknownFormError(f"data of {symbol.name}, defined elsewhere")
            if by_word or not is_here:
                names[symbol.name] = None
    return names


def _address_outside(name: str) -> int:
    """Return the address of a function of this process or the C library."""
    for library in _libraries():
        try:
            function = library[name]
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    raise InternalError(f"cannot link compiled code: {name} is defined nowhere")


def _libraries() -> Iterator[ctypes.CDLL]:
    yield ctypes.CDLL(None)
    mathematics = _mathematics()
    if mathematics is not None:
        yield mathematics


@cache
def _mathematics() -> ctypes.CDLL | None:
    from ctypes.util import find_library  # asks other processes

    name = find_library("m")
    return None if name is None else ctypes.CDLL(name)
