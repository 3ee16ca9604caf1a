"""Equations of Einstein sums, read for operands of known shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Shape

_ELLIPSIS = "..."

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Equation:
    """
    The label of each axis, of operands and of the result.

    Axes of an ellipsis are labeled by their place from the back, `-1` the last.
    """

    terms: tuple[Labels, ...]
    result: Labels
    extents: dict[str, int]

    @property
    def shape(self) -> Shape:
        """The shape of the result."""
        return tuple(self.extents[label] for label in self.result)


def read_equation(text: str, shapes: Sequence[Shape]) -> Equation:
    """
    Return the equation `text` of operands with these shapes.

    Errors: VerifyException for invalid signs, another number of operands or axes,
    extents that differ, labels of the result that no operand has or that stand twice,
    an ellipsis on one side only.
    """
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = [_split(term, text) for term in left.split(",")]
    if len(terms) != len(shapes):
        raise VerifyException(
            f'expected {len(terms)} operands by "{text}", got {len(shapes)}'
        )
    named = [_named(*pair, text) for pair in zip(terms, shapes, strict=True)]
    extents = _extents(named, shapes)
    spread = tuple(sorted((k for k in extents if k.startswith("-")), key=int))
    if arrow:
        result = _result(_split(right, text), spread, extents, text)
    else:
        counts = Counter(label for term in named for label in term)
        once = sorted(k for k, n in counts.items() if n == 1 and k not in spread)
        result = (*spread, *once)
    return Equation(tuple(named), result, extents)


def _split(term: str, text: str) -> list[str]:
    """Return the letters of a term, and where its ellipsis stands."""
    before, ellipsis, after = term.partition(_ELLIPSIS)
    for sign in before + after:
        if not (sign.isascii() and sign.isalpha()):
            raise VerifyException(
                f"expected letters, one ellipsis per term, commas and one arrow, "
                f'got "{sign}" in "{text}"'
            )
    return [*before, *([_ELLIPSIS] if ellipsis else []), *after]


def _named(term: list[str], shape: Shape, text: str) -> Labels:
    """Return the label of each axis of an operand."""
    letters = len(term) - (_ELLIPSIS in term)
    rest = len(shape) - letters
    if rest < 0 or (rest and _ELLIPSIS not in term):
        raise VerifyException(
            f'expected {letters} axes by "{"".join(term)}" of "{text}", '
            f"got {len(shape)}"
        )
    labels: list[str] = []
    for label in term:
        labels += map(str, range(-rest, 0)) if label == _ELLIPSIS else [label]
    return tuple(labels)


def _extents(terms: Sequence[Labels], shapes: Sequence[Shape]) -> dict[str, int]:
    """Return the extent of each label; 1 broadcasts, but not within an operand."""
    extents: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        own: dict[str, int] = {}
        for label, extent in zip(term, shape, strict=True):
            known = own.setdefault(label, extent)
            _check_extents(label, known, extent)
        for label, extent in own.items():
            known = extents.setdefault(label, extent)
            if known == 1:
                extents[label] = extent
            elif extent != 1:
                _check_extents(label, known, extent)
    return extents


def _check_extents(label: str, one: int, other: int) -> None:
    if one != other:
        what = f"axis {label} of the ellipsis" if label[0] == "-" else f'axis "{label}"'
        raise VerifyException(f"expected one extent of {what}, got {one} and {other}")


def _result(
    term: list[str], spread: Labels, extents: dict[str, int], text: str
) -> Labels:
    if spread and _ELLIPSIS not in term:
        raise VerifyException(f'expected an ellipsis in the result of "{text}"')
    for label, count in Counter(term).items():
        if label != _ELLIPSIS and label not in extents:
            raise VerifyException(f'no operand of "{text}" has the axis "{label}"')
        if count > 1:
            raise VerifyException(f'the result of "{text}" has "{label}" twice')
    labels: list[str] = []
    for label in term:
        labels += spread if label == _ELLIPSIS else (label,)
    return tuple(labels)
