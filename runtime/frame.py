"""Frames: the arrays and the working memory of one run at a time."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from glow.runtime.copies import Array
from glow.support.arrays import ALIGNMENT, address_of
from glow.support.errors import BindingError

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
