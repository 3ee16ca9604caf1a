"""Bytes of constants outside the IR, addressed by their content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from glow.support.arrays import blocks_of
from glow.support.dtypes import is_small
from glow.support.mapped_files import forget


class Resource:
    """
    A read-only array that attributes refer to by the SHA-256 of its bytes.

    Attributes hold it, so bytes live as long as the IR or executables that use them.
    """

    def __init__(self, array: NDArray[Any]):
        view = np.ascontiguousarray(array).reshape(np.shape(array)).view()
        view.flags.writeable = False
        self.array = view
        self._settled: NDArray[Any] | None = None
        self._first: Resource | None = None
        """The equal resource found by its digest, kept alive as long as this one."""

    def settle(self, place: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        """
        Keep and return the result of `place`, an equal array that all then share.

        `place` is called once: all executables of this process share its result.
        """
        if self._settled is not self.array:
            self._settled = self.array = place(self.array)
        return self.array

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of dtype, shape and bytes, in hexadecimal."""
        dtype = self.array.dtype
        kind = dtype.name if is_small(dtype) else dtype.str
        header = f"{kind}{self.array.shape}".encode()
        digest = hashlib.sha256(header)
        for block in blocks_of(self.array):
            digest.update(block.data)
            forget(block)
        text = digest.hexdigest()
        first = _LIVE.setdefault(text, self)
        if first is not self:
            self._first, self.array = first, first.array
        return text


_LIVE: WeakValueDictionary[str, Resource] = WeakValueDictionary()


def find_resource(digest: str) -> Resource | None:
    """Return the live resource with this digest, if this process holds one."""
    return _LIVE.get(digest)


class Handle:
    """A digest, and its bytes if this process has them."""

    def __init__(self, resource: Resource | None, digest: str | None = None):
        self.resource = resource
        self._digest = digest

    @property
    def digest(self) -> str:
        if self._digest is None:
            assert self.resource is not None
            self._digest = self.resource.digest
        return self._digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        same = self.resource is not None and self.resource is other.resource
        return same or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def find(self) -> Resource | None:
        """Return the bytes, also if their file was read after this was made."""
        if self.resource is None:
            self.resource = find_resource(self.digest)
        return self.resource
