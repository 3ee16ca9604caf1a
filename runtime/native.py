"""Run compiled code: a table of pointers in, a fault code out; no IR."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from glow.runtime.image import Image
from glow.runtime.image_file import write_image
from glow.runtime.interface import Executable
from glow.runtime.signature import Array, Signature
from glow.support.arrays import address_of, aligned, aligned_empty
from glow.support.errors import ExecutionError

# void main(arena, io, constants, fault); the call lets other threads run.
_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


class _Frame:
    """What one run at a time owns: an arena, the table of pointers, the fault code."""

    def __init__(self, arena_bytes: int, constants: Any, slots: int):
        self._arena = aligned_empty(arena_bytes)
        self.io = (ctypes.c_void_p * max(slots, 1))()
        self.fault = ctypes.c_int32(0)
        self.arguments = tuple(
            ctypes.c_void_p(address)
            for address in (
                address_of(self._arena),
                ctypes.addressof(self.io),
                ctypes.addressof(constants),
                ctypes.addressof(self.fault),
            )
        )


class NativeExecutable(Executable):
    """
    A compiled model as machine code.

    Concurrent runs have an arena each. Arenas are kept for later runs, so that a run
    allocates nothing but the arrays it returns. Errors: an ExecutionError with the
    message of the first fault.
    """

    def __init__(self, image: Image, entry: int, code: object):
        """`entry` is the address of main, and `code` what keeps it there."""
        bindings = image.bindings
        inputs = [b for b in bindings if b.direction != "out"]
        outputs = [b for b in bindings if b.direction != "in"]
        super().__init__(
            Signature(tuple(b.spec for b in inputs), tuple(b.spec for b in outputs))
        )
        self._code = code
        self._constants = tuple(map(aligned, image.constants))
        self._image = replace(image, constants=self._constants)
        self._entry = _ENTRY(entry)
        self._input_slots = [i for i, b in enumerate(bindings) if b.direction == "in"]
        self._output_slots = [i for i, b in enumerate(bindings) if b.direction != "in"]
        self._slots = len(bindings)
        # Positions among inputs and outputs of what is read and written.
        self._updates = [
            (inputs.index(b), outputs.index(b))
            for b in bindings
            if b.direction == "inout"
        ]
        self._read = [i for i, b in enumerate(inputs) if b.direction == "in"]
        addresses = [address_of(array) for array in self._constants]
        self._table = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        self._frames: list[_Frame] = []

    def execute(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        for source, target in self._updates:
            outputs[target][...] = inputs[source]
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._new_frame()
        io = frame.io
        for slot, position in zip(self._input_slots, self._read, strict=True):
            io[slot] = address_of(inputs[position])
        for slot, array in zip(self._output_slots, outputs, strict=True):
            io[slot] = address_of(array)
        self._entry(*frame.arguments)
        code = frame.fault.value
        frame.fault.value = 0
        self._frames.append(frame)
        if code:
            raise ExecutionError(self._image.messages[code - 1])

    def _new_frame(self) -> _Frame:
        # The first run of all comes by here, and no run of a steady series does.
        if self._image.check is not None:
            self._image.check()
        return _Frame(self._image.arena_bytes, self._table, self._slots)

    def save(self, path: str | os.PathLike[str]) -> None:
        write_image(Path(path), self._image)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an executable cannot be pickled: its code is in this process;"
            " save it to a file and load that in the other one"
        )
