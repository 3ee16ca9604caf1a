"""Constants in a file beside textual IR, each under its digest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from errno import ENOENT
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute, Data

from glow.support.arrays import blocks_of
from glow.support.dtypes import NUMBER_TYPES, dtype_named, is_small
from glow.support.errors import InvalidModelError
from glow.support.files import replace_file
from glow.support.mapped_files import contents_of, forget
from glow.support.resources import Handle, Resource
from glow.support.walking import ops_in


def save_weights(module: ModuleOp, path: Path) -> None:
    """
    Write to `path` the bytes that `module` refers to, as far as this process has them.

    The safetensors file appears whole or not at all, and is the same for the same
    constants. Pages of mapped files are given back once read.
    """
    resources = {resource.digest: resource for resource in resources_of(module)}
    replace_file(
        path, _pieces({name: resources[name].array for name in sorted(resources)})
    )


def resources_of(module: ModuleOp) -> Iterator[Resource]:
    """Yield the bytes that `module` refers to, as far as this process has them."""
    for op in (module, *ops_in(module.body)):
        for attribute in (*op.properties.values(), *op.attributes.values()):
            yield from _resources_in(attribute)


def _resources_in(attribute: Attribute) -> Iterator[Resource]:
    kind = _kind_of(type(attribute))
    if kind is ArrayAttr:
        for item in cast(ArrayAttr[Attribute], attribute):
            yield from _resources_in(item)
    elif kind is Data:
        handle = cast(Data[object], attribute).data
        resource = handle.find() if isinstance(handle, Handle) else None
        if resource is not None:
            yield resource


@cache
def _kind_of(kind: type[Attribute]) -> type | None:
    """Return `ArrayAttr` or `Data` if attributes of `kind` are such, else None."""
    return next((each for each in (ArrayAttr, Data) if issubclass(kind, each)), None)


def load_weights(path: Path) -> tuple[Resource, ...]:
    """
    Map a file of `save_weights`; IR parsed while the result lives finds its bytes.

    Errors: InvalidModelError for a corrupt file, or bytes of another digest.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with cast(Any, safe_open)(path, framework="np") as file:  # which checks all
            digests: list[str] = file.keys()
        arrays = _arrays_in(contents_of(path))
        return tuple(_checked(path, digest, arrays[digest]) for digest in digests)
    except FileNotFoundError:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path)) from None
    except (OSError, SafetensorError, TypeError, KeyError, ValueError) as error:
        raise InvalidModelError(f"{path}: no weights file: {_line(error)}") from None


_NAMES = {each.dtype: each.safetensors for each in NUMBER_TYPES}
# Of several types with one name there, the first; metadata name any other.
_DTYPES = {each.safetensors: each.dtype for each in reversed(NUMBER_TYPES)}
_METADATA = "__metadata__"
_LENGTH_BYTES = 8
_ALIGNMENT = 8


def _pieces(arrays: Mapping[str, NDArray[Any]]) -> Iterator[bytes | memoryview]:
    """
    Yield a safetensors file; the library would make all of it in memory first.

    Large elements come first, so that all are at multiples of their size.
    """
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    header: dict[str, Any] = {}
    end = 0
    for name, array in ordered:
        start, end = end, end + array.nbytes
        dtype = _NAMES[array.dtype.name]
        offsets = [start, end]
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": offsets}
    small = {name: a.dtype.name for name, a in arrays.items() if is_small(a.dtype)}
    if small:
        header[_METADATA] = small
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    yield len(text).to_bytes(_LENGTH_BYTES, "little") + text
    for _, array in ordered:
        for block in blocks_of(array):
            yield block.data
            forget(block)


def _arrays_in(data: memoryview) -> dict[str, NDArray[Any]]:
    """Return the arrays of a safetensors file where they lie; the library copies."""
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    header = json.loads(bytes(data[_LENGTH_BYTES:start]))
    names: dict[str, str] = header.pop(_METADATA, {})
    arrays: dict[str, NDArray[Any]] = {}
    for name, entry in header.items():
        first, last = (start + offset for offset in entry["data_offsets"])
        dtype = dtype_named(names.get(name) or _DTYPES[entry["dtype"]])
        flat = np.frombuffer(data[first:last], dtype)
        arrays[name] = flat.reshape(entry["shape"])
    return arrays


def _checked(path: Path, digest: str, array: NDArray[Any]) -> Resource:
    resource = Resource(array)
    if resource.digest != digest:
        raise InvalidModelError(
            f"{path}: expected bytes of digest {_line(digest)}, got {resource.digest}"
        )
    return resource


def _line(error: object) -> str:
    """Return text of a file, or about it, on one line of printable characters."""
    text = " ".join(str(error).split())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
