"""Attributes that ops share: to make one takes xDSL longer than to find it here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import pack
from typing import Any, Generic, Literal, TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute

T = TypeVar("T")
AttributeT = TypeVar("AttributeT", bound=Attribute)

_INDEX = IndexType()
_NOTHING: ArrayAttr[StringAttr] = ArrayAttr([])


def unchecked(kind: type[AttributeT], **parameters: Any) -> AttributeT:
    """
    Return an attribute with `parameters`, by name, which are known to be right.

    xDSL makes the same one, but checks each parameter against its declaration, which
    takes ten times as long. Models have thousands of names and numbers.
    """
    attribute = object.__new__(kind)
    vars(attribute).update(parameters)  # attributes are frozen
    return attribute


class OfAttributes(Generic[T]):
    """
    Values of a function of attributes, each computed once and found by identity.

    To hash an attribute takes xDSL longer than most such functions. The attributes stay
    alive as long as this does.
    """

    def __init__(self, function: Callable[[Attribute], T]):
        self._function = function
        self._known: dict[int, tuple[Attribute, T]] = {}

    def __call__(self, attribute: Attribute) -> T:
        known = self._known.get(id(attribute))
        if known is None:
            known = attribute, self._function(attribute)
            self._known[id(attribute)] = known
        return known[1]


def numbering() -> OfAttributes[int]:
    """Return a function that gives equal attributes the same number."""
    numbers: dict[Attribute, int] = {}
    return OfAttributes(lambda each: numbers.setdefault(each, len(numbers)))


@lru_cache(1 << 12)
def integer(value: int) -> IntegerAttr[Any]:
    """Return `value` as an i64."""
    if not -(1 << 63) <= value < 1 << 63:
        return IntegerAttr(value, i64)  # which refuses it, or takes its bits
    return unchecked(IntegerAttr, value=unchecked(IntAttr, data=value), type=i64)


@lru_cache(1 << 12)
def index_attribute(value: int) -> IntegerAttr[Any]:
    """Return `value` as an index."""
    return unchecked(IntegerAttr, value=unchecked(IntAttr, data=value), type=_INDEX)


@lru_cache(1 << 12)
def string(value: str) -> StringAttr:
    return unchecked(StringAttr, data=value)


@lru_cache(1 << 12)
def i32_array(*values: int) -> DenseArrayBase[Any]:
    """Return a dense array of i32."""
    data = unchecked(BytesAttr, data=pack(f"<{len(values)}i", *values))
    return unchecked(DenseArrayBase, elt_type=i32, data=data)


@lru_cache(1 << 12)
def i64_array(*values: int) -> DenseArrayBase[Any]:
    """Return a dense array of i64."""
    data = unchecked(BytesAttr, data=pack(f"<{len(values)}q", *values))
    return unchecked(DenseArrayBase, elt_type=i64, data=data)


@lru_cache(1 << 12)
def symbol_reference(name: str) -> SymbolRefAttr:
    root = unchecked(StringAttr, data=name)
    return unchecked(SymbolRefAttr, root_reference=root, nested_references=_NOTHING)


def segment_sizes(sizes: Sequence[int]) -> Attribute:
    """Return the property that says how many operands each slot of an op has."""
    return i32_array(*sizes)


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
