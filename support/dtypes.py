"""Number types as NumPy knows them, and how IR and files call them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NumberType:
    """
    A type of elements: what it is called in IR, NumPy, safetensors and ONNX.

    `onnx` is empty where ONNX lacks it. `byte` is what integers of fewer than 8 bits
    convert to; each lies in a byte, and nothing computes with them.
    """

    name: str
    dtype: str
    safetensors: str
    onnx: str
    is_float: bool = False
    byte: str = ""


NUMBER_TYPES = (
    NumberType("f16", "float16", "F16", "FLOAT16", is_float=True),
    NumberType("bf16", "bfloat16", "BF16", "BFLOAT16", is_float=True),
    NumberType("f32", "float32", "F32", "FLOAT", is_float=True),
    NumberType("f64", "float64", "F64", "DOUBLE", is_float=True),
    NumberType("i8", "int8", "I8", "INT8"),
    NumberType("i16", "int16", "I16", "INT16"),
    NumberType("i32", "int32", "I32", "INT32"),
    NumberType("i64", "int64", "I64", "INT64"),
    NumberType("ui8", "uint8", "U8", "UINT8"),
    NumberType("ui16", "uint16", "U16", "UINT16"),
    NumberType("ui32", "uint32", "U32", "UINT32"),
    NumberType("ui64", "uint64", "U64", "UINT64"),
    NumberType("i4", "int4", "I8", "INT4", byte="int8"),
    NumberType("i2", "int2", "I8", "INT2", byte="int8"),
    NumberType("ui4", "uint4", "U8", "UINT4", byte="uint8"),
    NumberType("ui2", "uint2", "U8", "UINT2", byte="uint8"),
    NumberType("i1", "bool", "BOOL", "BOOL"),
)
"""All types of elements; every table of them follows from this one."""

_BFLOAT16 = "bfloat16"
_FLOAT32 = np.dtype(np.float32)
_BYTES = {each.dtype: each.byte for each in NUMBER_TYPES if each.byte}


@cache
def dtype_named(name: Any) -> np.dtype[Any]:
    """Return NumPy's type of this name, or that of ml_dtypes; else TypeError."""
    if isinstance(name, str) and (name == _BFLOAT16 or name in _BYTES):
        return np.dtype(getattr(import_module("ml_dtypes"), name))
    return np.dtype(name)


def name_in_files(dtype: np.dtype[Any]) -> str:
    """Return the name of `dtype` in files; `dtype_named` is the inverse."""
    return dtype.name if is_small(dtype) or dtype.name == _BFLOAT16 else dtype.str


def is_small(dtype: np.dtype[Any]) -> bool:
    """Return whether elements are integers of fewer than 8 bits, each in a byte."""
    return dtype.name in _BYTES


def byte_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the integers of 8 bits that small ones convert to; others stay."""
    return np.dtype(_BYTES.get(dtype.name, dtype))


def is_floating(dtype: np.dtype[Any]) -> bool:
    """Return whether elements are floats; to NumPy, bfloat16 is of no kind."""
    return dtype.kind == "f" or (dtype.kind == "V" and dtype.name == _BFLOAT16)


def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Return whether elements are floats of 16 bits, which ops compute in float32."""
    return dtype.itemsize == 2 and is_floating(dtype)


def limits_of(dtype: np.dtype[Any]) -> Any:
    """Return the lowest and highest finite number of `dtype` as `min` and `max`."""
    if dtype.kind == "V":
        types = import_module("ml_dtypes")
        return types.iinfo(dtype) if is_small(dtype) else types.finfo(dtype)
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """Return floats of 16 bits as float32, exactly, and other arrays as they are."""
    return array.astype(_FLOAT32) if is_narrow(array.dtype) else array


def narrowed(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """
    Return numbers rounded to floats of 16 bits, to nearest even, by way of float32.

    What is too large becomes an infinity, as in hardware.
    """
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"):
        return array.astype(_FLOAT32, copy=False).astype(dtype)
