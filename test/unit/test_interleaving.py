"""Calls in turns: each unit is done once, after all that it must wait for."""

from __future__ import annotations

from collections import Counter
from itertools import product

import models
import numpy as np
import pytest
from grids import examples
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import UNKNOWN_LOC, ArrayAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

import glow
from glow.graph_modules import context
from glow.lowering.memory_to_loops import MemoryToLoopsPass
from glow.lowering.memory_to_loops.interleaving import (
    ByteSpan,
    PlannedCall,
    rounds_of,
)
from glow.lowering.memory_to_loops.kernels.kernel import PreparedCall, Work
from glow.lowering.memory_to_loops.storage import Storage
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between

EMPTY = Storage(ModuleOp([]))


@st.composite
def spans(draw: st.DrawFn, units: int) -> ByteSpan:
    """Return what units touch of a memory: the same, or more and more of it."""
    width = draw(st.integers(1, 40))
    low = np.full(1, draw(st.integers(0, 60)))
    if draw(st.booleans()):
        steps = draw(st.lists(st.integers(-2, 12), min_size=units, max_size=units))
        low = low + np.cumsum(steps)
    writes, place = draw(st.booleans()), draw(st.integers(0, 2))
    return ByteSpan(place, writes, draw(st.integers(0, 5)) == 0, low, low + width)


@st.composite
def calls(draw: st.DrawFn) -> list[PlannedCall]:
    found: list[PlannedCall] = []
    for number in range(draw(st.integers(2, 6))):
        units = draw(st.integers(1, 12))
        beside = draw(st.sampled_from([None, None, 0]))
        is_ordered = draw(st.integers(0, 6)) == 0
        prepared = PreparedCall(str(number), (), Work(units), ordered=is_ordered)
        nothing = frozenset[SSAValue]()
        call = PlannedCall(prepared, (), {}, UNKNOWN_LOC, EMPTY, nothing, beside)
        every = draw(st.lists(spans(units), min_size=1, max_size=3))
        call.__dict__["spans"] = every
        found.append(call)
    return found


def units_of(span: ByteSpan, unit: int) -> tuple[int, int]:
    """Return from where to where a unit touches."""
    at = unit if len(span.low) > 1 else 0
    return int(span.low[at]), int(span.high[at])


def clash(first: PlannedCall, m: int, second: PlannedCall, n: int) -> bool:
    """Return whether unit m of the first call must come before unit n of the second."""
    if first.prepared.ordered or second.prepared.ordered:
        return True
    if first.beside is not None and first.beside == second.beside:
        return False
    for x, y in product(first.spans, second.spans):
        if x.place != y.place or not (x.writes or y.writes) or (x.is_own and y.is_own):
            continue
        (a, b), (c, d) = units_of(x, m), units_of(y, n)
        if a < d and c < b:
            return True
    return False


@pytest.mark.slow
@examples(200)
@given(calls(), st.sampled_from([1, 4, 30]))
def test_units_that_touch_the_same_bytes_stay_in_order(
    planned: list[PlannedCall], near: int
) -> None:
    done = [
        (call, unit)
        for call, begin, end in rounds_of(planned, near)
        for unit in range(begin, end)
    ]
    assert Counter(done) == Counter(
        (call, unit) for call in planned for unit in range(call.units)
    )
    when = {each: time for time, each in enumerate(done)}
    for number, first in enumerate(planned):
        for second in planned[number + 1 :]:
            for m, n in product(range(first.units), range(second.units)):
                if clash(first, m, second, n):
                    assert when[first, m] < when[second, n]


def test_bytes_are_not_negative() -> None:
    with pytest.raises(PassFailedException, match="near_bytes of at least 0, got -1"):
        MemoryToLoopsPass("cpu", near_bytes=-1).apply(context(), ModuleOp([]))


def test_rounds_advance_by_the_least_that_is_needed() -> None:
    low = np.arange(8) * 10
    prepared = (PreparedCall(name, (), Work(8)) for name in "ab")
    one, two = (PlannedCall(each, (), {}, UNKNOWN_LOC, EMPTY) for each in prepared)
    one.__dict__["spans"] = [ByteSpan("x", True, False, low, low + 10)]
    window = ByteSpan("x", False, False, low - 10, low + 20)
    two.__dict__["spans"] = [window, ByteSpan("y", True, False, low, low + 10)]
    rounds = [
        (call.prepared.symbol, begin, end)
        for call, begin, end in rounds_of([one, two], 50)
    ]
    assert rounds == [
        *(("a", 0, 3), ("b", 0, 2), ("a", 3, 5), ("b", 2, 4)),
        *(("a", 5, 7), ("b", 4, 6), ("a", 7, 8), ("b", 6, 8)),
    ]
    assert (one.is_interleaved, two.is_interleaved) == (False, True)


SUMS = """
builtin.module attributes {glow.arena_bytes = 65536 : i64} {
  memory.placeholder @x "in" : memref<16384xf32>
  memory.placeholder @y "out" : memref<16384xf32>
  func.func @main() {
    %x = memory.get @x : memref<16384xf32>
    %y = memory.get @y : memref<16384xf32>
    %a = memory.alloc {offset = 0 : i64} : memref<16384xf32>
    memory.elementwise ins(%x : memref<16384xf32>) outs(%a : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    memory.elementwise ins(%a : memref<16384xf32>) outs(%y : memref<16384xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      memory.yield %s : f32
    }
    func.return
  }
}
"""


@pytest.mark.parametrize(("near", "distance"), [(1 << 14, 1 << 14), (1 << 20, 1 << 16)])
def test_a_profile_knows_what_is_read_near(near: int, distance: int) -> None:
    module = parse_text(context(), SUMS, "sums")
    options = f"kernels=declared profile=true near_bytes={near}"
    run_passes(parse_passes(f"memory-to-loops{{{options}}}"), context(), module)
    groups = module.attributes["glow.groups"]
    assert isinstance(groups, ArrayAttr)
    *_, moves, _ = groups.data[1]
    first, second, is_written = np.reshape(moves.get_values(), (-1, 3)).T.tolist()
    assert (first, is_written) == ([1 << 16] * 2, [0, 1])
    assert second[0] == distance
    assert second[1] >= 1 << 16


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shufflenet", "unet"])
def test_models_compute_the_same_bits_in_turns(name: str) -> None:
    model = models.build(name)
    module = glow.load(model).module
    text = pipeline_text(stages_between("import", "memory"), "cpu")
    run_passes(parse_passes(text), context(), module)
    outputs: list[list[bytes]] = []
    counts: list[int] = []
    for near in (1 << 14, 1 << 40):
        loops = module.clone()
        text = f"memory-to-loops{{kernels=declared near_bytes={near}}}"
        run_passes(parse_passes(text), context(), loops)
        counts.append(sum(isinstance(op, func.CallOp) for op in loops.walk()))
        net = glow.compile(loops)
        found = net.run(models.inputs_of(model))
        outputs.append([value.tobytes() for value in found.values()])
    assert outputs[0] == outputs[1]
    assert counts[0] > 1.5 * counts[1]
