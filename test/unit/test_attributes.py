"""Attributes that are made without xDSL's checks are those that it makes."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from glow.support.attributes import (
    i32_array,
    i64_array,
    index_attribute,
    integer,
    string,
    symbol_reference,
)
from glow.support.locations import location_of

NUMBERS = (0, -1, 7, (1 << 63) - 1, -(1 << 63))
PAIRS: list[tuple[Attribute, Attribute]] = [
    *((integer(n), IntegerAttr(n, i64)) for n in NUMBERS),
    *((index_attribute(n), IntegerAttr(n, IndexType())) for n in NUMBERS),
    (i32_array(), DenseArrayBase.from_list(i32, [])),
    (i32_array(3, -4), DenseArrayBase.from_list(i32, [3, -4])),
    (i64_array(1 << 40, -4), DenseArrayBase.from_list(i64, [1 << 40, -4])),
    (string("a b"), StringAttr("a b")),
    (symbol_reference("w"), SymbolRefAttr("w")),
    (location_of("conv 1"), NameLoc(StringAttr("conv 1"), NoneAttr())),
]


@pytest.mark.parametrize(("made", "expected"), PAIRS)
def test_attributes_are_those_of_xdsl(made: Any, expected: Any) -> None:
    made.verify()
    assert (made, hash(made), str(made)) == (expected, hash(expected), str(expected))
    assert vars(made).keys() == vars(expected).keys()


def test_numbers_beyond_their_type_are_refused() -> None:
    with pytest.raises(VerifyException, match="Integer value 18446744073709551616"):
        integer(1 << 64)
    with pytest.raises(Exception, match="format requires"):
        i32_array(1 << 31)
