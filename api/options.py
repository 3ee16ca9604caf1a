"""The options of a compilation, and their defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, cast

from glow.support.files import CACHE_BYTES, check_private
from glow.support.names import with_article
from glow.support.targets import ACCURACIES
from glow.support.thread_count import allowed_threads

_INTEGERS = (
    *("threads", "stop_after_pass", "cache_size", "cache_bytes"),
    *("fold_bytes", "memory_bytes"),
)

Shapes = Mapping[str, int | Sequence[int]] | Sequence[Mapping[str, int]]
"""Extents of dimensions by name, in all combinations, or combination by combination."""

BACKGROUND = "background"
"""What stands for shapes where a thread compiles for those that come."""

CACHE_SIZE = 16
"""For how many shapes code is kept by default."""

FOLD_BYTES = 1 << 28
"""How many bytes of results constant folding may hold at once by default."""

# Features and accuracy are part of the target; each shape is compiled on its own.
_NOT_OF_RESULT = frozenset(
    {
        *("threads", "cpu_features", "accuracy", "cache_dir", "cache_bytes"),
        *("shapes", "cache_size", "check"),
    }
)


@dataclass(frozen=True)
class Options:
    """The options of `glow.compile`; raises ValueError for those that cannot be."""

    threads: int | None = None
    """Most threads of a run; None: all that the process may use."""
    cpu_features: str | None = None
    disable: Sequence[str] = ()
    stop_after_pass: int | None = None
    cache_dir: str | os.PathLike[str] | None = None
    """Where all is kept; empty: nothing is; None: machine code is, for this user."""
    cache_bytes: int = CACHE_BYTES
    relayout: Mapping[str, str] | str | None = None
    """Layouts of inputs and outputs by name, or one for all of its rank."""
    states: Mapping[str, str] | None = None
    """Inputs that go on from what a run gave for outputs, by the outputs' names."""
    shapes: Shapes | Literal["background"] = ()
    """Extents of symbolic dimensions to compile for at once, or how to at calls."""
    cache_size: int = CACHE_SIZE
    """For how many shapes code is kept where dimensions are symbolic."""
    profile: bool = False
    """Whether runs can note when each call begins and ends."""
    trust: bool = False
    """Whether code of a text may call any function of the process."""
    check: str | None = None
    """Additional checks: "each-pass", see `glow.checking`."""
    accuracy: str = "fast"
    """How exact results are, unless the target says it."""
    fold_bytes: int = FOLD_BYTES
    """The most bytes of results that constant folding holds at once."""
    memory_bytes: int = 0
    """Bytes that live values should fit in; 0: no limit."""

    def __post_init__(self) -> None:
        for name in _INTEGERS:
            value = cast(object, getattr(self, name))
            if value is not None and not hasattr(value, "__index__"):
                kind = with_article(type(value).__name__)
                raise ValueError(f"expected an integer as {name}, got {kind}")
        if isinstance(self.disable, str):
            raise ValueError(
                f'expected a list of passes as disable, got "{self.disable}"'
            )
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"expected at least one thread, got {self.threads}")
        if self.cache_dir:
            check_private(Path(self.cache_dir), "cache_dir")
        if isinstance(self.shapes, str) and self.shapes != BACKGROUND:
            raise ValueError(
                f'expected extents by dimension or "{BACKGROUND}" as shapes, '
                f'got "{self.shapes}"'
            )
        if self.check not in (None, "each-pass"):
            raise ValueError(f'expected "each-pass" as check, got "{self.check}"')
        if self.accuracy not in ACCURACIES:
            known = " or ".join(map(repr, ACCURACIES))
            raise ValueError(f"expected {known} as accuracy, got {self.accuracy!r}")
        least = ("cache_bytes", "fold_bytes", "memory_bytes", "stop_after_pass")
        for name in least:
            if (getattr(self, name) or 0) < 0:
                got = getattr(self, name)
                raise ValueError(f"expected {name} of at least 0, got {got}")

    @property
    def is_shared(self) -> bool:
        """Whether several threads may share a run."""
        return (self.threads or allowed_threads()) > 1

    @property
    def layouts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names in `relayout`, none if it is for all, and the layouts."""
        if isinstance(self.relayout, str):
            return (), (self.relayout,)
        given = self.relayout or {}
        return tuple(given), tuple(given.values())

    def of_result(self) -> tuple[object, ...]:
        """Return the options that the result depends on, with their names."""
        options = replace(self, disable=tuple(sorted(set(self.disable))))
        values: list[object] = [("is shared", self.is_shared)]
        for name in (each.name for each in fields(options)):
            value = getattr(options, name)
            if isinstance(value, Mapping):
                value = tuple(cast(Mapping[str, str], value).items())
            values += [] if name in _NOT_OF_RESULT else [(name, value)]
        return tuple(values)


def target_spec(target: str, cpu_features: str | None, accuracy: str = "fast") -> str:
    """Return `target` with its features and accuracy, as passes take it."""
    if not isinstance(target, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        kind = with_article(type(target).__name__)
        raise ValueError(f"expected the name of a target, got {kind}")
    if cpu_features is not None:
        if ":" in target:
            raise ValueError(
                f"expected features in one place, got {target!r} and {cpu_features!r}"
            )
        target = f"{target}:{cpu_features}"
    if accuracy == "fast":
        return target
    return f"{target}{',' if ':' in target else ':'}{accuracy}"


DEFAULTS = Options()
