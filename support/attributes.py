"""Attributes that ops share: to make one takes xDSL longer than to find it here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute

_INDEX = IndexType()
_NOTHING: ArrayAttr[StringAttr] = ArrayAttr([])


@lru_cache(1 << 12)
def integer(value: int) -> IntegerAttr[Any]:
    """Return `value` as an i64."""
    return IntegerAttr(value, i64)


@lru_cache(1 << 12)
def index_attribute(value: int) -> IntegerAttr[Any]:
    """Return `value` as an index."""
    return IntegerAttr(value, _INDEX)


@lru_cache(1 << 12)
def string(value: str) -> StringAttr:
    return StringAttr(value)


@lru_cache(1 << 15)  # each level names each constant
def symbol_reference(name: str) -> SymbolRefAttr:
    return SymbolRefAttr.new([StringAttr(name), _NOTHING])


def segment_sizes(sizes: Sequence[int]) -> Attribute:
    """Return the property that says how many operands each slot of an op has."""
    return _segment_sizes(tuple(sizes))


@lru_cache(1 << 12)
def _segment_sizes(sizes: tuple[int, ...]) -> Attribute:
    return cast(Attribute, DenseArrayBase.from_list(i32, sizes))


def numbers_of(array: Any) -> tuple[Any, ...]:
    """Return the numbers of a `DenseArrayBase`, which are much the same in all ops."""
    if array.elt_type is i64:
        return _numbers(array.data.data, "q")
    if array.elt_type is i32:
        return _numbers(array.data.data, "i")
    return tuple(array.get_values())


@lru_cache(1 << 12)
def _numbers(data: bytes, code: Literal["i", "q"]) -> tuple[int, ...]:
    return tuple(memoryview(data).cast(code))
