"""Tensors and weights of a model file, read as arrays and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, SparseTensorProto, TensorProto, numpy_helper

from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.records import check_distinct, text_of
from glow.support.dtypes import NUMBER_TYPES, dtype_named, is_small
from glow.support.errors import InvalidModelError
from glow.support.mapped_files import contents_of
from glow.support.names import with_article
from glow.support.types import (
    MAX_AXES,
    MAX_BYTES,
    element_type_of,
    width_of,
)

MAX_DENSE_BYTES = 1 << 32  # of a sparse tensor, which a few bytes could ask for

DTYPES: dict[int, np.dtype[Any]] = {
    TensorProto.DataType.Value(each.onnx): dtype_named(each.dtype)
    for each in NUMBER_TYPES
    if each.onnx
}
_FIELDS: dict[int, str] = {
    TensorProto.FLOAT: "float_data",
    TensorProto.DOUBLE: "double_data",
    TensorProto.INT64: "int64_data",
    TensorProto.UINT32: "uint64_data",
    TensorProto.UINT64: "uint64_data",
}
"""Where values of a type lie; those of the others lie in int32_data."""


_TYPE_NAMES: dict[int, str] = {v: k for k, v in TensorProto.DataType.items()}


def type_name(data_type: int) -> str:
    """Return ONNX's name of an element type, such as FLOAT16."""
    return _TYPE_NAMES.get(data_type, f"number {data_type}")


def dtype_of_onnx(data_type: int, owner: str) -> np.dtype[Any]:
    """Return the NumPy type of ONNX element type `data_type`, which `owner` has."""
    if data_type in DTYPES:
        return DTYPES[data_type]
    if data_type == 0 or data_type not in TensorProto.DataType.values():
        raise InvalidModelError(
            f"{owner} has no known element type: {type_name(data_type)}"
        )
    raise Unsupported(f"element type {type_name(data_type)}")


def proto_of(array: NDArray[Any], name: str) -> TensorProto:
    """Return a tensor with the elements of `array`; small integers share bytes."""
    proto = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape))
    proto.name = name
    return proto


def check_extents(shape: tuple[int, ...], itemsize: int, owner: str) -> None:
    """Raise unless a tensor of `shape` could exist."""
    if any(extent < 0 for extent in shape):
        raise InvalidModelError(f"{owner} has a negative extent: {list(shape)}")
    if math.prod(extent or 1 for extent in shape) * itemsize > MAX_BYTES:
        raise InvalidModelError(f"{owner} is too large: {list(shape)}")
    if len(shape) > MAX_AXES:
        raise InvalidModelError(f"{owner} has {len(shape)} axes, more than {MAX_AXES}")


def array_of(
    tensor: TensorProto,
    owner: str,
    folder: Path | None,
    payload: memoryview | None = None,
) -> NDArray[Any]:
    """
    Return the read-only value of `tensor`; external data lie in or below `folder`.

    `payload` is its raw data where that has been taken out of `tensor`.
    Errors: a data type that is not supported, data of another size than the shape,
    external data outside the folder.
    """
    dtype = dtype_of_onnx(tensor.data_type, owner)
    shape = tuple(tensor.dims)
    check_extents(shape, dtype.itemsize, owner)
    if tensor.HasField("segment"):
        raise Unsupported("a tensor in segments")
    count = math.prod(shape)
    if tensor.data_location == TensorProto.EXTERNAL:
        flat = _external(tensor, dtype, count, owner, folder)
    elif payload is not None:
        flat = _from_bytes(payload, dtype, count, owner)
    elif tensor.HasField("raw_data"):
        flat = _from_bytes(tensor.raw_data, dtype, count, owner)
    else:
        flat = _from_field(tensor, dtype, count, owner)
    array = flat.reshape(shape)
    array.flags.writeable = False
    return array


