"""Run compiled code: a table of pointers in, a fault code out; no IR."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from glow.runtime.interface import Executable
from glow.runtime.signature import Array, Signature, TensorSpec
from glow.support.arrays import address_of, aligned, aligned_empty
from glow.support.errors import ExecutionError

# void main(arena, io, constants, fault); the call lets other threads run.
_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


@dataclass(frozen=True)
class Binding:
    """A tensor that the caller binds, and whether code reads it, writes it, or both."""

    spec: TensorSpec
    direction: str
    """in, out or inout."""


@dataclass(frozen=True)
class Program:
    """
    Compiled code and what it needs beside the caller's arrays.

    Units: arena_bytes per concurrent run.
    """

    entry: int
    """The address of main."""
    code: object
    """What keeps the code at that address alive."""
    arena_bytes: int
    constants: tuple[Array, ...]
    messages: tuple[str, ...]
    """What the fault codes 1, 2, ... mean."""


class _Frame:
    """What one run at a time owns: an arena, the table of pointers, the fault code."""

    def __init__(self, program: Program, constants: Any, slots: int):
        self._arena = aligned_empty(program.arena_bytes)
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

    def __init__(self, bindings: Sequence[Binding], program: Program):
        inputs = [b for b in bindings if b.direction != "out"]
        outputs = [b for b in bindings if b.direction != "in"]
        super().__init__(
            Signature(tuple(b.spec for b in inputs), tuple(b.spec for b in outputs))
        )
        self._program = program
        self._constants = tuple(map(aligned, program.constants))
        self._entry = _ENTRY(program.entry)
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
            frame = _Frame(self._program, self._table, self._slots)
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
            raise ExecutionError(self._program.messages[code - 1])

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an executable cannot be pickled: its code is in this process;"
            " compile the model in the other one"
        )
