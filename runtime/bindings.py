"""The arrays and the working memory of one caller, for run after run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, Mapping
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import byte_bounds

from glow.runtime.byte_ranges import ByteRanges, Range, range_of
from glow.runtime.copies import copy_into
from glow.runtime.foreign_arrays import as_array
from glow.runtime.frame import (
    Frame,
    Notify,
    OnOutput,
    OutputNotifier,
    checked_arena,
)
from glow.runtime.notebook import html_table
from glow.runtime.signature import Signature
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arguments import check_by_name
from glow.support.arrays import Array, aligned_array
from glow.support.errors import BindingError


@dataclass(eq=False)
class _Place:
    """A name of the signature, the slots of it in frames, and what is bound to it."""

    kind: str
    """input, output or state."""
    spec: TensorSpec
    slots: list[int]
    is_read: bool
    is_written: bool
    array: Array | None = None
    """The caller's."""
    stored: Array | None = None
    """The array that runs use: `array`, or a contiguous copy of it."""
    range: Range | None = None
    """The range of bytes that `array` spans."""

    def fresh(self) -> Array:
        return aligned_array(self.spec.shape, self.spec.dtype, what=str(self.spec))

    def arrays(self) -> tuple[Array, Array]:
        """Return the caller's array and the one that runs use."""
        assert self.array is not None
        assert self.stored is not None
        return self.array, self.stored


