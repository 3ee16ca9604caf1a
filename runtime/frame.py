"""Frames: the arrays and the working memory of one run at a time."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from glow.runtime.copies import Array

Notify = Callable[[int], None]


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
