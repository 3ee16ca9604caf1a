"""Types of the loops level in LLVM: values, lanes of vectors, elements in memory."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i8,
    i16,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.support import attributes
from glow.support.types import is_narrow_float

PTR = llvm.LLVMPointerType()
VOID = llvm.LLVMVoidType()


def integer(value: int, type_: IntegerType = i64) -> IntegerAttr[Any]:
    return attributes.integer(value) if type_ == i64 else _integer(value, type_)


@cache
def _integer(value: int, type_: IntegerType) -> IntegerAttr[Any]:
    return IntegerAttr(value, type_)


def element_type(type_: Attribute) -> Attribute:
    """Return the type of the lanes of a vector, or of a scalar itself."""
    return cast(Any, type_).element_type if isinstance(type_, VectorType) else type_


def lanes_of(type_: Attribute) -> int | None:
    """Return the lanes of a vector type; None for a scalar."""
    if not isinstance(type_, VectorType):
        return None
    if type_.get_num_dims() != 1:
        raise PassFailedException(f"expected vectors of one axis, got {type_}")
    return type_.get_shape()[0]


def with_element(type_: Attribute, element: Attribute) -> Attribute:
    """Return `type_`, scalar or vector, with another element type."""
    lanes = lanes_of(type_)
    return element if lanes is None else VectorType(element, [lanes])


def converted(type_: Attribute) -> Attribute:
    """
    Return the LLVM type for `type_`: an i64 for an index, a pointer for a memref.

    Floats of 16 bits are their bits, which LLVM moves on any target as it should.
    """
    if isinstance(type_, IndexType):
        return i64
    if isinstance(type_, MemRefType):
        return PTR
    element, lanes = element_type(type_), lanes_of(type_)
    if isinstance(element, IndexType):
        return i64 if lanes is None else VectorType(i64, [lanes])
    if is_narrow_float(element):
        return i16 if lanes is None else VectorType(i16, [lanes])
    return type_


def bits_of_floats(value: Any, type_: Attribute) -> Attribute:
    """Return a constant of floats of 16 bits as integers of type `type_`."""
    if not isinstance(value, DenseIntOrFPElementsAttr):
        bits = value.type.pack([value.value.data])
        return integer(int.from_bytes(bits, "little"), i16)
    return DenseIntOrFPElementsAttr(cast(Any, type_), value.data)


def is_bool(type_: Attribute) -> bool:
    return element_type(type_) == i1


def stored(type_: Attribute) -> Attribute:
    """Return the type that a value of `type_` has in memory: an i1 is a byte there."""
    return with_element(type_, i8) if is_bool(type_) else converted(type_)


@cache
def size_of(type_: Attribute) -> int:
    """Return the bytes of a scalar type in memory."""
    own = stored(type_)
    return 8 if own == PTR else max(1, own.bitwidth // 8)  # pyright: ignore


@cache
def suffix(type_: Attribute) -> str:
    """Return how LLVM mangles `type_` in the name of an intrinsic: v8f32, i64, p0."""
    lanes = lanes_of(type_)
    if lanes is not None:
        return f"v{lanes}{suffix(element_type(type_))}"
    return "p0" if type_ == PTR else str(type_)


def constant_of(value: SSAValue) -> int | None:
    """Return the integer that `value` always is, if that is known."""
    owner = value.owner
    if type(owner) is arith.ConstantOp and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
