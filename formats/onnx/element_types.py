"""Element types: how ONNX calls and numbers them, and which it takes where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import bf16, f16, f32, f64, i8, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.schemas import FormalParameter, Schema
from glow.formats.onnx.tensors import DTYPES, type_name
from glow.support.types import dtype_of, element_of, ui8, ui16, ui32, ui64

_NUMBERS = {dtype: number for number, dtype in DTYPES.items()}

_WIDER: dict[Attribute, tuple[Attribute, ...]] = {
    f16: (f32, f64),
    bf16: (f32, f64),
    f32: (f64,),
    i8: (i16, i32, i64),
    i16: (i32, i64),
    i32: (i64,),
    ui8: (ui16, i16, ui32, i32, ui64, i64),
    ui16: (ui32, i32, ui64, i64),
    ui32: (ui64, i64),
}
"""The types that hold all values of a type, the narrowest first."""


def onnx_type_of(value: SSAValue | Attribute) -> int:
    """Return the number that ONNX has for the element type of a tensor, or for one."""
    return number_of(dtype_of(element_of(value)))


def number_of(dtype: np.dtype[Any]) -> int:
    """Return the number that ONNX has for a type of elements."""
    return _NUMBERS[dtype]


def text_of_type(value: SSAValue) -> str:
    """Return how schemas call tensors with the elements of a value."""
    return _text_of(onnx_type_of(value))


def _text_of(number: int) -> str:
    return f"tensor({type_name(number).lower()})"


def check_taken(op_type: str, parameter: FormalParameter, value: SSAValue) -> None:
    """Raise Unsupported where an operator takes no such elements."""
    if (text := text_of_type(value)) not in parameter.types:
        raise Unsupported(f"{op_type} of a {text}")


def wider_types(
    schema: Schema, operands: Sequence[SSAValue]
) -> dict[Attribute, Attribute]:
    """
    Return a wider type for each type of operands that an operator does not take.

    It holds all values of the narrower one. A type that has none is left out.
    """
    wider: dict[Attribute, Attribute] = {}
    for index, operand in enumerate(operands):
        taken = schema.input(index).types
        element = element_of(operand)
        if text_of_type(operand) not in taken:
            others = _WIDER.get(element, ())
            fits = (e for e in others if _text_of(number_of(dtype_of(e))) in taken)
            if (found := next(fits, None)) is not None:
                wider[element] = found
    return wider
