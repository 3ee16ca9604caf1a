"""Run compiled code: a table of pointers in, a fault code out; no IR."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from glow.runtime.bindings import Bindings
from glow.runtime.copies import copy_into
from glow.runtime.frame import Frame, Notify
from glow.runtime.image import Image, signature_of
from glow.runtime.interface import Executable
from glow.runtime.profile import Record
from glow.runtime.team import Team, TeamCode
from glow.support.arrays import Array, address_of, aligned_empty
from glow.support.errors import ExecutionError
from glow.support.mapped_files import usable

# void main(arena, io, constants, fault), of code for one thread; the call lets other
# threads of Python run.
_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)

# void notify(output), which main calls while it runs.
_HOOK = ctypes.CFUNCTYPE(None, ctypes.c_int64)


class NativeFrame(Frame):
    """A frame of machine code: an arena, the table of pointers, the fault code."""

    def __init__(self, executable: NativeExecutable, arena: Array):
        self.arena = arena
        self.io = (ctypes.c_void_p * (executable.slots + 2))()
        """The arrays, the function to notify, and room for records."""
        self.numbers: Array | None = None
        """The numbers of the records of a run; None if it notes none."""
        if executable.profiled is not None:
            self.numbers = executable.profiled.fresh()
            self.io[executable.slots + 1] = address_of(self.numbers)
        self._fault = ctypes.c_int32(0)
        self._executable = executable
        blocks = (self.io, executable.table, self._fault)
        addresses = address_of(arena), *map(ctypes.addressof, blocks)
        self._main = executable.main_on(addresses)

    def place(self, slot: int, array: Array) -> None:
        self.io[self._executable.places[slot]] = address_of(array)

    def run(self, notify: Notify | None = None) -> None:
        if notify is not None:
            self._run_notifying(notify)
            return
        self._main()
        code = abs(self._fault.value)  # kernels store its negative
        if code:
            self._fault.value = 0
            messages = self._executable.messages
            is_known = 0 < code <= len(messages)  # code of a text may store anything
            raise ExecutionError(messages[code - 1] if is_known else f"fault {code}")

    def _run_notifying(self, notify: Notify) -> None:
        hook, slot = _HOOK(notify), self._executable.slots
        self.io[slot] = ctypes.cast(hook, ctypes.c_void_p).value
        try:
            self.run()
        finally:
            self.io[slot] = None


class NativeExecutable(Executable):
    """
    A compiled model as machine code.

    Concurrent runs have an arena each. Arenas are kept for later runs, so that a run
    allocates nothing but the arrays it returns. Errors: an ExecutionError with the
    message of the first fault.
    """

    def __init__(
        self, image: Image, entry: int, code: object, team: TeamCode | None = None
    ):
        """`entry` is the address of main, and `code` what keeps it there."""
        parameters = image.parameters
        constants = tuple(map(usable, image.constants))
        super().__init__(signature_of(parameters, constants))
        slots = range(len(parameters))
        passed = [i for i in slots if parameters[i].residency == "run"]
        inputs = [i for i in passed if parameters[i].direction != "out"]
        outputs = [i for i in passed if parameters[i].direction != "in"]
        states = [i for i in slots if parameters[i].residency != "run"]
        addresses = [address_of(array) for array in constants]
        self.slots = len(parameters)
        self.places = [*inputs, *outputs, *states]
        """Where pointers to inputs, outputs and states stand in the table."""
        self.messages = image.messages
        self.profiled = image.profile
        self._entry, self._team = entry, team
        self.table = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        self._image = replace(image, constants=constants)
        self._code = code
        # Positions, among inputs and outputs, of tensors that are both.
        written = {slot: position for position, slot in enumerate(outputs)}
        self._updates = [
            (position, written[slot])
            for position, slot in enumerate(inputs)
            if slot in written
        ]
        self._frames: list[NativeFrame] = []

    def main_on(self, addresses: Sequence[int]) -> Callable[[], object]:
        """Return main as a function without arguments, which are at `addresses`."""
        sizes = self._image.team
        if sizes is not None and self._team is not None:
            pointers = self._entry, *addresses
            return Team(sizes, self._team, self.threads, pointers).run
        return partial(_ENTRY(self._entry), *map(ctypes.c_void_p, addresses))

    @property
    def arena_bytes(self) -> int:
        return self._image.arena_bytes

    @property
    def constants(self) -> tuple[Array, ...]:
        return self._image.constants

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        for source, target in self._updates:
            copy_into(outputs[target], inputs[source])
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self.frame()
        io = frame.io
        # Outputs after inputs: a tensor that is both has the address of the output.
        for slot, array in zip(self.places, (*inputs, *outputs, *states), strict=True):
            io[slot] = address_of(array)
        try:
            frame.run(notify)
        finally:
            self._frames.append(frame)

    def profile(
        self,
        inputs: Mapping[str, object],
        runs: int = 1,
        after_run: Callable[[], object] | None = None,
    ) -> tuple[Record, ...]:
        if self.profiled is None:
            return super().profile(inputs, runs, after_run)
        frames: list[NativeFrame] = []

        def frame(arena: Array | None) -> NativeFrame:
            frames.append(self.frame(arena))
            return frames[-1]

        bindings = Bindings(self.signature, frame, self.arena_bytes, inputs, None)
        bindings = bindings.clone()  # so that no array of the caller is updated
        numbers = frames[-1].numbers
        assert numbers is not None
        return self.profiled.measure(bindings.run, numbers, runs, after_run)

    def frame(self, arena: Array | None = None) -> NativeFrame:
        # The first run gets here, and no later one that finds a frame to reuse.
        if self._image.check is not None:
            self._image.check()
        if arena is None:
            arena = aligned_empty(self.arena_bytes, "the arena of a run")
        return NativeFrame(self, arena)

    def image(self) -> Image:
        if self._image.check is not None:
            self._image.check()  # else checksums of damaged bytes are saved
        return self._image
