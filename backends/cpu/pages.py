"""Pages of memory for machine code: written once, then run or read only."""

from __future__ import annotations

import ctypes
import mmap
import os

from glow.support.errors import ExecutionError


class Pages:
    """
    Memory that is written through `data`, until `seal` makes it code.

    No byte of it can be written and run at the same time. It lives as long as this
    value. For systems that have mprotect.
    """

    def __init__(self, size: int):
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.data = mmap.mmap(-1, max(size, 1), flags)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.data))

    def seal(self, code_bytes: int) -> None:
        """Make the first `code_bytes`, whole pages, code, and the rest constants."""
        readable, runnable = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_EXEC
        self._protect(0, code_bytes, runnable)
        self._protect(code_bytes, len(self.data) - code_bytes, readable)

    def _protect(self, start: int, size: int, protection: int) -> None:
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        if size and protect(self.address + start, size, protection):
            reason = os.strerror(ctypes.get_errno())
            raise ExecutionError(f"this system runs no code made in memory: {reason}")
