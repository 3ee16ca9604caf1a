"""Sparse tensors of a model file, read as dense arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import SparseTensorProto, TensorProto

from glow.importers.onnx.problems import Unsupported
from glow.importers.onnx.tensors import array_of, check_extents
from glow.support.errors import InvalidModelError

MAX_DENSE_BYTES = 1 << 32
"""Limit of a dense array, which a few bytes in a model could ask for."""


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
