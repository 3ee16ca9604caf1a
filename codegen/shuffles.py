"""Rearrangements of lanes: squares transposed, planes interleaved, in registers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i32, i64

from glow.codegen.casts import bits_of
from glow.codegen.values import Value, broadcast, type_of
from glow.codegen.writer import emit
from glow.support.op_construction import build_op
from glow.support.targets import SEGMENT_BYTES


def shuffled(x: Value, y: Value, lanes: Sequence[int]) -> Value:
    """Return some lanes of x followed by y."""
    op = build_op(
        vector.ShuffleOp,
        operands=[x.ssa, y.ssa],
        result_types=[type_of(x.element, len(lanes))],
        properties={"mask": DenseArrayBase.from_list(i64, list(lanes))},
    )
    return Value((emit(op),), x.element, len(lanes))


def extracted(x: Value, lane: int) -> Value:
    """Return one lane of a vector."""
    op = build_op(
        vector.ExtractOp,
        operands=[x.ssa],
        result_types=[type_of(x.element)],
        properties={"static_position": DenseArrayBase.from_list(i64, [lane])},
    )
    return Value((emit(op),), x.element)


def inserted(scalar: Value, into: Value, lane: int) -> Value:
    """Return a vector with one of its lanes replaced."""
    op = vector.InsertOp(scalar.ssa, into.ssa, [lane])
    return Value((emit(op),), into.element, into.lanes)


def spread_pair(pair: Value, lanes: int) -> Value:
    """Return a pair of 16-bit numbers, repeated to fill `lanes` lanes."""
    type_ = VectorType(i32, [1])
    both = build_op(vector.BitcastOp, operands=[pair.ssa], result_types=[type_])
    word = broadcast(extracted(Value((emit(both),), i32, 1), 0), lanes // 2)
    type_ = type_of(pair.element, lanes)
    spread = build_op(vector.BitcastOp, operands=[word.ssa], result_types=[type_])
    return Value((emit(spread),), pair.element, lanes)


def transposed(rows: Sequence[Value]) -> list[Value]:
    """
    Return the columns of a square, which has as many rows as each of them has lanes.

    Squares of one segment are transposed first, then the square of segments, so that
    each step is one instruction.
    """
    lanes = len(rows)
    inner = min(lanes, 8 * SEGMENT_BYTES // bits_of(rows[0].element))
    blocks = [
        _unpacked(rows[start : start + inner], lanes)
        for start in range(0, lanes, inner)
    ]
    columns = [
        _segments_transposed([block[i] for block in blocks], inner)
        for i in range(inner)
    ]
    return [column[s] for s in range(len(blocks)) for column in columns]


def columns_of(rows: Sequence[Value]) -> list[Value]:
    """Return the columns of 2, 4, 8 or 16 rows, as vectors with a lane per row."""
    count, lanes = len(rows), rows[0].lanes
    if count > 2:
        blocks = _unpacked(rows, lanes)
        places = [(blocks[i % count], i // count * count) for i in range(lanes)]
    else:
        x, y = rows
        starts = [range(half, lanes, 4) for half in (0, 2)]
        masks = [
            [lane for s in mine for lane in (s, s + lanes, s + 1, s + 1 + lanes)]
            for mine in starts
        ]
        blocks = [shuffled(x, y, mask) for mask in masks]
        places = [(blocks[i % 4 // 2], i // 4 * 4 + i % 2 * 2) for i in range(lanes)]
    return [shuffled(x, x, range(at, at + count)) for x, at in places]


def rows_of(columns: Sequence[Value]) -> list[Value]:
    """Return the 2 or 4 rows of these columns: a transpose in registers."""
    count, lanes = columns[0].lanes, len(columns)
    if count == 4:
        return _unpacked([_concatenated(columns[i::4]) for i in range(4)], lanes)
    half = lanes // 2
    x, y = _concatenated(columns[:half]), _concatenated(columns[half:])
    return [shuffled(x, y, range(i, 2 * lanes, 2)) for i in range(2)]


def _concatenated(parts: Sequence[Value]) -> Value:
    """Return the lanes of all `parts`; their number is a power of two."""
    while len(parts) > 1:
        lanes = range(2 * parts[0].lanes)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [shuffled(x, y, lanes) for x, y in pairs]
    return parts[0]


def _unpacked(rows: Sequence[Value], lanes: int) -> list[Value]:
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
        rows = [shuffled(x, y, mask) for x, y in pairs for mask in (low, high)]
    return list(rows)


def _segments_transposed(rows: list[Value], size: int) -> list[Value]:
    """Transpose a square of 1, 2 or 4 segments a side, each of `size` lanes."""

    def pick(pair: tuple[Value, Value], *segments: int) -> Value:
        lanes = chain.from_iterable(range(s * size, (s + 1) * size) for s in segments)
        return shuffled(*pair, list(lanes))

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


def interleaved(planes: Sequence[Value]) -> list[Value]:
    """Return vectors that hold lane 0 of all planes, then lane 1, and so on."""
    count, lanes = len(planes), planes[0].lanes
    if count == 1:
        return list(planes)
    if count == 4 <= lanes:
        return _segments_in_turn(_unpacked(planes, lanes))
    if count % 2 == 0:
        even, odd = (interleaved(planes[i::2]) for i in (0, 1))
        low = [lane for i in range(lanes // 2) for lane in (i, i + lanes)]
        high = [lane + lanes // 2 for lane in low]
        pairs = zip(even, odd, strict=True)
        return [shuffled(x, y, mask) for x, y in pairs for mask in (low, high)]
    places = [(i % count, i // count) for i in range(count * lanes)]
    return [
        _gathered(planes, places[start : start + lanes])
        for start in range(0, count * lanes, lanes)
    ]


def _segments_in_turn(blocks: list[Value]) -> list[Value]:
    """Return the segments 0 of four vectors, then the segments 1, and so on."""
    match blocks[0].lanes // 4:
        case 1:
            return blocks
        case 2:
            lanes = [[*range(s, s + 4), *range(s + 8, s + 12)] for s in (0, 4)]
            pairs = ((blocks[0], blocks[1]), (blocks[2], blocks[3]))
            return [shuffled(x, y, mine) for mine in lanes for x, y in pairs]
        case _:
            return _segments_transposed(blocks, 4)


def separated(parts: Sequence[Value]) -> list[Value]:
    """Return the planes whose interleaving is `parts`."""
    count, lanes = len(parts), parts[0].lanes
    return [
        _gathered(parts, [divmod(i * count + plane, lanes) for i in range(lanes)])
        for plane in range(count)
    ]


def _gathered(sources: Sequence[Value], places: Sequence[tuple[int, int]]) -> Value:
    """Return the vector of lanes (source, lane), with one shuffle per added source."""
    lanes = len(places)
    result = sources[0]
    for index, source in enumerate(sources[1:], start=1):
        is_first = index == 1
        mask = [
            lanes + lane if of == index else lane if is_first and of == 0 else i
            for i, (of, lane) in enumerate(places)
        ]
        result = shuffled(result, source, mask)
    return result