def _bytes_of(dtype: np.dtype[Any], count: int) -> int:
    """Return how many bytes `count` elements have; a byte has several small ones."""
    if is_small(dtype):
        return -(-count * width_of(element_type_of(dtype)) // 8)
    return count * dtype.itemsize


def _unpacked(data: NDArray[np.uint8], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the small integers in each byte, the first one in its low bits."""
    width = width_of(element_type_of(dtype))
    parts = data[:, None] >> np.arange(0, 8, width, dtype=np.uint8)
    return (parts.reshape(-1) & np.uint8((1 << width) - 1)).view(dtype)


def _from_bytes(
    data: bytes | memoryview, dtype: np.dtype[Any], count: int, owner: str
) -> NDArray[Any]:
    expected = _bytes_of(dtype, count)
    if len(data) != expected:
        raise InvalidModelError(
            f"{owner} has {len(data)} bytes of data, expected {expected}"
        )
    if is_small(dtype):
        return _unpacked(np.frombuffer(data, np.uint8), dtype)[:count]
    if dtype == np.bool_:
        return np.frombuffer(data, np.uint8) != 0
    little = np.frombuffer(data, dtype.newbyteorder("<"))
    return little.astype(dtype, copy=False)


def _from_field(
    tensor: TensorProto, dtype: np.dtype[Any], count: int, owner: str
) -> NDArray[Any]:
    field = _FIELDS.get(tensor.data_type, "int32_data")
    values, packed = getattr(tensor, field), is_small(dtype)
    expected = _bytes_of(dtype, count) if packed else count
    if len(values) != expected:
        raise InvalidModelError(
            f"{owner} has {len(values)} elements in {field}, expected {expected}"
        )
    if dtype == np.bool_:
        return np.array(values, np.int32) != 0
    if field in ("float_data", "double_data"):
        return np.array(values, dtype)
    bits = dtype if dtype.kind in "iu" else np.dtype("u1" if packed else "u2")
    stored = np.array(values, field.removesuffix("_data"))
    array = stored.astype(bits)
    if (array != stored).any():
        raise InvalidModelError(
            f"{owner} has an element in {field} that is not {with_article(dtype.name)}"
        )
    if packed:
        return _unpacked(array, dtype)[:count]
    return array.view(dtype)  # of floats of 16 bits, the field has the bits


def _external(
    tensor: TensorProto,
    dtype: np.dtype[Any],
    count: int,
    owner: str,
    folder: Path | None,
) -> NDArray[Any]:
    entries: dict[str, str] = {e.key: e.value for e in tensor.external_data}
    if folder is None:
        raise InvalidModelError(
            f"{owner} has external data; load the model from its file to find them"
        )
    path = _path_inside(entries.get("location", ""), owner, folder)
    offset = _entry(entries, "offset", 0, owner)
    data = contents_of(path)
    size = len(data)
    length = _entry(entries, "length", max(0, size - offset), owner)
    if length != _bytes_of(dtype, count):
        raise InvalidModelError(
            f"{owner} has {length} bytes of external data, "
            f"expected {_bytes_of(dtype, count)}"
        )
    if offset + length > size:
        raise InvalidModelError(
            f"{owner} ends at byte {offset + length} of {path.name}, "
            f"which has {size} bytes"
        )
    return _from_bytes(data[offset : offset + length], dtype, count, owner)


def _path_inside(location: str, owner: str, folder: Path) -> Path:
    """Return the file at `location`, which may not lead out of `folder`, by links."""
    refused = f"{owner} has its data at {location!r}"
    relative = Path(location)
    if not location or "\0" in location or relative.is_absolute():
        raise InvalidModelError(f"{refused}, expected a path relative to the model")
    if ".." in relative.parts:
        raise InvalidModelError(f"{refused}, outside the folder of the model")
    try:
        path = (folder / relative).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "a loop of links"
        raise InvalidModelError(f"{refused}: {reason.lower()}") from None
    if not path.is_relative_to(folder.resolve()):
        raise InvalidModelError(f"{refused}, a link out of the folder of the model")
    if not path.is_file():
        raise InvalidModelError(f"{refused}, which is not a file")
    return path


def _entry(entries: dict[str, str], key: str, default: int, owner: str) -> int:
    text = entries.get(key)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InvalidModelError(f"{owner} has external data with {key} {text!r}")
    return int(text)


def dense_of(
    sparse: SparseTensorProto, owner: str, folder: Path | None
) -> NDArray[Any]:
    """
    Return the read-only value of a sparse tensor.

    Errors: what `array_of` raises, indices of another type or shape, that do not
    ascend, or that lie outside. Unsupported for more than 4 GiB.
    """
    values = array_of(sparse.values, f"the values of {owner}", folder)
    shape = tuple(sparse.dims)
    check_extents(shape, values.itemsize, owner)
    if values.ndim != 1 or not shape:
        raise InvalidModelError(
            f"{owner} has {values.ndim} axes of values and {len(shape)} axes itself, "
            "expected 1 and at least 1"
        )
    if math.prod(shape) * values.itemsize > MAX_DENSE_BYTES:
        raise Unsupported(f"a sparse tensor of shape {list(shape)}")
    places = _places(sparse.indices, len(values), shape, owner, folder)
    dense = np.zeros(shape, values.dtype)
    dense.reshape(-1)[places] = values
    dense.flags.writeable = False
    return dense


def _places(
    indices: TensorProto,
    count: int,
    shape: tuple[int, ...],
    owner: str,
    folder: Path | None,
) -> NDArray[np.int64]:
    """Return where values lie in the flat tensor."""
    array = array_of(indices, f"the indices of {owner}", folder)
    if array.dtype != np.int64 or array.shape not in ((count,), (count, len(shape))):
        raise InvalidModelError(
            f"{owner} has indices {array.dtype}{list(array.shape)}, expected "
            f"int64[{count}] or int64[{count}, {len(shape)}]"
        )
    limits = np.array([math.prod(shape)] if array.ndim == 1 else shape)
    rows = array.reshape(count, len(limits))
    if ((rows < 0) | (rows >= limits)).any():
        raise InvalidModelError(f"{owner} has indices outside of {list(shape)}")
    if array.ndim == 2:
        array = np.ravel_multi_index(tuple(rows.T), shape) if count else rows[:, 0]
    if (np.diff(array) <= 0).any():
        raise InvalidModelError(f"{owner} has indices that do not ascend")
    return array


Weights = Mapping[str, Callable[[], NDArray[Any]]]
"""The weights of a graph by name, each as a function that reads it."""


def weights_of(
    graph: GraphProto,
    payloads: Sequence[memoryview | None],
    folder: Path | None,
    given: Mapping[str, NDArray[Any]],
) -> Weights:
    """
    Return the initializers of a graph, dense and sparse; `given` arrays come first.

    `payloads` are the raw data of the dense ones, None where these still have it.
    """
    tensors = [*graph.initializer, *(each.values for each in graph.sparse_initializer)]
    names = [text_of(each.name, "an initializer name") for each in tensors]
    check_distinct(names, "initializers")
    owners = iter([f'initializer "{name}"' for name in names])
    rest = chain(payloads, repeat(None))
    readers = [
        partial(array_of, tensor, next(owners), folder, payload)
        for tensor, payload in zip(graph.initializer, rest, strict=False)
    ]
    sparse = graph.sparse_initializer
    readers += [partial(dense_of, each, next(owners), folder) for each in sparse]
    own = {name: partial(np.asarray, array) for name, array in given.items()}
    return {**own, **dict(zip(names, readers, strict=True)), **own}
