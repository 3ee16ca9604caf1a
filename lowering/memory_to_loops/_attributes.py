"""Attributes that calls share: layers alike have the same numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr, i64


@lru_cache(1 << 12)
def integer(value: int) -> IntegerAttr[Any]:
    return IntegerAttr(value, i64)


@lru_cache(1 << 10)
def symbol_reference(name: str) -> SymbolRefAttr:
    return SymbolRefAttr(name)
