"""Runs along an axis that slices of its digits can address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

Box = tuple[slice, ...]


def runs(
    extents: Sequence[int], start: int, count: int, longest: int | None = None
) -> Iterator[tuple[slice, Box]]:
    """
    Yield the runs that `count` numbers from `start` on consist of, in order.

    The first slice says which of the numbers, the others which values their digits
    have; `extents` are those of the digits, the most significant first. A run of more
    than `longest` numbers has one value of the first digit.
    """
    done = 0
    for box in _boxes(extents, start, start + count, longest):
        size = prod(digit.stop - digit.start for digit in box)
        yield slice(done, done + size), box
        done += size


def _boxes(
    extents: Sequence[int], start: int, stop: int, longest: int | None = None
) -> Iterator[Box]:
    if start >= stop:
        return
    if not extents:
        yield ()
        return
    inner = extents[1:]
    size = prod(inner)
    first, last = -(-start // size), stop // size
    if first > last:  # it begins and ends within one value of the first digit
        yield from _within(last, inner, start, stop)
        return
    if start < first * size:
        yield from _within(first - 1, inner, start, first * size)
    step = last - first if longest is None else max(1, longest // size)
    for value in range(first, last, step or 1):
        rest = (slice(0, extent) for extent in inner)
        yield slice(value, min(value + step, last)), *rest
    if last * size < stop:
        yield from _within(last, inner, last * size, stop)


def _within(value: int, inner: Sequence[int], start: int, stop: int) -> Iterator[Box]:
    """Yield the boxes from `start` to `stop` where the first digit is `value`."""
    skipped = value * prod(inner)
    for box in _boxes(inner, start - skipped, stop - skipped):
        yield slice(value, value + 1), *box
