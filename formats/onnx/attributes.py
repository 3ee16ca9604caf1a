"""Attributes of ONNX nodes from parameters of ops, and back, floats with all bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from onnx import AttributeProto, helper
from xdsl.ir import Attribute

from glow.formats.onnx.element_types import number_of
from glow.support.types import dtype_of

EXACT = "glow.exact."
"""The metadata of a node with the value of a float that 32 bits do not hold."""

KINDS: dict[Any, int] = {
    bool: AttributeProto.INT,
    int: AttributeProto.INT,
    float: AttributeProto.FLOAT,
    str: AttributeProto.STRING,
    Attribute: AttributeProto.INT,
    Sequence[int]: AttributeProto.INTS,
    Sequence[float]: AttributeProto.FLOATS,
    Sequence[str]: AttributeProto.STRINGS,
}
"""How ONNX stores attributes that are parameters of these types."""


def attribute_proto(name: str, value: object, kind: int) -> AttributeProto:
    """Return an attribute of a kind; a type of elements is stored by its number."""
    if isinstance(value, Attribute):
        value = number_of(dtype_of(value))
    if isinstance(value, bool):
        value = int(value)
    return helper.make_attribute(name, value, attr_type=kind)


def exact_text(value: object) -> str | None:
    """Return floats as text if ONNX, which stores 32 bits of them, rounds one."""
    is_list = isinstance(value, list | tuple)
    several = cast(Sequence[object], value) if is_list else (value,)
    floats = [each for each in several if isinstance(each, float)]
    if all(float(_stored(each)) == each or each != each for each in floats):
        return None
    return " ".join(map(repr, floats))


def exact_of(value: Any, text: str | None) -> Any:
    """Return the floats of `text` if those in `value` are what ONNX stores of them."""
    if text is None:
        return value
    is_list = isinstance(value, tuple)
    stored = cast(Sequence[float], value) if is_list else (value,)
    try:
        exact = tuple(map(float, text.split()))
    except ValueError:
        return value
    if tuple(float(_stored(each)) for each in exact) != tuple(stored):
        return value  # the attribute has been changed since
    return exact if is_list else exact[0]


def _stored(value: float) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(value)
