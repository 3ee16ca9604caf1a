"""Tensors of PyTorch and arrays of NumPy that share their memory."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from glow.support.arrays import Array
from glow.support.dtypes import dtype_named
from glow.support.errors import UnsupportedModelError

_torch: Any = import_module("torch")
_BFLOAT16 = dtype_named("bfloat16")


def array_of(tensor: Any) -> Array:
    """
    Return the elements of a tensor, without a copy.

    Errors: UnsupportedModelError for a tensor that is not plain memory of the CPU.
    """
    try:
        if tensor.dtype == _torch.bfloat16:  # which NumPy has not
            return tensor.detach().view(_torch.int16).numpy().view(_BFLOAT16)
        return tensor.detach().numpy()
    except (TypeError, RuntimeError, NotImplementedError):
        raise UnsupportedModelError(
            f"expected dense tensors of real numbers on the CPU, got one of "
            f"{tensor.dtype} and {tensor.layout} on {tensor.device}"
        ) from None


def tensor_of_array(array: Array, strides: Sequence[int] | None = None) -> Any:
    """
    Return a tensor that shares the memory of an array, contiguous by default.

    With `strides` its axes lie in memory in the order that these have: then it is a
    copy, unless that is the array's own.
    """
    if array.dtype == _BFLOAT16:
        tensor = _torch.from_numpy(array.view(np.int16)).view(_torch.bfloat16)
    else:
        tensor = _torch.from_numpy(array)
    if strides is None:
        return tensor
    order = sorted(range(tensor.ndim), key=lambda axis: -strides[axis])
    back = [order.index(axis) for axis in range(tensor.ndim)]
    return tensor.permute(order).contiguous().permute(back)
