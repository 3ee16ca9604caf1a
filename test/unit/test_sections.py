"""Sections of a `main` for threads: what clashes, where bytes lie, long ones."""

import random
from itertools import combinations, product

import pytest
from xdsl.dialects import llvm

from glow.dialects.memory.address import Addressing
from glow.dialects.team.touches import Bytes, PlacedTouch, first_clash
from glow.lowering.memory_to_loops.touched import footprint
from glow.model import context, parse_text
from glow.pass_manager import parse_passes, run_passes


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


def text(sections: int) -> str:
    strands = [
        f"""team.section {n} on %team : memref<?xi64> {{
          team.strand {n} {{
            %x{n} = llvm_ext.base %arena : memref<?xi8> to memref<?xf32>
            team.call @f(%x{n} writes 0 to 64, %c) units 8 step 2 cost 9
                : memref<?xf32>, index
          }}
        }}"""
        for n in range(sections)
    ]
    return """
    func.func private @f(memref<?xf32>, index, index, index)
    func.func private @team_claim(memref<?xi64>, index, index) -> index
    func.func private @team_done(memref<?xi64>, index)
    func.func private @team_wait(memref<?xi64>, index, index)
    func.func @main(%arena: memref<?xi8>, %team: memref<?xi64>) {
      %c = arith.constant 7 : index
    """ + "\n".join([*strands, "func.return }"])


@pytest.mark.parametrize(("sections", "parts"), [(16, 0), (17, 2), (48, 3)])
def test_a_long_main_has_parts(sections: int, parts: int) -> None:
    module = parse_text(context(), text(sections), "sections")
    run_passes(parse_passes("loops-to-llvm"), context(), module)
    module.verify()
    functions = [op for op in module.ops if isinstance(op, llvm.FuncOp)]
    assert sum(".part_" in f.sym_name.data for f in functions) == parts
    called = [
        op.callee.string_value()
        for op in module.walk()
        if isinstance(op, llvm.CallOp) and op.callee is not None
    ]
    assert called.count("team_wait") == called.count("f") == sections
    ordered = [name for name in called if ".part_" in name]
    assert ordered == [f"main.part_{n}" for n in range(parts)]
