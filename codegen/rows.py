"""Rows of integers: what a caller tells a kernel about one call, as typed records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from struct import pack
from typing import Any, TypeVar, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
)

from glow.codegen.memory import Memory
from glow.codegen.values import INDEX, Value

R = TypeVar("R")


def integers(row: Any) -> list[int]:
    """Return the integers of a row in order, those of nested records too."""
    found: list[int] = []
    _add_integers(row, found)
    return found


def _add_integers(row: Any, found: list[int]) -> None:
    kind = row.__class__
    if kind is int:
        found.append(row)
    elif (names := _names_of(kind)) is not None:
        for name in names:
            _add_integers(getattr(row, name), found)
    elif isinstance(row, tuple | list):
        for part in cast(Sequence[Any], row):
            _add_integers(part, found)
    else:
        found.append(int(row))


@cache
def _names_of(kind: type) -> tuple[str, ...] | None:
    """Return what the fields of a dataclass are called; None for another type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else None


def zeros(row: R) -> R:
    """Return a row of the same structure whose numbers are 0."""
    return _mapped(row, "", lambda _: 0)


def length_of(row: Any) -> int:
    """Return how many integers a row has."""
    return len(integers(row))


def read_row(like: R, table: Memory, at: Value) -> R:
    """
    Return the row that starts at `at` of `table`, with values for integers.

    `like` is a row of the same structure, with equal numbers of loops and operands.
    """
    count = 0

    def take(name: str) -> Value:
        nonlocal count
        value = table[at + count].named(name)
        count += 1
        return value

    return _mapped(like, "", take)


def _mapped(row: Any, name: str, take: Callable[[str], Value | int]) -> Any:
    kind = row.__class__
    if kind is int:
        return take(name)
    if isinstance(row, tuple):
        parts = cast(tuple[Any, ...], row)
        return tuple([_mapped(part, name, take) for part in parts])
    names = _names_of(kind)
    if names is None:
        return take(name)
    return kind(**{n: _mapped(getattr(row, n), n, take) for n in names})


def table_of(name: str, numbers: Sequence[int]) -> memref.GlobalOp:
    """Return the private constant `name` with these numbers."""
    data = BytesAttr(pack(f"<{len(numbers)}q", *numbers))  # xDSL looks at each
    return memref.GlobalOp.get(
        StringAttr(name),
        MemRefType(INDEX, [len(numbers)]),
        DenseIntOrFPElementsAttr(TensorType(INDEX, [len(numbers)]), data),
        sym_visibility=StringAttr("private"),
        constant=UnitAttr(),
        alignment=64,
    )