class Bindings:
    """
    Places for the arrays of one caller; `Executable.bind` makes them.

    `bindings[name] = array` binds an input or output, and `bindings[name]` is what is
    bound. An output without an array gets one at the first run. A tensor that is both
    read and written is bound once and updated in place by every run. A state without an
    array gets one at once, with the start value of the model. Contiguous aligned arrays
    are used where they are; of others, runs copy `copied_bytes`. Callers may change
    what is in an array between runs.

    One thread at a time may use it; several of one executable run at the same time.
    Errors: a BindingError for an array that does not fit or shares memory with what
    runs write or work in, for inputs and states without an array at a run, and for use
    while another thread runs it, or from `on_output`.
    """

    def __init__(
        self,
        signature: Signature,
        make_frame: Callable[[Array | None], Frame],
        arena_bytes: int,
        arrays: Mapping[str, object],
        arena: object,
    ):
        self._made_of = (signature, make_frame, arena_bytes)
        self._arena = checked_arena(arena, arena_bytes)
        self._frame = make_frame(self._arena)
        self._lock = Lock()
        self._user: int | None = None
        """The thread that has the lock, once it has said so."""
        self._places = _places_of(signature)
        self._unbound = set(self._places)
        self._copied: dict[str, _Place] = {}
        self._written = ByteRanges()
        self._only_read = ByteRanges()
        if self._arena is not None and self._arena.size:
            self._written.add(byte_bounds(self._arena))
        self._outputs = tuple(spec.name for spec in signature.outputs)
        self._results: dict[str, Any] = dict.fromkeys(self._outputs)
        problems: list[str] = []
        check_by_name("arrays", arrays)
        for name, array in arrays.items():
            try:
                self[name] = array
            except BindingError as error:
                problems.append(str(error))
        for state in signature.states:
            place = self._places[state.spec.name]
            if place.array is None and state.initial is not None:
                self._put(place, state.start())
        if problems:
            raise BindingError("; ".join(problems))

    def __getitem__(self, name: str) -> Array | None:
        return self._place(name).array

    def __setitem__(self, name: str, array: object) -> None:
        self._take()
        try:
            place = self._place(name)
            array = array if place.is_written else as_array(array, place.spec)
            self._check(place, array)
            self._put(place, np.asanyarray(array))  # also of a NumPy scalar
        finally:
            self._release()

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def keys(self) -> KeysView[str]:
        """Return the names of inputs, outputs and states, so that `dict(b)` works."""
        return self._places.keys()

    def __repr__(self) -> str:
        described = (
            f"{place.kind} {place.spec}{' (not bound)' * (name in self._unbound)}"
            for name, place in self._places.items()
        )
        return f"<Bindings {', '.join(described)}>"

    def _repr_html_(self) -> str:
        """Return a table of what is bound, for notebooks."""
        rows = [
            (place.kind, name, place.spec.description, is_bound)
            for name, place in self._places.items()
            for is_bound in ["no" if name in self._unbound else "yes"]
        ]
        return html_table("Bindings", ["", "name", "array", "bound"], rows)

    @property
    def copied_bytes(self) -> int:
        """The bytes that each run copies between bound arrays and contiguous ones."""
        return sum(
            place.spec.nbytes * (place.is_read + place.is_written)
            for place in self._copied.values()
        )

    def run(self, on_output: OnOutput | None = None) -> dict[str, Array]:
        """
        Run once; return the arrays that are bound to the outputs.

        `on_output` is called while the run goes on, as by `Executable.run`.
        """
        self._take()
        try:
            if self._unbound:
                self._fill()
            for place in self._copied.values():
                if place.is_read:
                    array, stored = place.arrays()
                    copy_into(stored, array)
            if on_output is None:
                self._go()
            else:
                self._made_of[0].check_whole("on_output")
                OutputNotifier(self._outputs, self._deliver, on_output).run(self._go)
            return self._made_of[0].cut(self._results)
        finally:
            self._release()

    def _go(self, notify: Notify | None = None) -> None:
        self._frame.run(notify)
        for name, place in self._copied.items():
            if place.is_written and (notify is None or name not in self._results):
                copy_into(*place.arrays())

    def _deliver(self, number: int) -> Array:
        """Return the array of an output that is ready."""
        array, stored = self._places[self._outputs[number]].arrays()
        copy_into(array, stored)
        return array

    def views(self) -> dict[str, Array]:
        """
        Return read-only views of the outputs, as each run leaves them.

        Errors: a BindingError if a tensor that is read and written has no array yet.
        """
        self._made_of[0].check_whole("views")
        self._take()
        try:
            self._fill(outputs_only=True)
            views = {n: cast(Array, array).view() for n, array in self._results.items()}
        finally:
            self._release()
        for view in views.values():
            view.flags.writeable = False
        return views

    def clone(self) -> Bindings:
        """
        Return bindings for another caller, in working memory of their own.

        Inputs are the same arrays, what runs update is copied, outputs have none yet.
        """
        self._take()
        try:
            given: dict[str, object] = {}
            for name, place in self._places.items():
                if place.array is not None and place.is_read:
                    array = place.array
                    given[name] = array.copy() if place.is_written else array
        finally:
            self._release()
        return Bindings(*self._made_of, given, None)

    def _take(self) -> None:
        if self._lock.acquire(blocking=False):
            self._user = get_ident()
            return
        run = "a run in another thread; clone() makes others"
        if self._user == get_ident():
            run = "the run that calls on_output; use the array that it is given"
        raise BindingError(f"expected bindings that are not in use, got those of {run}")

    def _release(self) -> None:
        self._user = None  # else the next to take the lock would pass for this thread
        self._lock.release()

    def _place(self, name: str) -> _Place:
        place = self._places.get(name)
        if place is None:
            known = ", ".join(self._places) or "none"
            raise BindingError(
                f'no input or output is called "{name}", expected {known}'
            )
        return place

    def _check(self, place: _Place, array: object) -> None:
        name = place.spec.name
        problem = place.spec.problem_with(array, place.is_written)
        if problem is not None:
            raise BindingError(f'{place.kind} "{name}": {problem}')
        given = np.asanyarray(array)
        if self._is_shared(place, given):
            raise BindingError(self._sharing(place, given))

    def _is_shared(self, place: _Place, array: Array) -> bool:
        """Return whether `array` shares memory with an array that runs write."""
        extent = range_of(array)
        if extent is None:
            return False
        taken = self._written.overlapped_by(extent)
        if not place.is_written:  # what is only read may overlap
            return taken > 0
        taken += self._only_read.overlapped_by(extent)
        own = place.range
        # The array that it replaces does not count.
        is_own = own is not None and own[0] < extent[1] and extent[0] < own[1]
        return taken > is_own

    def _sharing(self, place: _Place, array: Array) -> str:
        """Return a message that names what shares memory with `array`."""
        others = {
            other.spec.name: other.array
            for other in self._places.values()
            if other.array is not None
            and other is not place
            and (other.is_written or place.is_written)
        }
        if self._arena is not None:
            others["arena"] = self._arena
        shared = (n for n, other in others.items() if np.may_share_memory(array, other))
        return f'"{place.spec.name}" and "{next(shared)}" share memory'

    def _occupy(self, place: _Place, array: Array) -> None:
        """Note that `place` occupies the bytes of `array` instead of those before."""
        ranges = self._written if place.is_written else self._only_read
        if place.range is not None:
            ranges.remove(place.range)
        place.range = range_of(array)
        if place.range is not None:
            ranges.add(place.range)

    def _put(self, place: _Place, array: Array) -> None:
        flags = array.flags
        is_plain = flags.c_contiguous and flags.aligned
        self._occupy(place, array)
        place.array = array
        place.stored = array if is_plain else place.fresh()
        for slot in place.slots:
            self._frame.place(slot, place.stored)
        name = place.spec.name
        if name in self._results:
            self._results[name] = array
        self._unbound.discard(name)
        if is_plain:
            self._copied.pop(name, None)
        else:
            self._copied[name] = place

    def _fill(self, outputs_only: bool = False) -> None:
        """Give each output without an array one; raise where an input has none."""
        missing = [
            f'{place.kind} "{name}": not bound, expected {place.spec.description}'
            for name, place in self._places.items()
            if name in self._unbound
            and place.is_read
            and (name in self._results or not outputs_only)
        ]
        if missing:
            raise BindingError("; ".join(missing))
        for name in tuple(self._unbound):
            place = self._places[name]
            if not place.is_read:
                self._put(place, place.fresh())


def _places_of(signature: Signature) -> dict[str, _Place]:
    places: dict[str, _Place] = {}
    for slot, spec in enumerate(signature.inputs):
        places[spec.name] = _Place("input", spec, [slot], True, False)
    for slot, spec in enumerate(signature.outputs, len(signature.inputs)):
        place = places.setdefault(spec.name, _Place("output", spec, [], False, True))
        place.slots.append(slot)
        place.is_written = True
    passed = len(signature.inputs) + len(signature.outputs)
    for slot, state in enumerate(signature.states, passed):
        name, is_written = state.spec.name, state.is_written
        places[name] = _Place("state", state.spec, [slot], True, is_written)
    return places
