"""Parser of layouts, which reports errors by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from glow.support.layout.physical import (
    EXTENSION,
    LARGEST,
    Dim,
    Halo,
    Layout,
    LayoutError,
)
from glow.support.layout.text import ACTIVATIONS, FILTERS, MATRICES

_TABLES = tuple(
    letters for table in (ACTIVATIONS, FILTERS, MATRICES) for letters in table.values()
)
_SYNONYMS = {"T": "D"}
"""Letters with a second meaning: the depth of a video is time."""

_TOKEN = re.compile(r"\s*([0-9]+|.|\Z)", re.ASCII | re.DOTALL)
_LETTER = re.compile(r"[A-Za-z]")


def parse_layout(text: str) -> Layout:
    """
    Return the layout that `text` describes; the inverse of `print_layout`.

    Letters of any table may be used: those of the text say which one it is.
    Errors: `LayoutError` with the column, counted from 1, where the text goes wrong.
    """
    return parse_layout_in(text, 0, "")[0]


def parse_layout_in(text: str, start: int, closing: str) -> tuple[Layout, int]:
    """
    Return the layout that `text` has from `start` to `closing`, and where that is.

    Errors: as `parse_layout`; columns count from the start of `text`.
    """
    parser = _Parser(text, start, closing)
    return parser.parse(), parser.column - 1


@dataclass(frozen=True)
class _Written:
    """A dim as its letters say it: a block, or all that is left of the axis."""

    letter: str
    column: int
    extent: int | None
    alignment: int
    extensions: tuple[str, ...]


class _Parser:
    """A recursive descent over letters, numbers and punctuation, read one by one."""

    def __init__(self, text: str, start: int, closing: str):
        self.text = text
        self.closing = closing
        self._read(start)

    def _read(self, start: int) -> None:
        match = _TOKEN.match(self.text, start)
        assert match is not None
        self.next = match[1]
        self.column = match.start(1) + 1
        self.after = match.end()

    def parse(self) -> Layout:
        start = self.column
        dims, columns = self._list() if self.next == "[" else self._letters()
        halo, halo_column = None, start
        if self._optional(","):
            halo, halo_column = self._halo()
        self._check_end(self.closing)
        try:
            return Layout(dims, halo)
        except LayoutError as error:
            column = halo_column if error.dim is None else columns[error.dim]
            raise LayoutError(str(error), column) from None

    def _check_end(self, *ends: str) -> None:
        if self.next not in ends:
            self._fail(
                f'expected "{self.closing}"' if self.closing else "expected the end"
            )

    def _fail(self, expected: str) -> None:
        if self.next == "*":
            raise LayoutError(
                "expected the whole layout of a value, got the wildcard *, "
                "which only a target's requirement may have",
                self.column,
            )
        got = f'"{self.next[:20]}"' if self.next else "the end"
        raise LayoutError(f"{expected}, got {got}", self.column)

    def _optional(self, text: str) -> bool:
        if self.next != text:
            return False
        self._read(self.after)
        return True

    def _expect(self, text: str) -> None:
        if not self._optional(text):
            self._fail(f'expected "{text}"')

    def _is_number(self) -> bool:
        return "0" <= self.next[:1] <= "9"

    def _number(self) -> int:
        if not self._is_number():
            self._fail("expected a number")
        digits = self.next.lstrip("0")
        # Longer ones are not even read: Python refuses, or takes its time.
        if len(digits) > len(str(LARGEST)) or int(digits or "0") > LARGEST:
            raise LayoutError(
                f"expected a number of at most {LARGEST}, got one of "
                f"{len(digits)} digits",
                self.column,
            )
        self._read(self.after)
        return int(digits or "0")

    def _notes(self) -> tuple[int, tuple[str, ...]]:
        """Read `[a=64]` and `[namespace:text]`, in any order."""
        alignment: int | None = None
        extensions: list[str] = []
        while self.next == "[":
            column = self.column
            match = EXTENSION.match(self.text, self.after)
            if match is not None:
                extensions.append(self._extension(match))
                continue
            value = self._alignment()
            if alignment is not None:
                raise LayoutError("expected one alignment, got a second", column)
            alignment = value
        return alignment or 1, tuple(extensions)

    def _extension(self, match: re.Match[str]) -> str:
        """Read an extension that `match` spans, blanks at both ends included."""
        if self.text[match.end() : match.end() + 1] != "]":
            raise LayoutError("expected ] on the line of its [", self.column)
        self._read(match.end() + 1)
        return match.group()

    def _alignment(self) -> int:
        self._expect("[")
        if self.next != "a":
            self._fail('expected "a=", or a namespace and ":"')
        self._read(self.after)
        self._expect("=")
        column, value = self.column, self._number()
        if value < 1:
            raise LayoutError("expected an alignment of at least 1 byte", column)
        self._expect("]")
        return value

    def _list(self) -> tuple[list[Dim], list[int]]:
        self._expect("[")
        dims: list[Dim] = []
        columns: list[int] = []
        while not self._optional("]"):
            if dims:
                self._expect(",")
            columns.append(self.column)
            dims.append(self._dim())
        return dims, columns

    def _dim(self) -> Dim:
        axis, extent, stride = self._number(), None, 1
        if self._optional(":"):
            extent = None if self._optional("?") else self._number()
        if self._optional(":"):
            stride = self._number()
        return Dim(axis, extent, stride, *self._notes())

    def _halo(self) -> tuple[list[Halo], int]:
        for letter in "halo":
            self._expect(letter)
        self._expect("=")
        column = self.column
        self._expect("[")
        pads: list[Halo] = []
        while not self._optional("]"):
            if pads:
                self._expect(",")
            before = self._number()
            pads.append((before, self._number() if self._optional(":") else before))
        return pads, column

    def _letters(self) -> tuple[list[Dim], list[int]]:
        start = self.column
        written: list[_Written] = []
        while self._is_number() or _LETTER.match(self.next):
            column = self.column
            extent = self._number() if self._is_number() else None
            letter = self.next
            if extent is None and not letter.isupper():
                self._fail("expected a capital or a block such as 8c")
            if extent == 0:
                raise LayoutError("expected an extent of at least 1, got 0", column)
            if extent is not None and not ("a" <= letter <= "z"):
                self._fail("expected the letter of the block's axis")
            self._read(self.after)
            written.append(_Written(letter.upper(), column, extent, *self._notes()))
        if not written:
            self._fail("expected a layout")
        self._check_end(self.closing, ",")
        return _dims_of(written, start), [dim.column for dim in written]


def _dims_of(written: Sequence[_Written], start: int) -> list[Dim]:
    """Return the dims that letters stand for; blocks count from the innermost."""
    table = _table_for(written, start)
    strides = dict.fromkeys(table, 1)
    dims: list[Dim] = []
    for dim in reversed(written):
        letter = _SYNONYMS.get(dim.letter, dim.letter)
        stride = strides[letter]
        if not stride:
            raise LayoutError(
                f'expected "{letter}" once, before its blocks', dim.column
            )
        axis = table.index(letter)
        dims.append(Dim(axis, dim.extent, stride, dim.alignment, dim.extensions))
        strides[letter] = stride * (dim.extent or 0)
        if strides[letter] > LARGEST:
            raise LayoutError(
                f'expected blocks of "{letter}" of at most {LARGEST} positions',
                dim.column,
            )
    return dims[::-1]


def _table_for(written: Sequence[_Written], start: int) -> str:
    used = {_SYNONYMS.get(dim.letter, dim.letter) for dim in written}
    for letters in _TABLES:
        if set(letters) == used:
            return letters
    known = {*_SYNONYMS, *"".join(_TABLES)}
    strange = [dim.column for dim in written if dim.letter not in known]
    text = "".join(dict.fromkeys(dim.letter for dim in written))
    raise LayoutError(
        "expected the letters of NC, NCW, NCHW or NCDHW, of OI, OIW, OIHW or OIDHW for "
        f'filters, or of KN, got "{text}"',
        next(iter(strange), start),
    )
