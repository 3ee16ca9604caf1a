"""Rearrangements of lanes: squares transposed, planes interleaved, in registers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import cast

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import Body, vector_of

# Bits that wide registers shuffle within at no extra cost, on x86 and Arm.
_SEGMENT_BITS = 128


def shuffled(b: Body, x: SSAValue, y: SSAValue, lanes: Sequence[int]) -> SSAValue:
    """Return some lanes of x followed by y."""
    element = cast(VectorType[Attribute], x.type).element_type
    op = vector.ShuffleOp.create(
        operands=[x, y],
        result_types=[vector_of(element, len(lanes))],
        properties={"mask": DenseArrayBase.from_list(i64, list(lanes))},
    )
    return b.add(op)


def transposed(b: Body, rows: list[SSAValue], bits: int) -> list[SSAValue]:
    """
    Return the columns of a square: as many vectors as each has lanes of `bits`.

    Squares of one segment are transposed first, then the square of segments, so that
    each step is one instruction.
    """
    lanes = len(rows)
    inner = min(lanes, _SEGMENT_BITS // bits)
    blocks = [
        _unpacked(b, rows[start : start + inner], lanes)
        for start in range(0, lanes, inner)
    ]
    columns = [
        _segments_transposed(b, [block[i] for block in blocks], inner)
        for i in range(inner)
    ]
    return [column[s] for s in range(len(blocks)) for column in columns]


def columns_of(b: Body, rows: list[SSAValue]) -> list[SSAValue]:
    """Return the columns of 2, 4, 8 or 16 rows, each of as many lanes as rows."""
    count, lanes = len(rows), _lanes_of(rows[0])
    if count > 2:
        found = _unpacked(b, rows, lanes)
        places = [(found[i % count], i // count * count) for i in range(lanes)]
    else:
        x, y = rows
        starts = [range(half, lanes, 4) for half in (0, 2)]
        masks = [
            [lane for s in mine for lane in (s, s + lanes, s + 1, s + 1 + lanes)]
            for mine in starts
        ]
        found = [shuffled(b, x, y, mask) for mask in masks]
        places = [(found[i % 4 // 2], i // 4 * 4 + i % 2 * 2) for i in range(lanes)]
    return [shuffled(b, x, x, range(at, at + count)) for x, at in places]


def rows_of(b: Body, columns: list[SSAValue]) -> list[SSAValue]:
    """Return the 2 or 4 rows of these columns, each as long as there are columns."""
    count, lanes = _lanes_of(columns[0]), len(columns)
    if count == 4:
        joined = [_concatenated(b, columns[i::4]) for i in range(4)]
        return _unpacked(b, joined, lanes)
    half = (
        _concatenated(b, columns[: lanes // 2]),
        _concatenated(b, columns[lanes // 2 :]),
    )
    return [shuffled(b, *half, range(i, 2 * lanes, 2)) for i in range(2)]


def _concatenated(b: Body, parts: list[SSAValue]) -> SSAValue:
    """Return the lanes of all `parts`, as many as a power of two."""
    while len(parts) > 1:
        lanes = range(2 * _lanes_of(parts[0]))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [shuffled(b, x, y, lanes) for x, y in pairs]
    return parts[0]


def _lanes_of(x: SSAValue) -> int:
    return cast(VectorType[Attribute], x.type).get_shape()[0]


def _unpacked(b: Body, rows: list[SSAValue], lanes: int) -> list[SSAValue]:
    """Transpose the squares that `rows` have in each segment, by perfect shuffles."""
    half = len(rows) // 2
    low = [
        lane + i
        for segment in range(0, lanes, len(rows))
        for i in range(segment, segment + half)
        for lane in (0, lanes)
    ]
    high = [lane + half for lane in low]
    for _ in range(len(rows).bit_length() - 1):
        pairs = [(rows[i], rows[i + half]) for i in range(half)]
        rows = [shuffled(b, x, y, mask) for x, y in pairs for mask in (low, high)]
    return rows


def _segments_transposed(b: Body, rows: list[SSAValue], size: int) -> list[SSAValue]:
    """Transpose 1, 2 or 4 vectors of as many segments of `size` lanes."""

    def pick(pair: tuple[SSAValue, SSAValue], *segments: int) -> SSAValue:
        lanes = chain.from_iterable(range(s * size, (s + 1) * size) for s in segments)
        return shuffled(b, *pair, list(lanes))

    match rows:
        case [_]:
            return rows
        case [x, y]:
            return [pick((x, y), 0, 2), pick((x, y), 1, 3)]
        case [x, y, z, w]:
            halves = [
                (pick((x, y), *mine), pick((z, w), *mine))
                for mine in ((0, 1, 4, 5), (2, 3, 6, 7))
            ]
            return [
                pick(pair, *mine)
                for pair in halves
                for mine in ((0, 2, 4, 6), (1, 3, 5, 7))
            ]
        case _:
            raise AssertionError(f"{len(rows)} segments")


def interleaved(b: Body, planes: list[SSAValue], lanes: int) -> list[SSAValue]:
    """Return vectors that hold lane 0 of all planes, then lane 1, and so on."""
    count = len(planes)
    if count == 1:
        return planes
    if count == 4 <= lanes:
        return _segments_in_turn(b, _unpacked(b, planes, lanes))
    if count % 2 == 0:
        even, odd = (interleaved(b, planes[i::2], lanes) for i in (0, 1))
        low = [lane for i in range(lanes // 2) for lane in (i, i + lanes)]
        high = [lane + lanes // 2 for lane in low]
        pairs = zip(even, odd, strict=True)
        return [shuffled(b, x, y, mask) for x, y in pairs for mask in (low, high)]
    places = [(i % count, i // count) for i in range(count * lanes)]
    return [
        _gathered(b, planes, places[start : start + lanes])
        for start in range(0, count * lanes, lanes)
    ]


def _segments_in_turn(b: Body, blocks: list[SSAValue]) -> list[SSAValue]:
    """Return the segments 0 of four vectors, then the segments 1, and so on."""
    match _lanes_of(blocks[0]) // 4:
        case 1:
            return blocks
        case 2:
            lanes = [[*range(s, s + 4), *range(s + 8, s + 12)] for s in (0, 4)]
            pairs = ((blocks[0], blocks[1]), (blocks[2], blocks[3]))
            return [shuffled(b, x, y, mine) for mine in lanes for x, y in pairs]
        case _:
            return _segments_transposed(b, blocks, 4)


def separated(b: Body, parts: list[SSAValue], lanes: int) -> list[SSAValue]:
    """Return the planes whose interleaving is `parts`."""
    count = len(parts)
    return [
        _gathered(b, parts, [divmod(i * count + plane, lanes) for i in range(lanes)])
        for plane in range(count)
    ]


def _gathered(
    b: Body, sources: list[SSAValue], places: Sequence[tuple[int, int]]
) -> SSAValue:
    """Return the vector of lanes (source, lane), with one shuffle per added source."""
    lanes = len(places)
    found = sources[0]
    for index, source in enumerate(sources[1:], start=1):
        is_first = index == 1
        mask = [
            lanes + lane if of == index else lane if is_first and of == 0 else i
            for i, (of, lane) in enumerate(places)
        ]
        found = shuffled(b, found, source, mask)
    return found
