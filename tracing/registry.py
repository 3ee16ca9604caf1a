"""The functions that take traced arrays, by the names that NumPy has for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from glow.tracing.user_code import blamed_on_caller, error_here

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions under the names of NumPy and of the Python array API standard."""

_SHOWN = {"__getitem__": "x[...]"}
"""The display name in messages of a function without a name in a program."""

Traceable = TypeVar("Traceable", bound=Callable[..., Any])


def array_function(*names: str) -> Callable[[Traceable], Traceable]:
    """Register a function under `names`, by default its own; it blames its caller."""

    def register(function: Traceable) -> Traceable:
        known = names or (function.__name__,)
        checked = blaming(_SHOWN.get(known[0], known[0]), function)
        for name in known:
            FUNCTIONS[name] = checked
        return checked

    return register


def blaming(name: str, function: Traceable) -> Traceable:
    """Return a function whose errors begin with the line that calls it."""

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        with blamed_on_caller(name):
            return function(*arguments, **named)

    return checked  # pyright: ignore[reportReturnType]


def function_named(name: str, shown: str = "") -> Callable[..., Any]:
    """Return a function by its name; TracingError, which names it, if it is missing."""
    if name not in FUNCTIONS:
        raise error_here(
            f"{shown or name}: expected a function that takes traced arrays, got one "
            "that does not; docs/array_api.md lists them"
        )
    return FUNCTIONS[name]
