"""Tensors of PyTorch and arrays of NumPy that share their memory."""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Sequence
from ctypes import c_uint64
from importlib import import_module
from operator import attrgetter
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

    With `strides`, its axes lie in memory in the order of these; it is then a copy,
    unless the axes of the array already lie so.
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


_ADDRESS: Callable[[Any], int] = _torch.Tensor.data_ptr
_COUNTER: Callable[[Any], int] = attrgetter("_version")
_WORD = 8
_MEMORY: Any = (c_uint64 * ((1 << 48) // _WORD - 2 * mmap.PAGESIZE)).from_address(_WORD)
_WORDS = np.frombuffer(_MEMORY, np.uint64)
"""All of memory, but address 0, of which NumPy makes no array."""


class Snapshot:
    """
    Tensors at a moment: tells later which were written to or replaced.

    It compares addresses, PyTorch's counters of writes, and the largest and the
    smallest number of each tensor, as writes through `.data` and NumPy are not counted.
    It does not keep the tensors alive; `forget` is called when one of them is freed.
    """

    def __init__(self, tensors: Sequence[Any], forget: Callable[[], None]):
        def ended(_: Any) -> None:
            forget()

        self._tensors = [weakref.ref(each, ended) for each in tensors]
        self._addresses = list(map(_ADDRESS, tensors))
        self._writes = list(map(_writes, tensors))
        self._are_counted = not any(each.is_inference() for each in tensors)
        probes = [_probes(array_of(each)) for each in tensors]
        self._owners = np.repeat(range(len(probes)), [len(each) for each in probes])
        found = [probe for some in probes for probe in some]
        addresses, masks = zip(*found, strict=True) if found else ((), ())
        self._places = np.array(addresses, np.int64) // _WORD - 1
        self._masks = np.array(masks, np.uint64)
        self._numbers = self._read()

    def changed(self, tensors: Sequence[Any]) -> set[int]:
        """Return the places of tensors that have been replaced or written to."""
        pairs = zip(self._tensors, tensors, strict=True)
        found = {place for place, (ref, own) in enumerate(pairs) if ref() is not own}
        if found:
            return found
        get = _COUNTER if self._are_counted else _writes
        addresses, writes = list(map(_ADDRESS, tensors)), list(map(get, tensors))
        for now, before in ((addresses, self._addresses), (writes, self._writes)):
            if now != before:
                pairs = enumerate(zip(now, before, strict=True))
                found |= {place for place, (one, other) in pairs if one != other}
        if found:  # where an address is another one, the old memory may be gone
            return found
        return set(self._owners[self._read() != self._numbers].tolist())

    def _read(self) -> Array:
        return _WORDS.take(self._places) & self._masks


def _writes(tensor: Any) -> int:
    """Return PyTorch's count of writes in place, 0 for tensors that have none."""
    return 0 if tensor.is_inference() else tensor._version


def _probes(array: Array) -> list[tuple[int, int]]:
    """Return the addresses of the extremes of an array, and their masks in words."""
    if not array.size:
        return []
    found = list[tuple[int, int]]()
    for number in {int(array.argmax()), int(array.argmin())}:
        place = np.unravel_index(number, array.shape)
        steps = zip(place, array.strides, strict=True)
        address = array.ctypes.data + sum(int(i) * step for i, step in steps)
        bits = min(8 * array.itemsize, 64)
        found.append((address, (1 << bits) - 1 << 8 * (address % _WORD)))
    return found
