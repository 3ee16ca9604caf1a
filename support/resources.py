"""Bytes of constants outside the IR, addressed by what they contain."""

import hashlib
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray


class Resource:
    """
    A read-only array that attributes refer to by the SHA-256 of its bytes.

    Whoever holds an attribute holds the resource, so bytes live as long as the IR or
    the executable that uses them, and no longer.
    """

    def __init__(self, array: NDArray[Any]):
        view = np.ascontiguousarray(array).view()
        view.flags.writeable = False
        self.array = view

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of dtype, shape and bytes, in hexadecimal."""
        header = f"{self.array.dtype.str}{self.array.shape}".encode()
        digest = hashlib.sha256(header)
        digest.update(self.array.reshape(-1).view(np.uint8).data)
        text = digest.hexdigest()
        _LIVE.setdefault(text, self)
        return text


_LIVE: WeakValueDictionary[str, Resource] = WeakValueDictionary()


def find_resource(digest: str) -> Resource | None:
    """Return the live resource with this digest, if this process holds one."""
    return _LIVE.get(digest)
