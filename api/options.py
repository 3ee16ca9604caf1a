"""The options of a compilation, and their defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from glow.support.arguments import (
    check_by_name,
    check_integer,
    check_threads,
    names_in,
)
from glow.support.files import CACHE_BYTES, check_private
from glow.support.names import did_you_mean, with_article
from glow.support.targets import ACCURACIES
from glow.support.thread_count import allowed_threads

_INTEGERS = "cache_size", "cache_bytes", "fold_bytes", "memory_bytes"

Shapes = Mapping[str, int | Sequence[int]] | Sequence[Mapping[str, int]]
"""Extents of dimensions by name, in all combinations, or combination by combination."""

BACKGROUND = "background"
"""The value of `shapes` for which a thread compiles for the shapes of calls."""

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
    """Where all is kept; empty: nowhere; None: only machine code, for this user."""
    cache_bytes: int = CACHE_BYTES
    relayout: Mapping[str, str] | str | None = None
    """Layouts of inputs and outputs by name, or one for all of its rank."""
    states: Mapping[str, str] | None = None
    """Inputs that take the outputs of the run before, by the names of these outputs."""
    shapes: Shapes | Literal["background"] = ()
    """Extents of symbolic dimensions to compile for at once, or `BACKGROUND`."""
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
        check_threads(self.threads)
        for name in _INTEGERS:
            check_integer(name, getattr(self, name))
        if self.stop_after_pass is not None:
            check_integer("stop_after_pass", self.stop_after_pass)
        for name in ("profile", "trust"):
            check_switch(name, getattr(self, name))
        if self.cache_dir:
            _check_kind("cache_dir", self.cache_dir, (str, os.PathLike), "a path")
            check_private(Path(self.cache_dir), "cache_dir")
        left_out = names_in("names of passes as disable", self.disable)
        object.__setattr__(self, "disable", left_out)
        if self.states is not None:
            check_by_name("states", self.states)
            names_in("names of inputs in states", self.states.values())
        if self.relayout is not None and not isinstance(self.relayout, str):
            check_by_name("relayout", self.relayout)
            names_in("layouts in relayout", self.relayout.values())
        _check_shapes(self.shapes)
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

    @classmethod
    def named(cls, taker: str, own: Sequence[str], given: Mapping[str, Any]) -> Options:
        """
        Return options that came by name to `taker`, which has arguments of its `own`.

        Errors: TypeError for names that are neither; as the constructor.
        """
        known = [*own, *(each.name for each in fields(cls))]
        if strange := [name for name in given if name not in known]:
            hint = did_you_mean(strange[0], known)
            raise TypeError(
                f"{taker}: expected arguments out of {', '.join(known)}, "
                f"got {', '.join(strange)}{hint}"
            )
        return cls(**given)

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


def check_switch(name: str, value: object) -> None:
    """Raise a ValueError, which names the option, for what is not True or False."""
    _check_kind(name, value, (bool, np.bool_), "True or False")


def _check_kind(name: str, value: object, kind: Any, words: str) -> None:
    if not isinstance(value, kind):
        got = with_article(type(value).__name__)
        raise ValueError(f"expected {words} as {name}, got {got}")


def _check_shapes(shapes: object) -> None:
    """Raise a ValueError unless these are extents by dimension, once or in a list."""
    got = None
    if isinstance(shapes, str):
        got = None if shapes == BACKGROUND else f'"{shapes}"'
    elif not isinstance(shapes, Mapping | Sequence):
        got = with_article(type(shapes).__name__)
    elif not isinstance(shapes, Mapping):
        each = cast(Sequence[object], shapes)
        wrong = (type(s).__name__ for s in each if not isinstance(s, Mapping))
        got = next((f"{with_article(kind)} in a list" for kind in wrong), None)
    if got is not None:
        raise ValueError(
            f'expected extents by dimension or "{BACKGROUND}" as shapes, got {got}'
        )


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
