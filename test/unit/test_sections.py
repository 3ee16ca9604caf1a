"""Sections of a `main` for threads: what clashes, where bytes lie, long ones."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from types import SimpleNamespace
from typing import Any

import models
import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_teams import number_of
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, f32

import glow
from glow.backends.cpu.cores import CORES
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.address import Addressing
from glow.dialects.memory.base import Buffer
from glow.dialects.memory.storage import AllocOp
from glow.dialects.team.sections import CallOp, SectionOp, alike, is_beside
from glow.dialects.team.touches import Bytes, PlacedTouch, first_clash
from glow.graph_modules import context
from glow.lowering.memory_to_loops import main
from glow.lowering.memory_to_loops.history import History, PastTouch
from glow.lowering.memory_to_loops.kernels.kernel import Argument, Operand
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows
from glow.lowering.memory_to_loops.rows import offsets_of
from glow.lowering.memory_to_loops.touched import bytes_behind, footprint
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.support.layout import parse_layout
from glow.support.targets import target_of


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
    func.func private @team_claim(memref<?xi64>, index, index, index) -> index
    func.func private @team_wait(memref<?xi64>, index) -> index
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


@dataclass(frozen=True)
class Placed:
    """A call of a section, and what each of its pieces touches."""

    call: CallOp
    section: int
    strand: int

    def clashes(self, other: Placed) -> bool:
        """Whether a piece of one touches what another piece of the other writes."""
        same = self.strand == other.strand
        return any(
            not (same and p == q) and overlap(x, p, self, y, q, other)
            for x, y in product(self.call.accesses(), other.call.accesses())
            if x.place == y.place and (x.writes or y.writes)
            for p in self.pieces(x)
            for q in other.pieces(y)
        )

    def pieces(self, access: PlacedTouch) -> range:
        return range(self.call.pieces if access.step else 1)


def overlap(
    x: PlacedTouch, p: int, own: Placed, y: PlacedTouch, q: int, other: Placed
) -> bool:
    """Whether two pieces touch a byte; runs are looked at one by one."""
    first, second = runs(x, p, own.call), runs(y, q, other.call)
    at = np.searchsorted(second[:, 1], first[:, 0], "right")
    inside = at < len(second)
    return bool(np.any(second[at[inside], 0] < first[inside, 1]))


@cache
def runs(access: PlacedTouch, piece: int, call: CallOp) -> NDArray[np.int64]:
    """Return where runs of bytes begin and end that a piece of a call may touch."""
    own, step = access.bytes, access.step * call.step.value.data
    begin, end = own.begin, own.end
    if step:
        begin, end = begin + piece * step, min(end, begin + (piece + 1) * step)
    starts = np.arange(begin, end, own.period) if own.period else np.array([begin])
    ends = np.minimum(starts + own.length, end) if own.period else np.array([end])
    return np.stack([starts, ends], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mobilenet_v2", "encoder"])
def test_who_reads_what_others_write_comes_after_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each piece, against all others of what came before it without threads."""
    calls: list[CallOp] = []
    sections_of = main.sections_of

    def noted(given: list[CallOp], *rest: Any) -> list[SectionOp]:
        calls.extend(given)
        return sections_of(given, *rest)

    monkeypatch.setattr(main, "sections_of", noted)
    module = at_loops(name)
    sections = [op for op in module.walk() if isinstance(op, SectionOp)]
    placed = {
        call: Placed(call, section.number.value.data, strand.number.value.data)
        for section in sections
        for strand in section.strands
        for call in strand.calls
    }
    assert set(placed) == set(calls)
    joined = 0
    for one, other in combinations([placed[call] for call in calls], 2):
        joined += one.strand == other.strand and other.call.pieces > 1
        if one.section >= other.section and not is_beside(one.call, other.call):
            assert not one.clashes(other), (one, other)
    assert joined > 10 or name == "encoder"


def at_loops(name: str, target: str = "cpu:avx2", piece_ns: int = 5000) -> ModuleOp:
    """Return a model of tests in pieces, kernels declared."""
    module = glow.load((models.TWINS | models.MODELS)[name]()).module
    return lowered(module, target, piece_ns)


def lowered(
    module: ModuleOp, target: str = "cpu:avx2", piece_ns: int = 5000
) -> ModuleOp:
    stages = stages_between("import", "loops")
    text = pipeline_text(stages, target, "declared", piece_ns)
    run_passes(parse_passes(text), context(), module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "most"), [("mobilenet_v2", 31), ("resnet50", 70), ("encoder", 30)]
)
def test_runs_wait_seldom(
    name: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    A MobileNet has 100 nodes and a ResNet-50 126, and some need several calls.

    With caches of 48 KiB and 2 MiB: a ResNet-50 has more sections where L2 is smaller.
    """
    sizes = 48 << 10, 2 << 20
    monkeypatch.setattr("glow.backends.cpu.targets.cache_sizes", lambda: sizes)
    target_of.cache_clear()
    try:
        assert number_of(at_loops(name), "sections") <= most
    finally:
        target_of.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sizes", "rows", "most"),
    [
        ("Zen 4", (32 << 10, 1 << 20), 8, 31),
        ("Sapphire Rapids", (48 << 10, 2 << 20), 12, 38),
    ],
)
def test_products_go_on_with_pieces_of_lines(
    name: str,
    sizes: tuple[int, int],
    rows: int,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    Tiles of 8 pixels go on with lines of 7 x 4 in 14 parts of 56 pixels.

    Those of 12 go on with them in 10 parts of 84, and with tiles of 6. So a MobileNet
    waits for little more than a third of its nodes.
    """
    if not target_of("cpu:avx512").runs_here:
        pytest.skip("avx512 does not run here")
    here = next(core for core in CORES if core.name == name)
    monkeypatch.setattr("glow.backends.cpu.targets.cache_sizes", lambda: sizes)
    monkeypatch.setattr("glow.backends.cpu.targets.core_here", lambda: here)
    target_of.cache_clear()
    try:
        assert target_of("cpu:avx512").tile_rows == rows
        module = at_loops("mobilenet_v2", "cpu:avx512", 2500)
        assert number_of(module, "sections") <= most
    finally:
        target_of.cache_clear()


@pytest.mark.parametrize(("width", "waits"), [(256, 0), (1024, 1)])
def test_products_go_on_by_rows_where_factors_stay_near(
    width: int, waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of L2 holds 256 x 256 weights, not 1024 x 1024, which are read by panels."""
    sizes = 48 << 10, 2 << 20
    monkeypatch.setattr("glow.backends.cpu.targets.cache_sizes", lambda: sizes)
    target_of.cache_clear()
    x, w = f"tensor<768x{width}xf32>", f"tensor<{width}x{width}xf32>"
    text = f"""
    func.func @main(%x: {x}, %w: {w}) -> {x} {{
      %y = graph.matmul %x, %w : ({x}, {w}) -> {x}
      %z = graph.matmul %y, %w : ({x}, {w}) -> {x}
      func.return %z : {x}
    }}"""
    try:
        module = lowered(parse_text(context(), text, "products"))
        # The others put weights into panels, and tell of the output.
        assert number_of(module, "sections") == 3 + waits
    finally:
        target_of.cache_clear()
