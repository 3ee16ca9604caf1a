"""Sections of a `main` for threads: long ones, how many, and who comes after whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import models
import numpy as np
import pytest
from numpy.typing import NDArray
from simulated_teams import number_of
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.backends.cpu.cores import CORES
from glow.dialects.team.sections import CallOp, SectionOp, is_beside
from glow.dialects.team.touches import PlacedTouch
from glow.graph_modules import context
from glow.lowering.memory_to_loops import main
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.support.targets import target_of


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
    """Lower a module of the graph level, in place, kernels declared."""
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
    ("name", "sizes", "rows"),
    [
        ("Zen 4", (32 << 10, 1 << 20), 8),
        ("Sapphire Rapids", (48 << 10, 2 << 20), 12),
    ],
)
@pytest.mark.parametrize(("model", "most"), [("mobilenet_v2", 31), ("shufflenet", 34)])
def test_products_go_on_with_pieces_of_lines(
    name: str,
    sizes: tuple[int, int],
    rows: int,
    model: str,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    Tiles of 8 pixels go on with lines of 7 x 4 in 14 parts of 56 pixels.

    Those of 12 go on with them in 10 parts of 84, and with tiles of 6. In 14 x 14 tiles
    have 7, whole panels and what columns are left. So a MobileNet waits for less than a
    third of its nodes, and a ShuffleNet for less than a fifth.
    """
    if not target_of("cpu:avx512").runs_here:
        pytest.skip("avx512 does not run here")
    here = next(core for core in CORES if core.name == name)
    monkeypatch.setattr("glow.backends.cpu.targets.cache_sizes", lambda: sizes)
    monkeypatch.setattr("glow.backends.cpu.targets.core_here", lambda: here)
    target_of.cache_clear()
    try:
        assert target_of("cpu:avx512").tile_rows == rows
        module = at_loops(model, "cpu:avx512", 2500)
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
