"""Tensors of other libraries, lists and numbers, as arrays of NumPy."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from glow.runtime.tensor_spec import TensorSpec
from glow.support.arrays import Array
from glow.support.dtypes import dtype_named
from glow.support.errors import BindingError
from glow.support.names import with_article

_BFLOAT16 = "bfloat16"


def as_arrays(
    values: Mapping[str, object], specs: Mapping[str, TensorSpec]
) -> dict[str, object]:
    """Return `values` by name; those of `specs` as arrays, if they can be."""
    return {
        name: as_array(value, specs[name]) if name in specs else value
        for name, value in values.items()
    }


def as_array(value: object, spec: TensorSpec) -> object:
    """
    Return `value` as an array, or unchanged if it cannot be one.

    Objects with `__dlpack__` (on a CPU), `__array__` or `__array_interface__` share
    their memory if possible. Python's lists and numbers are copied to elements of the
    type of `spec`, if this is of their kind or a wider one: integers become floats.
    """
    if isinstance(value, np.ndarray | np.generic):
        return cast(object, value)
    try:
        if hasattr(value, "__dlpack__"):
            return _from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError):
        pass  # on another device, or of a type that NumPy has not: by __array__
    try:
        if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
            return np.asarray(value)
        if isinstance(value, list | tuple | bool | int | float):
            return _of_numbers(cast(object, value), spec)
    except (RuntimeError, TypeError, ValueError, OverflowError):
        pass  # the caller reports its type
    return cast(object, value)


def _from_dlpack(value: Any) -> Array:
    """Return an array that shares memory; NumPy's DLPack has no bfloat16."""
    if str(getattr(value, "dtype", None)) != f"torch.{_BFLOAT16}":
        return np.from_dlpack(value)
    return np.from_dlpack(value.view(_library_of(value).int16)).view(
        dtype_named(_BFLOAT16)
    )


def of_kind(arrays: Mapping[str, Array], like: object) -> dict[str, Any]:
    """
    Return arrays as tensors of the library that `like` is of, without copies.

    Errors: BindingError for a library that takes no arrays by DLPack.
    """
    library = _library_of(like)
    if isinstance(like, np.ndarray):
        return dict(arrays)
    if not hasattr(library, "from_dlpack"):
        library = getattr(library, "dlpack", None)
    if not hasattr(library, "from_dlpack"):
        raise BindingError(
            "like: expected an array of a library that has from_dlpack, got "
            f"{with_article(type(like).__name__)}"
        )
    return {name: _of_library(array, library) for name, array in arrays.items()}


def _library_of(value: object) -> Any:
    """Return the package that defines the type of a value."""
    return sys.modules[type(value).__module__.partition(".")[0]]


def _of_library(array: Array, library: Any) -> Any:
    if array.dtype.name != _BFLOAT16:
        return library.from_dlpack(array)
    return library.from_dlpack(array.view(np.int16)).view(library.bfloat16)


def _of_numbers(value: object, spec: TensorSpec) -> object:
    """Return numbers in lists as an array, if elements of `spec` hold such."""
    array = np.asarray(value)
    if not spec.is_typed or array.size == 0:
        return array.astype(spec.dtype) if spec.is_typed else array
    kinds = "biufV"  # V: bfloat16 and its like, which are floats
    kind = kinds.find(array.dtype.kind)
    if not 0 <= kind <= kinds.find(spec.dtype.kind):
        return value
    if array.dtype.kind == "i":  # raises if some do not fit
        np.asarray(value, spec.dtype)
    return array.astype(spec.dtype)
