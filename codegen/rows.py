"""Rows of integers: what a caller tells a kernel about one call, as typed records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast, get_origin

from glow.codegen.memory import Memory
from glow.codegen.values import Value

R = TypeVar("R")


def integers(row: Any) -> Iterator[int]:
    """Yield the integers of a row in order, those of nested records too."""
    for _, number in _leaves(row, ""):
        yield number


def blank(kind: type[R], **parts: Any) -> R:
    """Return a row whose numbers do not matter; `parts` are the records in it."""
    names = [each.name for each in fields(cast(Any, get_origin(kind) or kind))]
    return kind(**{name: parts.get(name, 0) for name in names})


def zeros(row: R) -> R:
    """Return a row of the same structure whose numbers are 0."""
    return _mapped(row, "", lambda _: 0)


def length_of(row: Any) -> int:
    """Return how many integers a row has."""
    return sum(1 for _ in _leaves(row, ""))


def _leaves(row: Any, name: str) -> Iterator[tuple[str, int]]:
    if isinstance(row, tuple | list):
        for part in cast(tuple[Any, ...], row):
            yield from _leaves(part, name)
    elif is_dataclass(row):
        for each in fields(row):
            yield from _leaves(getattr(row, each.name), each.name)
    else:
        yield name, int(row)


def read_row(like: R, table: Memory, at: Value) -> R:
    """
    Return the row that starts at `at` of `table`, with values for integers.

    `like` is a row of the same structure: as many loops, operands and so on.
    """
    count = 0

    def take(name: str) -> Value:
        nonlocal count
        value = table[at + count].named(name)
        count += 1
        return value

    return _mapped(like, "", take)


def _mapped(row: Any, name: str, take: Callable[[str], Value | int]) -> Any:
    if isinstance(row, tuple):
        parts = cast(tuple[Any, ...], row)
        return tuple(_mapped(part, name, take) for part in parts)
    if is_dataclass(row) and not isinstance(row, type):
        names = [each.name for each in fields(row)]
        return replace(row, **{n: _mapped(getattr(row, n), n, take) for n in names})
    return take(name)
