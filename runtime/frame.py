"""Frames: arrays and memory of one run at a time; callbacks while it goes on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glow.support.arrays import ALIGNMENT, Array, address_of
from glow.support.errors import BindingError
from glow.support.names import with_article

Notify = Callable[[int], None]
OnOutput = Callable[[str, Array], object]
"""Called with the name of an output and its array, which the run no longer uses."""


class Frame(ABC):
    """A place for each array of a run, and memory to work in; one run at a time."""

    @abstractmethod
    def place(self, slot: int, array: Array) -> None:
        """
        Have runs use `array`, which fits and stays alive.

        Slots count the inputs of the signature, then the outputs, then the states.
        """

    @abstractmethod
    def run(self, notify: Notify | None = None) -> None:
        """
        Run on the arrays in place, which fill all places.

        `notify` is called, if at all, with the number of each output that is ready
        while the run goes on. It raises nothing.
        """


def checked_arena(arena: object, size: int) -> Array | None:
    """Return `arena` if code can work in it; None stands for memory of one's own."""
    if arena is None:
        return None
    array: Any = arena
    if (
        not isinstance(arena, np.ndarray)
        or array.dtype != np.uint8
        or array.nbytes < size
        or not array.flags.carray
        or address_of(array) % ALIGNMENT
    ):
        raise BindingError(
            f"arena: expected a contiguous writeable uint8 array of at least {size}"
            f" bytes at a multiple of {ALIGNMENT}"
        )
    return array


class OutputNotifier:
    """
    Calls `on_output` for each output of one run, once, as soon as it is ready.

    `deliver` fills and returns the array of an output, by its number. An exception of
    `on_output` ends the calls, and is raised after the run.
    """

    def __init__(
        self,
        names: Sequence[str],
        deliver: Callable[[int], Array],
        on_output: OnOutput,
    ):
        if not callable(on_output):
            got = with_article(type(on_output).__name__)
            raise BindingError(f"expected a function as on_output, got {got}")
        self._names = names
        self._deliver = deliver
        self._on_output = on_output
        self._error: BaseException | None = None
        self.delivered: dict[int, Array] = {}
        """The arrays of the outputs that were ready so far, by number."""

    def __call__(self, number: int) -> None:
        try:
            array = self.delivered[number] = self._deliver(number)
            if self._error is None:
                self._on_output(self._names[number], array)
        except BaseException as error:  # an interrupt, too, must not cross machine code
            self._error = self._error or error

    def run(self, run: Callable[[OutputNotifier], None]) -> None:
        """Do `run`; call back for the outputs left; raise what a callback raised."""
        try:
            run(self)
            for number in range(len(self._names)):
                if number not in self.delivered:
                    self(number)
        finally:
            if self._error is not None:
                raise self._error
