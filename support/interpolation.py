"""Integers as polynomials: exact interpolation between points where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import gcd, lcm, prod

Point = tuple[int, ...]


@dataclass(frozen=True)
class Multilinear:
    """
    Integers that are multilinear in coordinates, between the points they come from.

    Each is a sum of products of coordinates, of which none occurs twice in a product.
    """

    low: Point
    """The least of each coordinate of the points."""
    high: Point
    steps: Point
    """
    The greatest common divisor of the differences of each coordinate of the points.

    Rounding to multiples of a divisor of it has the same effect at all points.
    """
    terms: tuple[tuple[int, ...], ...]
    """For each term, the coordinates that are multiplied."""
    scale: int
    """The common divisor of all coefficients."""
    coefficients: tuple[tuple[int, ...], ...]
    """For each distinct integer, the coefficient of each term."""
    places: tuple[int, ...]
    """For each integer, its index in `coefficients`."""

    def covers(self, point: Point) -> bool:
        """Return whether `point` is between known points, by whole steps from them."""
        bounds = zip(self.low, point, self.high, strict=True)
        is_between = all(low <= x <= high for low, x, high in bounds)
        return is_between and self.reaches(point)

    def reaches(self, point: Point) -> bool:
        """Return whether `point` is whole steps away from the points that are known."""
        places = zip(self.low, point, self.steps, strict=True)
        return not any((x - low) % step if step else x - low for low, x, step in places)

    def at(self, point: Point) -> tuple[int, ...] | None:
        """Return the integers at `point`; None where they would be fractions."""
        factors = [prod(point[axis] for axis in term) for term in self.terms]
        found: list[int] = []
        for coefficients in self.coefficients:
            total = sum(c * f for c, f in zip(coefficients, factors, strict=True) if c)
            quotient, rest = divmod(total, self.scale)
            if rest:
                return None
            found.append(quotient)
        return tuple([found[place] for place in self.places])

    @cached_property
    def varying(self) -> tuple[int, ...]:
        """The coordinates that differ between the points."""
        return _varying((self.low, self.high))


def interpolate(
    points: Sequence[Point], values: Sequence[Sequence[int]]
) -> Multilinear | None:
    """
    Return multilinear integers that are `values` at `points`, one list for each point.

    None where points are too few or in one plane, where no multilinear integers pass
    through all, and where no point is left to confirm the others.
    """
    axes = _varying(points)
    sizes = range(len(axes) + 1)
    terms = tuple(term for n in sizes for term in combinations(axes, n))
    if not points or len(points) <= len(terms):
        return None
    rows = [[Fraction(prod(p[axis] for axis in t)) for t in terms] for p in points]
    chosen = _independent(rows)
    if len(chosen) < len(terms):
        return None
    inverse = _inverted([rows[i] for i in chosen])
    scale = lcm(*(number.denominator for row in inverse for number in row))
    weights = [[int(number * scale) for number in row] for row in inverse]
    columns: dict[tuple[int, ...], int] = {}
    places = [columns.setdefault(c, len(columns)) for c in zip(*values, strict=True)]
    coefficients = tuple(
        tuple(
            sum(w * column[i] for w, i in zip(row, chosen, strict=True))
            for row in weights
        )
        for column in columns
    )
    low, high = (tuple(map(f, zip(*points, strict=True))) for f in (min, max))
    steps = tuple(
        gcd(*(x - least for x in column))
        for least, column in zip(low, zip(*points, strict=True), strict=True)
    )
    found = Multilinear(low, high, steps, terms, scale, coefficients, tuple(places))
    agrees = all(
        found.at(point) == tuple(own) for point, own in zip(points, values, strict=True)
    )
    return found if agrees else None


def _varying(points: Sequence[Point]) -> tuple[int, ...]:
    columns = enumerate(zip(*points, strict=True))
    return tuple(axis for axis, column in columns if len(set(column)) > 1)


def _independent(rows: Sequence[Sequence[Fraction]]) -> list[int]:
    """Return the indices of linearly independent rows."""
    reduced: list[tuple[int, list[Fraction]]] = []
    chosen: list[int] = []
    for number, row in enumerate(rows):
        left = list(row)
        for pivot, other in reduced:
            factor = left[pivot] / other[pivot]
            left = [x - factor * y for x, y in zip(left, other, strict=True)]
        pivot = next((i for i, x in enumerate(left) if x), None)
        if pivot is not None:
            reduced.append((pivot, left))
            chosen.append(number)
    return chosen


def _inverted(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Return the inverse of a matrix that has one, by Gauss-Jordan elimination."""
    size = len(matrix)
    rows = [
        [*row, *(Fraction(int(i == j)) for j in range(size))]
        for i, row in enumerate(matrix)
    ]
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        divisor = rows[column][column]
        rows[column] = [x / divisor for x in rows[column]]
        for i in range(size):
            if i != column and rows[i][column]:
                factor = rows[i][column]
                pairs = zip(rows[i], rows[column], strict=True)
                rows[i] = [x - factor * y for x, y in pairs]
    return [row[size:] for row in rows]
