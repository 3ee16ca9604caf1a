"""
ELF objects of 64-bit little-endian machines: read as linking needs it; arrays written.

Source: System V ABI, chapters 4 (object files) and its supplement for AMD64.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

X86_64 = 62
"""The machine that an object file is for."""

_IDENT = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian, version 1
_RELOCATABLE = 1
_FILE = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_PROGBITS, _SYMTAB, _STRTAB, _RELA, _NOBITS, _REL = (
    1,
    2,
    3,
    4,
    8,
    9,
)  # kinds of sections
_WRITE, _ALLOC, _EXECINSTR, _TLS = 1, 2, 4, 1 << 10  # flags of sections
_LOCAL, _GLOBAL, _WEAK = 0, 1, 2  # bindings of symbols
_OBJECT = 1  # a type of symbols
_UNDEFINED, _RESERVED = 0, 0xFF00  # numbers of sections
_ALIGNMENT = 64  # of arrays, as long as the header of a file


class UnknownFormError(Exception):
    """An object file has a part that is not supported."""


class Section(NamedTuple):
    """Bytes to be placed in memory, at a multiple of `alignment`."""

    data: bytes
    alignment: int
    is_code: bool


class Symbol(NamedTuple):
    """A place in a section or, without a section, a symbol defined elsewhere."""

    name: str
    section: int | None
    offset: int
    is_local: bool
    is_weak: bool
    size: int
    """How many bytes of the section it names."""


class Relocation(NamedTuple):
    """An address to be written: of which symbol, where in a section, and how."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


class ObjectFile(NamedTuple):
    """The code and read-only data of an object file, in its order and numbers."""

    machine: int
    sections: dict[int, Section]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]


class _Header(NamedTuple):
    """An entry of the table of sections, as far as it is used."""

    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


def read_object(data: bytes) -> ObjectFile:
    """
    Return the contents of an object file.

    Errors: an UnknownFormError for another format, variables, thread-local storage and
    common symbols.
    """
    if not data.startswith(_IDENT):
        raise UnknownFormError("expected an object file of ELF, 64-bit little-endian")
    _, kind, machine, _, _, _, table, *_, entry, count, _ = _FILE.unpack_from(data)
    if kind != _RELOCATABLE or entry != _SECTION.size:
        raise UnknownFormError(f"expected a relocatable file, got type {kind}")
    headers = [_header(data, table + i * entry) for i in range(count)]
    kept = {i: h for i, h in enumerate(headers) if h.flags & _ALLOC and h.size}
    symbols: tuple[Symbol, ...] = ()
    for header in headers:
        if header.kind == _SYMTAB:
            symbols = _symbols(data, header, headers[header.link], kept)
    return ObjectFile(
        machine,
        {i: _section(data, header) for i, header in kept.items()},
        symbols,
        tuple(
            relocation
            for header in headers
            if header.kind in (_RELA, _REL) and header.info in kept
            for relocation in _relocations(data, header)
        ),
    )


def _header(data: bytes, place: int) -> _Header:
    _, kind, flags, _, offset, size, link, info, alignment, _ = _SECTION.unpack_from(
        data, place
    )
    return _Header(kind, flags, offset, size, link, info, max(alignment, 1))


def _section(data: bytes, header: _Header) -> Section:
    if header.flags & (_WRITE | _TLS) or header.kind == _NOBITS:
        raise UnknownFormError("expected code and read-only data, got variables")
    content = data[header.offset : header.offset + header.size]
    return Section(content, header.alignment, bool(header.flags & _EXECINSTR))


def _symbols(
    data: bytes, table: _Header, names: _Header, kept: dict[int, _Header]
) -> tuple[Symbol, ...]:
    symbols: list[Symbol] = []
    entries = data[table.offset : table.offset + table.size]
    for name, info, _, section, value, size in _SYMBOL.iter_unpack(entries):
        start = names.offset + name
        text = data[start : data.index(b"\0", start)].decode()
        if section >= _RESERVED and info >> 4 != _LOCAL:
            raise UnknownFormError(f"expected {text} in a section")
        place = section if section in kept else None
        if place is None and section != _UNDEFINED:
            value = 0  # of a section without bytes, or the file's name
        is_local, is_weak = info >> 4 == _LOCAL, info >> 4 == _WEAK
        symbols.append(Symbol(text, place, value, is_local, is_weak, size))
    return tuple(symbols)


def _relocations(data: bytes, header: _Header) -> list[Relocation]:
    if header.kind == _REL:
        raise UnknownFormError("expected relocations with addends")
    entries = data[header.offset : header.offset + header.size]
    return [
        Relocation(header.info, offset, info & 0xFFFFFFFF, info >> 32, addend)
        for offset, info, addend in _RELOCATION.iter_unpack(entries)
    ]


def write_array(
    like: bytes, name: str, size: int, pieces: Iterable[bytes | memoryview]
) -> Iterator[bytes | memoryview]:
    """
    Yield an object file that defines the array `name` of `size` bytes, read-only.

    `pieces` are its bytes. It is for the machine and the ABI of object file `like`, and
    aligned to 64 bytes. Its section, `.rodata.NAME`, is for linker scripts to place.
    """
    sections = "", f".rodata.{name}", ".note.GNU-stack", ".symtab", ".strtab"
    texts = [*sections, name]
    strings = b"".join(text.encode() + b"\0" for text in texts)
    places = [sum(len(text) + 1 for text in texts[:i]) for i in range(len(texts))]
    info = _GLOBAL << 4 | _OBJECT
    symbols = bytes(_SYMBOL.size) + _SYMBOL.pack(places[-1], info, 0, 1, 0, size)
    strings += bytes(-len(strings) % 8)
    filling = bytes(-size % 8)
    after = _FILE.size + size + len(filling)
    strings_at = after + len(symbols)
    rows = [  # kind, flags, address, offset, size, link, info, alignment, entry
        (0,) * 9,
        (_PROGBITS, _ALLOC, 0, _FILE.size, size, 0, 0, _ALIGNMENT, 0),
        (_PROGBITS, 0, 0, after, 0, 0, 0, 1, 0),
        (_SYMTAB, 0, 0, after, len(symbols), len(sections) - 1, 1, 8, _SYMBOL.size),
        (_STRTAB, 0, 0, strings_at, len(strings), 0, 0, 1, 0),
    ]
    table = strings_at + len(strings)
    # The header begins as that of `like` and says where this table is, and how long.
    head = list(_FILE.unpack_from(like))
    head[6], head[12], head[13] = table, len(rows), len(rows) - 1
    yield _FILE.pack(*head)
    yield from pieces
    yield filling + symbols + strings
    yield b"".join(
        _SECTION.pack(place, *row) for place, row in zip(places, rows, strict=False)
    )
