"""Unique names."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """The names taken in some scope; a free one costs the same however many are."""

    def __init__(self, taken: Iterable[str] = (), separator: str = "."):
        self._taken = set(taken)
        self._separator = separator
        self._numbers: dict[str, int] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._taken

    def fresh(self, name: str) -> str:
        """Return `name`, with a number after it where that is taken; take it."""
        candidate = name
        while candidate in self._taken:
            number = self._numbers.get(name, 0) + 1
            self._numbers[name] = number
            candidate = f"{name}{self._separator}{number}"
        self._taken.add(candidate)
        return candidate
