"""Bytes that a call touches: runs at equal distances, behind a pointer."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase

from glow.support.attributes import i64_array, numbers_of

T = TypeVar("T")


_FEW = 4
"""Parts that are looked at one by one."""


class Bytes(NamedTuple):
    """
    The bytes from `begin` to `end`; of each `period` of them the first `length`.

    `period` is 0 where they lie next to each other.
    """

    begin: int
    end: int
    length: int = 0
    period: int = 0

    def moved(self, offset: int) -> Bytes:
        return Bytes(self.begin + offset, self.end + offset, self.length, self.period)

    @property
    def is_dense(self) -> bool:
        return not self.period

    @property
    def gap(self) -> int:
        """The bytes from the end of a part to the next one."""
        return self.period - self.length

    def covers(self, other: Bytes) -> bool:
        """Return whether all of `other` is surely touched."""
        return self.is_dense and self.begin <= other.begin and other.end <= self.end

    def meets(self, other: Bytes) -> bool:
        """Return whether both may touch a byte; False is certain."""
        if self.end <= other.begin or other.end <= self.begin:
            return False
        if self.period == other.period:
            return self.is_dense or self._meets_part(other.begin, other.length)
        few, many = sorted((self, other), key=lambda own: len(own.parts))
        if len(few.parts) > _FEW:
            return True
        for begin in few.parts:
            end = begin + (few.length or few.end - begin)
            begin, end = max(begin, many.begin), min(end, few.end, many.end)
            if begin < end and many._meets_part(begin, end - begin):
                return True
        return False

    @property
    def parts(self) -> range:
        """Where parts without gaps begin."""
        return range(self.begin, self.end, self.period or self.end - self.begin or 1)

    def _meets_part(self, begin: int, length: int) -> bool:
        """
        Return whether some part has one of `length` bytes from `begin`.

        These bytes are all before the end.
        """
        if self.is_dense:
            return True
        ahead = (begin - self.begin) % self.period
        return ahead < self.length or ahead + length > self.period


class Touch(NamedTuple):
    """
    The accesses of a call to the bytes behind one of its operands.

    Where `step` is not 0, its unit of work number u only touches the bytes from
    `bytes.begin + u * step` to `step` further on.
    """

    operand: int
    writes: bool
    bytes: Bytes
    step: int = 0

    @staticmethod
    def of(attribute: DenseArrayBase[Any]) -> Touch:
        return _touch_of(numbers_of(attribute))

    @staticmethod
    def all_of(
        touches: Iterable[Touch] | ArrayAttr[DenseArrayBase],
    ) -> ArrayAttr[DenseArrayBase]:
        """Return touches as the attribute of a call, which they may be already."""
        if isinstance(touches, ArrayAttr):
            return cast(ArrayAttr[DenseArrayBase], touches)
        return ArrayAttr([touch.attribute() for touch in touches])

    def attribute(self) -> DenseArrayBase[Any]:
        own = self.bytes
        places = (own.begin, own.end, own.length, own.period)
        numbers = (self.operand, int(self.writes), *places, self.step)
        return i64_array(*numbers)


@lru_cache(1 << 12)
def _touch_of(numbers: tuple[int, ...]) -> Touch:
    operand, writes, begin, end, length, period, step = numbers
    return Touch(operand, bool(writes), Bytes(begin, end, length, period), step)


class PlacedTouch(NamedTuple):
    """Bytes that a call touches of a block of memory, which `place` tells apart."""

    place: Hashable
    writes: bool
    bytes: Bytes
    step: int = 0

    def clashes(self, other: PlacedTouch) -> bool:
        """Return whether the two must not happen at the same time."""
        either = self.writes or other.writes
        return either and self.place == other.place and self.bytes.meets(other.bytes)


def first_clash(
    accesses: Iterable[tuple[T, PlacedTouch]], together: Callable[[T, T], bool]
) -> tuple[T, T] | None:
    """Return the owners of two accesses that clash, None if no two `together` do."""
    by_place: dict[Hashable, list[tuple[T, PlacedTouch]]] = {}
    for owner, access in accesses:
        by_place.setdefault(access.place, []).append((owner, access))
    for group in by_place.values():
        group.sort(key=lambda each: each[1].bytes.begin)
        readers: list[tuple[T, PlacedTouch]] = []
        writers: list[tuple[T, PlacedTouch]] = []
        for owner, access in group:
            for some in (readers, writers):
                some[:] = [e for e in some if e[1].bytes.end > access.bytes.begin]
            for other, before in [*writers, *(readers if access.writes else ())]:
                if access.clashes(before) and together(other, owner):
                    return other, owner
            (writers if access.writes else readers).append((owner, access))
    return None
