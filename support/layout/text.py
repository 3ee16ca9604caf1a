"""The text of a layout: `NHWC`, `NC8c`, `N[a=64]HWC`, or a list of dims."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glow.support.layout.physical import Dim, Halo, Layout, LayoutError

ACTIVATIONS = {2: "NC", 3: "NCW", 4: "NCHW", 5: "NCDHW"}
"""The letters of axes where axis 0 is whole and outermost, by rank."""
FILTERS = {2: "OI", 3: "OIW", 4: "OIHW", 5: "OIDHW"}
"""The letters of axes where axis 0 is split or further in, by rank."""
MATRICES = {2: "KN"}
"""The letters of a matrix whose axis 0 is whole and not outermost."""

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z])|(.))?")


def print_layout(layout: Layout) -> str:
    """
    Return the text of `layout`: letters if there are any for it, else a list.

    Letters need 2 to 5 axes, and the digits of each axis in descending order: the
    capital is what is left of the axis, `8c` a block of 8. In the list, a dim is
    `axis:extent:stride`, with `?` for what is left; `:1` and `:?` at the end are left
    out. `[a=64]` aligns a dim to 64 bytes; `halo` lists `before:after` of each axis.
    """
    text = _print_letters(layout) or _print_list(layout)
    if not layout.has_halo:
        return text
    pads = ", ".join(
        f"{before}" if before == after else f"{before}:{after}"
        for before, after in layout.halo
    )
    return f"{text}, halo = [{pads}]"


def parse_layout(text: str) -> Layout:
    """
    Return the layout that `text` describes; the inverse of `print_layout`.

    Letters of any table may be used: those of the text say which one it is.
    Errors: `LayoutError` with the column, counted from 1, where the text goes wrong.
    """
    return _Parser(text).parse()


def _letters_of(layout: Layout) -> str | None:
    """Return the letter of each axis, chosen by where axis 0 lies."""
    first = layout.digits(0) if layout.rank else ()
    if len(first) == 1 and first[0] == 0:
        return ACTIVATIONS.get(layout.rank)
    if len(first) == 1 and layout.rank in MATRICES:
        return MATRICES[layout.rank]
    return FILTERS.get(layout.rank)


def _print_letters(layout: Layout) -> str | None:
    letters = _letters_of(layout)
    if letters is None:
        return None
    text = ""
    below: dict[int, int] = {}
    for dim in layout.dims:
        letter = letters[dim.axis]
        if dim.axis not in below and dim.extent is None:
            text += letter
        elif dim.stride * (dim.extent or 0) == below.get(dim.axis):
            text += f"{dim.extent}{letter.lower()}"
        else:
            return None
        below[dim.axis] = dim.stride
        text += _print_alignment(dim)
    return text


def _print_list(layout: Layout) -> str:
    dims: list[str] = []
    for dim in layout.dims:
        text = f"{dim.axis}"
        if dim.stride != 1:
            text += f":{dim.extent or '?'}:{dim.stride}"
        elif dim.extent is not None:
            text += f":{dim.extent}"
        dims.append(text + _print_alignment(dim))
    return f"[{', '.join(dims)}]"


def _print_alignment(dim: Dim) -> str:
    return f"[a={dim.alignment}]" if dim.alignment != 1 else ""


class _Parser:
    """A recursive descent over single letters, numbers and punctuation."""

    def __init__(self, text: str):
        self.tokens = [
            (match.group().strip(), match.end() - len(match.group().strip()) + 1)
            for match in _TOKEN.finditer(text)
            if match.group().strip()
        ]
        self.tokens.append(("", len(text) + 1))
        self.at = 0

    def parse(self) -> Layout:
        start = self.column
        dims = self._list() if self.next == "[" else self._letters()
        halo = self._halo() if self._optional(",") else None
        if self.next:
            self._fail("expected the end", self.column)
        try:
            return Layout(dims, halo)
        except LayoutError as error:
            raise LayoutError(str(error), start) from None

    @property
    def next(self) -> str:
        return self.tokens[self.at][0]

    @property
    def column(self) -> int:
        return self.tokens[self.at][1]

    def _fail(self, expected: str, column: int) -> None:
        got = f'"{self.next}"' if self.next else "the end"
        raise LayoutError(f"{expected}, got {got}", column)

    def _optional(self, text: str) -> bool:
        if self.next != text:
            return False
        self.at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._optional(text):
            self._fail(f'expected "{text}"', self.column)

    def _number(self) -> int:
        if not self.next.isdigit():
            self._fail("expected a number", self.column)
        self.at += 1
        return int(self.tokens[self.at - 1][0])

    def _alignment(self) -> int:
        if self.next != "[":
            return 1
        self.at += 1
        self._expect("a")
        self._expect("=")
        value = self._number()
        self._expect("]")
        return value

    def _list(self) -> list[Dim]:
        self._expect("[")
        dims: list[Dim] = []
        while not self._optional("]"):
            if dims:
                self._expect(",")
            dims.append(self._dim())
        return dims

    def _dim(self) -> Dim:
        axis, extent, stride = self._number(), None, 1
        if self._optional(":"):
            extent = None if self._optional("?") else self._number()
        if self._optional(":"):
            stride = self._number()
        return Dim(axis, extent, stride, self._alignment())

    def _halo(self) -> list[Halo]:
        for letter in "halo":
            self._expect(letter)
        self._expect("=")
        self._expect("[")
        pads: list[Halo] = []
        while not self._optional("]"):
            if pads:
                self._expect(",")
            before = self._number()
            pads.append((before, self._number() if self._optional(":") else before))
        return pads

    def _letters(self) -> list[Dim]:
        start = self.column
        found: list[tuple[str, int | None, int]] = []
        while self.next.isalpha() or self.next.isdigit():
            extent = self._number() if self.next.isdigit() else None
            letter, column = self.next, self.column
            if extent is None and not letter.isupper():
                self._fail("expected a capital or a block such as 8c", column)
            if extent is not None and not letter.islower():
                self._fail("expected the letter of the block's axis", column)
            self.at += 1
            found.append((letter, extent, self._alignment()))
        return _dims_of(found, start)


def _dims_of(found: Sequence[tuple[str, int | None, int]], column: int) -> list[Dim]:
    """Return the dims that letters stand for; blocks count from the innermost."""
    table = _table_for("".join(letter.upper() for letter, _, _ in found), column)
    strides = [1] * len(table)
    dims: list[Dim] = []
    for letter, extent, alignment in reversed(found):
        axis = table.index(letter.upper())
        if not strides[axis]:
            raise LayoutError(
                f'expected "{table[axis]}" once, before its blocks', column
            )
        dims.append(Dim(axis, extent, strides[axis], alignment))
        strides[axis] *= extent or 0
    return dims[::-1]


def _table_for(used: str, column: int) -> str:
    for tables in (ACTIVATIONS, FILTERS, MATRICES):
        for letters in tables.values():
            if set(letters) == set(used):
                return letters
    raise LayoutError(
        f"expected the letters of NC, NCW, NCHW, NCDHW, of the same with OI, "
        f'or of KN, got "{used}"',
        column,
    )
