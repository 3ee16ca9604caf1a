"""What the text of a layout says, how it prints back, and where wrong text fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import pytest
from counted_calls import is_linear
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_strategies import layouts

from glow.support.layout import (
    Layout,
    LayoutError,
    parse_layout,
    parse_layout_in,
    print_layout,
)


@pytest.mark.slow
@given(layouts(extended=True))
def test_parse_of_print_is_identity(layout: Layout) -> None:
    text = print_layout(layout)
    assert parse_layout(text) == layout
    assert print_layout(parse_layout(text)) == text
    assert parse_layout_in(f"<{text}> -> x]", 1, ">") == (layout, 1 + len(text))


@pytest.mark.slow
@given(layouts(extended=True), st.data())
def test_loose_text_prints_in_canonical_form(
    layout: Layout, data: st.DataObject
) -> None:
    def blank() -> str:
        return data.draw(st.sampled_from(["", " ", "\t "]))

    dims: list[str] = []
    for dim in layout.dims:
        notes = [f"[{text}]" for text in dim.extensions]
        if dim.alignment > 1 or data.draw(st.booleans()):
            place = data.draw(st.integers(0, len(notes)))
            notes.insert(place, f"[{blank()}a{blank()}={blank()}0{dim.alignment} ]")
        words = [f"{dim.axis}", ":", f"{dim.extent or '?'}", ":", f"{dim.stride}"]
        dims.append("".join(blank() + word for word in (*words, *notes)))
    pads = ",".join(f"{blank()}{before}:{after}" for before, after in layout.halo)
    loose = f"{blank()}[{','.join(dims)}{blank()}], halo=[{pads}]"
    assert print_layout(parse_layout(loose)) == print_layout(layout)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("NHWC", "NHWC"),
        ("NCHW", "NCHW"),
        ("[0, 2, 3, 1]", "NHWC"),
        ("NCHW8c", "NCHW8c"),
        ("OHWI16o", "OHWI16o"),
        ("OIHW4i16o4i", "OIHW4i16o4i"),
        ("OHWI", "NHWC"),
        ("HWIO", "HWIO"),
        ("NK16n", "NK16n"),
        ("OI8o", "OI8o"),
        ("KN", "NC"),
        ("N[a=64]HWC", "N[a=64]HWC"),
        ("NDHWC, halo = [0, 0, 1, 2:1, 0]", "NDHWC, halo = [0, 0, 1, 2:1, 0]"),
        ("[0, 1:7, 1:?:7]", "[0, 1:7, 1:?:7]"),
        ("[0, 1:7:7, 1:7, 1:?:49]", "[0, 1:49, 1:?:49]"),
        ("[ 0 [a=32], 1 ]", "N[a=32]C"),
        ("[1:1, 0, 1]", "NC"),
        ("[0]", "[0]"),
        ("[]", "[]"),
        ("OIHW16i16o", "OIHW16i16o"),
        ("NCHW16c", "NCHW16c"),
        ("CHWN", "CHWN"),
        ("N C H W 8 c", "NCHW8c"),
        ("NTHWC", "NDHWC"),
        ("NCTHW", "NCDHW"),
        ("NC8c2c", "NC16c"),
        ("N[answer:42][a=16]HWC", "N[a=16][answer:42]HWC"),
        ("N[a=1]HWC", "NHWC"),
        ("N[b:2][a:1] HWC", "N[b:2][a:1]HWC"),
        ('N[ x.y-z : a[b > // " é ]HWC', 'N[ x.y-z : a[b > // " é ]HWC'),
        ("N[x:]C", "N[x:]C"),
        ("NC8c[x:1]2c", "NC8c[x:1]2c"),
        ("NC8c2c[x:1]", "NC8c2c[x:1]"),
        ("NC[x:1][x:1]", "NC[x:1][x:1]"),
        ("[0[x:1], 1:4, 1:?:4[y:2][x:1]]", "[0[x:1], 1:4, 1:?:4[y:2][x:1]]"),
    ],
)
def test_text_is_printed_in_canonical_form(text: str, printed: str) -> None:
    assert print_layout(parse_layout(text)) == printed


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("NXWC", 2, 'expected the letters of NC, NCW, .*, got "NXWC"'),
        ("NCKW", 1, 'expected the letters of NC, NCW, .*, got "NCKW"'),
        ("", 1, "expected a layout, got the end"),
        ("  ", 3, "expected a layout, got the end"),
        ("\N{LATIN CAPITAL LETTER E WITH ACUTE}", 1, "expected a layout, got"),
        ("N\N{SUPERSCRIPT TWO}", 2, "expected the end, got"),
        ("N\N{ARABIC-INDIC DIGIT THREE}n", 2, "expected the end, got"),
        ("nhwc", 1, 'expected a capital or a block such as 8c, got "n"'),
        ("NHWC8", 6, "expected the letter of the block's axis, got the end"),
        ("NHW8C", 5, 'expected the letter of the block\'s axis, got "C"'),
        ("NHWCC", 4, 'expected "C" once, before its blocks'),
        ("NTHWCD", 2, 'expected "D" once, before its blocks'),
        ("NH8cWC", 3, "expected the rest of axis 1 once|before its blocks"),
        ("NHW8c", 4, "expected a dim with what is left of axis 1"),
        ("NCHW0c", 5, "expected an extent of at least 1, got 0"),
        ("[0, 1", 6, 'expected ",", got the end'),
        ("[0, 2]", 5, "expected a dim with what is left of axis 1"),
        ("[1000000000]", 2, "expected a dim with what is left of axis 0"),
        ("[0, 0]", 5, "expected the rest of axis 0 once, got it twice"),
        ("[1, 0:0, 0]", 5, "expected an extent of at least 1, got 0"),
        ("[0:?:2, 0:4]", 2, "expected a dim of axis 0 with stride 4, got stride 2"),
        ("[0, 1:?:2]", 5, "expected a dim of axis 1 with stride 1, got stride 2"),
        ("[0, /]", 5, 'expected a number, got "/"'),
        ("NHWC, halo [1]", 12, 'expected "=", got "\\["'),
        ("NHWC, halo = [1]", 14, "expected a halo for each of 4 axes, got 1"),
        ("NC, halo = [1, -1]", 16, 'expected a number, got "-"'),
        ("NHWC]", 5, 'expected the end, got "]"'),
        ("NHWC[a=8]", 4, "expected an outer dim to align, got the innermost"),
        ("N[a=0]HWC", 5, "expected an alignment of at least 1 byte"),
        ("N[a=8][a=8]HWC", 7, "expected one alignment, got a second"),
        ("N[a=x]HWC", 5, 'expected a number, got "x"'),
        ("N[a=8HWC", 6, 'expected "]", got "H"'),
        ("N[b=3]HWC", 3, 'expected "a=", or a namespace and ":", got "b"'),
        ("N[]HWC", 3, 'expected "a=", or a namespace and ":", got "]"'),
        ("N[:x]HWC", 3, 'expected "a=", or a namespace and ":", got ":"'),
        ("N[8:x]HWC", 3, 'expected "a=", or a namespace and ":", got "8"'),
        ("N[ns:xHWC", 2, "expected ] on the line of its \\["),
        ("N[ns:x\n]HWC", 2, "expected ] on the line of its \\["),
        ("NC1c[ns:x]", 3, "expected no extension of a dim of 1 value"),
        ("N*HW", 2, "expected the whole layout of a value, got the wildcard \\*"),
        ("*", 1, "got the wildcard \\*, which only a target's requirement may have"),
        ("[0, *]", 5, "got the wildcard"),
        (f"NC{10**30}c", 3, "expected a number of at most .*, got one of 31 digits"),
        (f"N[a={10**30}]C", 5, "expected a number of at most 2147483647"),
        (f"NC{2**20}c{2**20}c", 3, 'expected blocks of "C" of at most .* positions'),
        ("NC" + "9" * 5000 + "c", 3, "got one of 5000 digits"),
        ("[" * 2000, 2, 'expected a number, got "\\["'),
    ],
)
def test_wrong_text_is_refused_with_a_column(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(LayoutError, match=message) as caught:
        parse_layout(text)
    assert caught.value.column == column


WORDS = [
    "N",
    "C",
    "H",
    "W",
    "O",
    "I",
    "T",
    "K",
    "8c",
    "0n",
    "2",
    "[",
    "]",
    "0",
    "1",
    ":",
]
WORDS += [",", "?", "a=4", "[a=4]", "[x:y]", "x:y", "halo = ", "[0, 1]", "*", " ", ">"]


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join) | st.text(max_size=8))
def test_any_text_is_read_or_refused_at_a_column(text: str) -> None:
    column = None
    try:
        layout = parse_layout(text)
    except LayoutError as error:
        column = error.column or 0
    if column is None:
        assert parse_layout(print_layout(layout)) == layout
    else:
        assert 1 <= column <= len(text) + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["N", "8c", "[", "]", "1", " ", "N[a=8]", "[x:y", "[x:y]", "[[", ", 0", ":1", "*"],
)
@pytest.mark.parametrize("start", ["", "NC", "[0", "N[x:", "NC, halo = [0"])
def test_long_text_is_read_or_refused_in_linear_time(start: str, unit: str) -> None:
    def reading(length: int) -> Callable[[], None]:
        text = start + unit * (length // len(unit))

        def read() -> None:
            with suppress(LayoutError):
                parse_layout(text)

        return read

    assert is_linear(reading, 3_000)


@pytest.mark.slow
def test_many_axes_are_read_in_linear_time() -> None:
    def reading(rank: int) -> Callable[[], None]:
        text = f"[{', '.join(f'{axis}:2, {axis}:?:2' for axis in range(rank))}]"

        def read() -> None:
            assert parse_layout(text).rank == rank

        return read

    assert is_linear(reading, 1_000)


def test_extensions_are_part_of_what_a_layout_is() -> None:
    texts = ["NHWC", "N[x:1]HWC", "N[x:1 ]HWC", "NH[x:1]WC", "N[x:1][y:2]HWC"]
    texts += ["N[y:2][x:1]HWC", "N[X:1]HWC", "N[a=8][x:1]HWC"]
    for one, other in pairwise(texts):
        assert parse_layout(one) != parse_layout(other)
    assert parse_layout("N[x:1]HWC") == parse_layout("[0[x:1], 2, 3, 1]")
    assert len({parse_layout(text) for text in texts}) == len(texts)
