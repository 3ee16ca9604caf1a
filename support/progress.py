"""Progress of long work, for a display; costs nothing without one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class StepCount:
    """The step of a compilation that runs, and how many are done of all."""

    name: str = ""
    done: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """The share of steps that are done, 0 where it is not known how many follow."""
        return min(1.0, self.done / self.total) if self.total else 0.0


_STEPS: ContextVar[StepCount | None] = ContextVar("steps", default=None)


@contextmanager
def counted() -> Generator[StepCount]:
    """Count the steps that this thread takes from here on."""
    steps = StepCount()
    token = _STEPS.set(steps)
    try:
        yield steps
    finally:
        _STEPS.reset(token)


def expect_steps(count: int) -> None:
    """Say that so many steps follow, after all that were taken."""
    if (steps := _STEPS.get()) is not None:
        steps.total = steps.done + count


def begin_step(name: str) -> None:
    """Say that a step begins, and so that the one before is done."""
    if (steps := _STEPS.get()) is not None:
        steps.done += bool(steps.name)
        steps.name = name
