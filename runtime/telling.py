"""Callbacks that are called with outputs while a run goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from glow.runtime.copies import Array

OnOutput = Callable[[str, Array], object]
"""Called with the name of an output and its array, which the run leaves alone now."""


class Teller:
    """
    Calls `on_output` for each output of one run, once, as soon as it is ready.

    `deliver` fills and returns the array of an output, by its number. What `on_output`
    raises is kept for after the run, and nothing more is told.
    """

    def __init__(
        self,
        names: Sequence[str],
        deliver: Callable[[int], Array],
        on_output: OnOutput,
    ):
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

    def run(self, run: Callable[[Teller], None]) -> None:
        """Do `run`; call back for the outputs left; raise what a callback raised."""
        try:
            run(self)
            for number in range(len(self._names)):
                if number not in self.delivered:
                    self(number)
        finally:
            if self._error is not None:
                raise self._error
