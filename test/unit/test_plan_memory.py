"""The planner against an independent checker, on random lifetimes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import MemRefType, ModuleOp, f32
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import Lifetime, largest_live_bytes
from glow.dialects.memory.storage import AllocOp
from glow.graph_modules import context
from glow.passes.memory.plan_memory import PlanMemoryPass, plan

ALLOC = AllocOp(MemRefType(f32, [1]))

spans = st.tuples(st.integers(0, 40), st.integers(0, 12), st.integers(0, 30))


def lifetimes_of(spans: list[tuple[int, int, int]]) -> list[Lifetime]:
    return [
        Lifetime(ALLOC, first, first + length, 64 * units)
        for first, length, units in spans
    ]


def occupied(lifetimes: list[Lifetime], offsets: list[int], at: int) -> list[int]:
    """Every 64-byte unit that is in use at `at`, once per owner."""
    return [
        unit
        for found, offset in zip(lifetimes, offsets, strict=True)
        if found.first <= at <= found.last
        for unit in range(offset // 64, (offset + found.bytes) // 64)
    ]


@pytest.mark.slow
@given(st.lists(spans, max_size=40))
def test_no_unit_has_two_owners(found: list[tuple[int, int, int]]) -> None:
    lifetimes = lifetimes_of(found)
    offsets = plan(lifetimes)
    assert all(offset >= 0 and offset % 64 == 0 for offset in offsets)
    for at in range(55):
        units = occupied(lifetimes, offsets, at)
        assert len(units) == len(set(units))


@given(st.lists(spans, max_size=40))
def test_lower_bound_is_the_most_units_in_use(
    found: list[tuple[int, int, int]],
) -> None:
    lifetimes = lifetimes_of(found)
    offsets = plan(lifetimes)
    most = max((len(occupied(lifetimes, offsets, at)) for at in range(55)), default=0)
    assert largest_live_bytes(lifetimes) == 64 * most


def test_a_chain_of_layers_takes_two_places() -> None:
    """Layer i reads what layer i - 1 wrote: two of equal size are alive at once."""
    lifetimes = [Lifetime(ALLOC, i, i + 1, 640) for i in range(50)]
    offsets = plan(lifetimes)
    assert max(offsets) + 640 == largest_live_bytes(lifetimes) == 1280


def test_memory_lies_apart_for_some_ops_or_none() -> None:
    with pytest.raises(PassFailedException, match="apart of at least 0, got -1"):
        PlanMemoryPass(apart=-1).apply(context(), ModuleOp([]))
