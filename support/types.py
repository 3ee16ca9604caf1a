"""Typed views of values whose type is a tensor, and of their element types."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    AnyTensorType,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.support.dtypes import NUMBER_TYPES, dtype_named, narrowed
from glow.support.names import with_article

# An integer type without a sign in its name is signed, as in NumPy and ONNX.
ui8, ui16, ui32, ui64 = (
    IntegerType(bits, Signedness.UNSIGNED) for bits in (8, 16, 32, 64)
)

# By class: to ask xDSL's abstract classes for an instance takes five times as long.
_NARROW_FLOAT_CLASSES = frozenset[type[Attribute]]({Float16Type, BFloat16Type})
_FLOAT_CLASSES = _NARROW_FLOAT_CLASSES | {Float32Type, Float64Type}
_FLOATS = {str(element): element for element in (f16, bf16, f32, f64)}


def _integer(name: str) -> IntegerType:
    is_signed = name.startswith("i")
    sign = Signedness.SIGNLESS if is_signed else Signedness.UNSIGNED
    return IntegerType(int(name.lstrip("ui")), sign)


_ELEMENTS: dict[str, Attribute] = {
    each.name: _FLOATS[each.name] if each.is_float else _integer(each.name)
    for each in NUMBER_TYPES
}
_SMALL = tuple(_ELEMENTS[each.name] for each in NUMBER_TYPES if each.byte)
_UNSIGNED = tuple(e for name, e in _ELEMENTS.items() if name.startswith("u"))
_DTYPE_NAMES = {_ELEMENTS[each.name]: each.dtype for each in NUMBER_TYPES}
_BY_DTYPE_NAME = {each.dtype: _ELEMENTS[each.name] for each in NUMBER_TYPES}


@cache
def dtype_of(element: Attribute) -> np.dtype[Any]:
    """Return the NumPy type in which elements of type `element` are stored."""
    if element not in _DTYPE_NAMES:
        known = ", ".join(_ELEMENTS)
        raise VerifyException(f"expected an element type out of {known}, got {element}")
    return dtype_named(_DTYPE_NAMES[element])


@cache
def element_type_of(dtype: np.dtype[Any]) -> Attribute:
    """Return the element type that stores `dtype`; the inverse of `dtype_of`."""
    if dtype.name not in _BY_DTYPE_NAME or not dtype.isnative:
        known = ", ".join(_BY_DTYPE_NAME)
        raise VerifyException(f"expected an array of {known}, got {dtype}")
    return _BY_DTYPE_NAME[dtype.name]


def is_float(element: Attribute) -> bool:
    """Return whether elements of this type are floats, of any width."""
    return type(element) in _FLOAT_CLASSES


def is_narrow_float(element: Attribute) -> bool:
    """Return whether elements are floats of 16 bits, which are computed in f32."""
    return type(element) in _NARROW_FLOAT_CLASSES


def compute_type(element: Attribute) -> Attribute:
    """Return the type in which elements are computed on: f32 for floats of 16 bits."""
    return f32 if is_narrow_float(element) else element


def is_unsigned(element: Attribute) -> bool:
    return element in _UNSIGNED


def is_small(element: Attribute) -> bool:
    """Return whether elements are integers of fewer than 8 bits, each in a byte."""
    return element in _SMALL


@cache
def byte_type(element: Attribute) -> Attribute:
    """Return the integers of 8 bits that small ones convert to; others stay."""
    if not is_small(element):
        return element
    return ui8 if is_unsigned(element) else i8


@cache
def signless(element: Attribute) -> Attribute:
    """Return the type to ops of `arith`: without sign, a byte if it is small."""
    if is_small(element):
        return i8
    if not is_unsigned(element):
        return element
    return IntegerType(width_of(element))


def width_of(element: Attribute) -> int:
    """Return how many bits an integer has."""
    return cast(IntegerType, element).width.data


def signless_value(value: float, element: Attribute) -> float:
    """Return the number of type `signless(element)` that has the bits of `value`."""
    if not is_unsigned(element):
        return value
    top = 1 << width_of(signless(element)) - 1
    return (int(value) + top) % (2 * top) - top


def unsigned(element: Attribute) -> IntegerType:
    """Return the unsigned integer type of the same width."""
    return IntegerType(width_of(element), Signedness.UNSIGNED)


def number_attribute(
    value: float, element: Attribute
) -> FloatAttr[Any] | IntegerAttr[Any]:
    """Return `value` as an attribute of type `element`; integers are truncated."""
    return _number_attribute(value, str(value), element)


@lru_cache(1 << 12)
def _number_attribute(
    value: float, text: str, element: Attribute
) -> FloatAttr[Any] | IntegerAttr[Any]:
    """Return an attribute that ops share; the text tells -0.0 from 0.0."""
    if is_narrow_float(element):
        value = float(narrowed(np.asarray(value), dtype_of(element)))
    if is_float(element):
        return FloatAttr(float(value), cast(Any, element))
    return IntegerAttr(int(value), cast(Any, element))


def is_bool(element: Attribute) -> bool:
    return element == i1


@dataclass(frozen=True)
class ElementSet:
    """A set of element types and how messages call it: `a float`, `an integer`."""

    description: str
    members: tuple[Attribute, ...]

    def check(self, *values: SSAValue | Attribute) -> None:
        """Raise unless every one of the tensors `values` has such elements."""
        for element in map(element_of, values):
            if element not in self.members:
                raise VerifyException(
                    f"expected {self.description} element type, got {element}"
                )


_INTEGERS = tuple(
    _ELEMENTS[each.name]
    for each in NUMBER_TYPES
    if not each.is_float and not each.byte and each.dtype != "bool"
)

FLOAT = ElementSet("a float", tuple(_FLOATS.values()))
INDEX = ElementSet("an i32 or i64", (i32, i64))
INTEGER = ElementSet("an integer", _INTEGERS)
NUMBER = ElementSet("a float or integer", (*_FLOATS.values(), *_INTEGERS))
WIDE_NUMBER = ElementSet(
    "a float or an integer of 32 or 64 bits", (*_FLOATS.values(), i32, i64, ui32, ui64)
)
"""The elements of sums and products: narrower integers would soon wrap."""
BOOL = ElementSet("an i1", (i1,))
COMPUTED = ElementSet("a supported", (*_FLOATS.values(), *_INTEGERS, i1))
ANY = ElementSet("a supported", (*COMPUTED.members, *_SMALL))
"""The elements of what is moved or converted: also those that nothing computes with."""


def type_of(value: SSAValue | Attribute) -> Attribute:
    """Return the type of `value`, or `value` itself if it is a type."""
    # The exact classes first, without a call: others are abstract, and slow to ask for.
    kind: object = type(value)
    if kind is OpResult or kind is BlockArgument:
        return value._type  # pyright: ignore
    if kind is TensorType or kind is MemRefType:
        return value  # pyright: ignore[reportReturnType]
    return value.type if isinstance(value, SSAValue) else value


def tensor_type(value: SSAValue | Attribute) -> AnyTensorType:
    """Return the tensor type of `value` (or `value`, if it is one)."""
    # As `type_of`, and no call of it: passes ask most often.
    kind: object = type(value)
    is_value = kind is OpResult or kind is BlockArgument
    type_: Any = value._type if is_value else type_of(value)  # pyright: ignore
    is_tensor = type(type_) is TensorType  # pyright: ignore
    if not is_tensor:
        raise VerifyException(f"expected a tensor, got {type_}")
    return type_


def shape_of(value: SSAValue | Attribute, rank: int | None = None) -> tuple[int, ...]:
    """Return the static shape of tensor `value`, of `rank` axes if given."""
    type_ = tensor_type(value)
    # Each pass asks for many: a list and its least extent take half the time of loops.
    shape = tuple([extent.data for extent in type_.shape.data])
    if shape and min(shape) < 0:
        raise VerifyException(f"expected a static shape, got {type_}")
    if rank is not None and len(shape) != rank:
        raise VerifyException(f"expected a tensor of rank {rank}, got {type_}")
    return shape


def element_of(value: SSAValue | Attribute) -> Attribute:
    """Return the element type of tensor `value`."""
    return tensor_type(value).element_type


def itemsize_of(value: SSAValue | Attribute) -> int:
    """Return the bytes of one element of tensor `value`."""
    return dtype_of(element_of(value)).itemsize


def size_bytes(value: SSAValue | Attribute) -> int:
    """Return how many bytes the elements of tensor `value` take, padding aside."""
    return prod(shape_of(value)) * itemsize_of(value)


def has_layout(value: SSAValue | Attribute) -> bool:
    """Return whether tensor `value` says its physical order."""
    return not isinstance(tensor_type(value).encoding, NoneAttr)


MAX_AXES = 32
"""How many axes a tensor may have: NumPy broadcasts and iterates over no more."""

MAX_BYTES = 1 << 40
"""How large a tensor may be: no machine of today holds one in memory."""


def check_extents(shape: Sequence[int]) -> None:
    """Raise unless there can be a tensor of `shape`; an unknown extent is negative."""
    if len(shape) > MAX_AXES:
        raise VerifyException(f"expected at most {MAX_AXES} axes, got {len(shape)}")
    if (count := prod(max(extent, 1) for extent in shape)) > MAX_BYTES:
        raise VerifyException(f"expected at most {MAX_BYTES} elements, got {count}")


def tensor(element: Attribute, shape: Sequence[int]) -> AnyTensorType:
    """Return the tensor type without a layout of this element type and shape."""
    return _tensor(element, tuple(shape))


@lru_cache(1 << 12)
def _tensor(element: Attribute, shape: tuple[int, ...]) -> AnyTensorType:
    """Return a type that values share: to make one takes longer than to find it."""
    check_extents(shape)
    return TensorType(element, shape)


def normalize_axis(axis: int, rank: int) -> int:
    """Return `axis` counted from the front; it may count from the back."""
    if not hasattr(axis, "__index__"):
        got = with_article(type(axis).__name__)
        raise VerifyException(f"expected an integer as axis, got {got}")
    if not -rank <= axis < rank:
        raise VerifyException(f"expected an axis in [{-rank}, {rank - 1}], got {axis}")
    return axis % rank


def normalize_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Return `axes` counted from the front, sorted; repeated ones are refused."""
    normalized = sorted(normalize_axis(axis, rank) for axis in axes)
    if len(set(normalized)) != len(normalized):
        raise VerifyException(f"expected distinct axes, got {list(axes)}")
    return tuple(normalized)
