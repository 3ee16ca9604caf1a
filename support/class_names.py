"""Classes that labels and columns of scores stand for, as the meaning of an axis."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

Class = str | int

_CLASS = re.compile(r'"(?:[^"\\]|\\.)*"|[^|"]+')
_PLAIN = re.compile(r'[^|"]*[^-|"\d][^|"]*')
_NUMBER = re.compile(r"-?\d+")


def text_of_classes(classes: Sequence[Class]) -> str:
    """Return classes with bars between them; a single class is followed by a bar."""
    text = "|".join(map(_text, classes))
    return f"{text}|" if len(classes) == 1 else text


def classes_of_text(text: str) -> tuple[Class, ...]:
    """Return the classes that `text_of_classes` made a text of; () of other texts."""
    if "|" not in text:
        return ()
    return tuple(map(_class, _CLASS.findall(text)))


def _text(each: Class) -> str:
    """Return a class, in quotes where it could be taken for something else."""
    if isinstance(each, int) or _PLAIN.fullmatch(each):
        return str(each)
    return json.dumps(each, ensure_ascii=False)


def _class(text: str) -> Class:
    if text.startswith('"'):
        return json.loads(text)
    return int(text) if _NUMBER.fullmatch(text) else text
