"""The kinds of arguments: names, values by name, integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from glow.support.errors import BindingError
from glow.support.names import with_article


def names_in(what: str, given: object) -> tuple[str, ...]:
    """
    Return names as a tuple; a string is one name.

    Errors: a BindingError for anything else; `what` is such as "names of outputs".
    """
    if isinstance(given, str):
        return (given,)
    got = with_article(type(given).__name__)
    if isinstance(given, Iterable):
        names = tuple(cast(Iterable[object], given))
        texts = tuple(name for name in names if isinstance(name, str))
        if len(texts) == len(names):
            return texts
        kinds = (type(name).__name__ for name in names if not isinstance(name, str))
        got = f"{with_article(next(kinds))} among them"
    raise BindingError(f"expected {what}, got {got}")


def check_by_name(what: str, given: object) -> None:
    """Raise a BindingError, which says `what` it is, unless values come by name."""
    if not isinstance(given, Mapping):
        got = with_article(type(given).__name__)
        raise BindingError(f"expected a dict as {what}, got {got}")


def check_integer(what: str, given: object) -> None:
    """Raise a ValueError, which says `what` it is, for what is not an integer."""
    if not hasattr(given, "__index__"):
        got = with_article(type(given).__name__)
        raise ValueError(f"expected an integer as {what}, got {got}")


def check_threads(given: object) -> None:
    """Raise a ValueError unless it is None or a positive number of threads."""
    if given is None:
        return
    check_integer("threads", given)
    if cast(int, given) < 1:
        raise ValueError(f"expected at least one thread, got {given}")
