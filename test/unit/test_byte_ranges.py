"""Ranges of bytes: overlaps are counted as a search would find them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from glow.runtime.byte_ranges import ByteRanges, range_of
from glow.support.arrays import address_of

RANGE = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@given(st.lists(RANGE), st.sets(st.integers(0, 9)), RANGE)
def test_overlaps_are_counted(
    added: list[tuple[int, int]], removed: set[int], asked: tuple[int, int]
) -> None:
    ranges = ByteRanges()
    for each in added:
        ranges.add(each)
    for number in removed & set(range(len(added))):
        ranges.remove(added[number])
    left = [each for number, each in enumerate(added) if number not in removed]
    expected = sum(s < asked[1] and asked[0] < e for s, e in left)
    assert ranges.overlapped_by(asked) == expected


def test_arrays_lie_between_their_first_and_last_byte() -> None:
    array = np.zeros((4, 6), np.float32)
    start = address_of(array)
    assert range_of(array) == (start, start + 96)
    assert range_of(array[1:3, ::2]) == (start + 24, start + 24 + 24 + 20)
    assert range_of(array[::-1]) == (start, start + 96)
    assert range_of(array[:0]) is None
