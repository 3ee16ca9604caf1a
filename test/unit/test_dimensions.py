"""Symbolic dimensions: which texts are names, which are arithmetic, what that gives."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glow.support.dimensions import relations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("past + 1", 8),
        ("past+sequence", 10),
        ("past + sequence - 2*1", 8),
        ("2*sequence", 6),
        ("floor(past/2)", 3),
        ("ceiling(past/2)", 4),
        ("past//2 + 1", 4),
        ("((past - 1)//sequence) + 1", 3),
        ("Max(1, sequence)", 3),
        ("Min(past, sequence, 2)", 2),
        ("Mod(past, sequence)", 1),
        ("FloorDiv(past, 2)", 3),
        ("past % 4", 3),
        ("-sequence + past", 4),
    ],
)
def test_arithmetic_follows_from_names(text: str, expected: int) -> None:
    found = relations([text, "past", "sequence"])
    assert list(found) == [text]
    assert found[text].extent({"past": 7, "sequence": 3, "other": 1}) == expected


@pytest.mark.parametrize(
    "text",
    [
        "batch-size",
        "batch.1",
        "unk__123",
        "batch size",
        "x[0]",
        "",
        "1",
        "1 + 1",
        "True + past",
        "past ** 2",
        "past and sequence",
        "floor(past, 2)",
        "max()",
        "print(past)",
        "past.real + 1",
        "past + " * 60 + "past",
        "(" * 150 + "past" + ")" * 40,
        "past + 1.5",
        "past + 'a'",
        "lambda past: past",
    ],
)
def test_others_are_names(text: str) -> None:
    assert text not in relations([text, "past", "sequence"])


def test_a_hyphen_counts_where_both_sides_are_dimensions() -> None:
    assert not relations(["batch-size", "batch"])
    assert relations(["batch-size"], ["batch", "size"])


def test_nothing_follows_from_what_follows() -> None:
    assert list(relations(["n", "n + 1", "m + 1"])) == ["n + 1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n / 2", '"n / 2" is 3/2 for n = 3'),
        ("n - 4", '"n - 4" is -1 for n = 3'),
        ("n // (n - 3)", r'"n // \(n - 3\)" divides by 0 for n = 3'),
    ],
)
def test_what_is_no_extent_is_reported(text: str, message: str) -> None:
    (found,) = relations([text, "n"]).values()
    with pytest.raises(ValueError, match=message):
        found.extent({"n": 3})


@given(
    st.recursive(
        st.sampled_from(["n", "m", "1", "2", "7"]),
        lambda inner: st.tuples(inner, st.sampled_from("+-*%"), inner).map(
            lambda parts: f"({''.join(parts)})"
        ),
        max_leaves=8,
    ),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_it_is_what_python_computes(text: str, n: int, m: int) -> None:
    found = relations([text, "n", "m"]).get(text)
    names = {
        each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)
    }
    assert (found is None) == (not names or text in ("n", "m"))
    if found is None:
        return
    try:
        expected = eval(text, {"n": n, "m": m})
    except ZeroDivisionError:
        expected = -1
    if expected >= 0:
        assert found.extent({"n": n, "m": m}) == expected
    else:
        with pytest.raises(ValueError, match=r"divides by 0|is -"):
            found.extent({"n": n, "m": m})
