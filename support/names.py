"""Unique names, names like a wrong one, and names with their article."""

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


def with_article(word: str) -> str:
    """Return "an int" for `int`, and "a uint8" for `uint8`, which sounds otherwise."""
    has_vowel = word[0] in "aeiouAEIO" and not word.startswith(("uint", "ufunc", "uni"))
    return f"{'an' if has_vowel else 'a'} {word}"


def did_you_mean(wrong: str, names: Iterable[str]) -> str:
    """Return the end of a message with those of `names` that are like a wrong one."""
    from difflib import get_close_matches  # which takes long to import

    close = get_close_matches(wrong, list(names))
    return f", did you mean {' or '.join(close)}?" if close else ""
