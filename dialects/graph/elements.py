"""Element types and numbers as Python has them, in the terms of the IR."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.support.dtypes import dtype_named
from glow.support.types import dtype_of, element_type_of, is_bool, is_float


def element_for(dtype: Any) -> Attribute:
    """Return an element type that is given as such, or as NumPy calls it."""
    return (
        dtype if isinstance(dtype, Attribute) else element_type_of(dtype_named(dtype))
    )


def number_of(value: float, element: Attribute) -> Array:
    """
    Return a number as an array without axes, of an element type.

    Errors: VerifyException for a number that the type cannot hold.
    """
    dtype = dtype_of(element)
    if is_float(element):
        return np.array(value, dtype)
    try:
        number = np.array(int(value), np.int8 if is_bool(element) else dtype)
    except (ValueError, OverflowError):
        number = None
    if number is None or number != value or (is_bool(element) and value not in (0, 1)):
        raise VerifyException(f"expected a number of type {element}, got {value}")
    return number.astype(dtype)
