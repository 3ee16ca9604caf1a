"""Bytes that calls touch: which share one, which a history remembers."""

from __future__ import annotations

import random
from itertools import combinations, permutations, product
from types import SimpleNamespace
from typing import Any

import pytest
from xdsl.dialects.builtin import f32

from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.address import Addressing
from glow.dialects.memory.base import Buffer
from glow.dialects.memory.storage import AllocOp
from glow.dialects.team.sections import alike, is_beside
from glow.dialects.team.touches import Bytes, PlacedTouch, first_clash
from glow.lowering.memory_to_loops.history import History, PastTouch
from glow.lowering.memory_to_loops.kernels.kernel import Argument, Operand
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows
from glow.lowering.memory_to_loops.rows import offsets_of
from glow.lowering.memory_to_loops.touched import bytes_behind, footprint
from glow.support.layout import parse_layout


def numbers(own: Bytes) -> set[int]:
    """Return each byte that may be touched."""
    every = range(own.begin, own.end)
    if own.is_dense:
        return set(every)
    return {n for n in every if (n - own.begin) % own.period < own.length}


def some_bytes(rng: random.Random) -> Bytes:
    begin = rng.randrange(-8, 24)
    length = rng.choice([0, 2, 4, 8])
    period = length and rng.choice([8, 12])
    return Bytes(begin, begin + rng.randrange(1, 48), length, period)


@pytest.mark.parametrize("seed", range(4))
def test_what_does_not_meet_shares_no_byte(seed: int) -> None:
    rng, apart = random.Random(seed), 0
    for _ in range(2000):
        first, second = some_bytes(rng), some_bytes(rng)
        if not first.meets(second):
            apart += 1
            assert not numbers(first) & numbers(second), (first, second)
    assert apart > 400


def test_halves_of_lines_do_not_meet() -> None:
    assert not Bytes(0, 64, 8, 16).meets(Bytes(8, 64, 8, 16))
    assert Bytes(0, 64, 8, 16).meets(Bytes(7, 64, 8, 16))


@pytest.mark.parametrize("seed", range(4))
def test_a_clash_is_found_where_there_is_one(seed: int) -> None:
    rng, found = random.Random(seed), 0
    for _ in range(300):
        touches = [
            (n, PlacedTouch(rng.randrange(3), rng.random() < 0.3, some_bytes(rng)))
            for n in range(4)
        ]
        pair = first_clash(touches, lambda a, b: a != b)
        expected = any(x.clashes(y) for (_, x), (_, y) in combinations(touches, 2))
        assert (pair is not None) is expected
        found += expected
    assert 30 < found < 270


@pytest.mark.parametrize("seed", range(4))
def test_no_access_is_forgotten(seed: int) -> None:
    """Who waits for what a history says comes after all that touched its bytes."""
    rng = random.Random(seed)
    groups = [SimpleNamespace(value=SimpleNamespace(data=n)) for n in range(2)]
    for _ in range(150):
        history, entries = History(), list[PastTouch]()
        waits: dict[int, int] = {}  # of calls beside each other, by their number
        for _ in range(14):
            touch = PlacedTouch(0, rng.random() < 0.3, some_bytes(rng))
            beside = rng.choice([None, None, *groups])
            own = {} if beside is None else {"beside": beside}
            call: Any = SimpleNamespace(beside=beside, properties=own)
            past = [e for e in history.clashes(touch) if not is_beside(e.call, call)]
            section = max((each.strand.section + 1 for each in past), default=0)
            if call.beside is not None:
                section = max(section, waits.get(call.beside.value.data, 0))
                waits[call.beside.value.data] = section
            strand: Any = SimpleNamespace(section=section)
            entries.append(PastTouch(touch, call, strand))
            history.note(entries[-1])
        for one, other in combinations(entries, 2):
            x, y = one.access, other.access
            if (x.writes or y.writes) and not is_beside(one.call, other.call):
                is_later = one.strand.section < other.strand.section
                assert is_later or not numbers(x.bytes) & numbers(y.bytes), (x, y)


def of_piece(touch: PlacedTouch, units: int, piece: int) -> set[int]:
    """Return each byte that a piece of so many units may touch."""
    begin = touch.bytes.begin + piece * units * touch.step
    return numbers(touch.bytes) & set(range(begin, begin + units * touch.step))


@pytest.mark.parametrize("seed", range(4))
def test_pieces_that_are_alike_share_no_byte_with_others(seed: int) -> None:
    rng, found = random.Random(seed), 0
    for _ in range(600):
        touches: list[PlacedTouch] = []
        for _ in range(2):
            period = rng.choice([8, 16])
            length = rng.randrange(1, period + 1)
            begin, gaps = rng.choice([0, 0, 4, 8]), period > length
            own = Bytes(begin, begin + 64, length * gaps, period * gaps)
            step = rng.choice([1, 2]) * period
            touches.append(PlacedTouch(0, True, own, step))
        units = [rng.randrange(1, 5) for _ in touches]
        if not alike(touches[0], units[0], touches[1], units[1]):
            continue
        found += 1
        for p, q in permutations(range(4), 2):
            first, second = touches
            one, other = of_piece(first, units[0], p), of_piece(second, units[1], q)
            assert not one & other, (touches, units)
    assert found > 30


@pytest.mark.parametrize(
    ("shape", "strides", "expected"),
    [
        ((6,), (8,), UnitRows(1, 6, 5, 8, 2)),
        ((2, 3), (24, 8), UnitRows(1, 6, 5, 8, 2)),
        ((2, 3), (40, 8), UnitRows(1, 2, 21, 40, 0)),
        ((2, 2, 3), (120, 40, 8), UnitRows(1, 5, 21, 40, 0)),
        ((2, 2, 3), (100, 40, 8), None),
        ((6,), (4,), None),
        ((6,), (0,), None),
        ((6,), (-8,), None),
        ((1,), (8,), None),
    ],
)
def test_rows_of_units(
    shape: tuple[int, ...], strides: tuple[int, ...], expected: UnitRows | None
) -> None:
    assert UnitRows.of(offsets_of(shape, strides), 1, 6, 2) == expected


@pytest.mark.parametrize(
    ("writes", "is_around", "expected"),
    [
        (True, False, Bytes(48, 112, 24, 40)),
        (True, True, Bytes(0, 160)),
        (False, False, Bytes(0, 160)),
    ],
)
def test_who_writes_pixels_leaves_the_border_alone(
    writes: bool, is_around: bool, expected: Bytes
) -> None:
    """Of 2 x 3 pixels of 2 channels; reads may begin in the border."""
    layout = LayoutAttr(parse_layout("NHWC, halo = [0, 0, 1, 1]"))
    image = AllocOp(Buffer(f32, (1, 2, 2, 3), layout)).result
    argument = Argument(image, Operand(f32), image, 48, is_around=is_around)
    found = bytes_behind(argument, writes=writes)
    assert found == expected.moved(-48)


@pytest.mark.parametrize("seed", range(4))
def test_elements_lie_in_their_footprint(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(300):
        shape = tuple(rng.randrange(1, 5) for _ in range(3))
        strides = tuple(rng.choice([0, 1, -1, 3, 4, 12, 24, -24]) for _ in range(3))
        addressing = Addressing(shape, strides, 100)
        own = numbers(footprint(addressing, 2))
        for index in product(*map(range, shape)):
            at = 100 + sum(i * s for i, s in zip(index, strides, strict=True))
            assert {2 * at, 2 * at + 1} <= own, addressing
