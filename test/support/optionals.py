"""Calls of every op that has optional slots, with and without each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from graph_code import module_of
from random_ops import calls
from random_ops.call import Array, Call
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, presence_of
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes
from glow.registry import UNIVERSE

OPS: list[type[GraphOp]] = [
    op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, GraphOp) and any(optional_slots(op))
]


def with_slot(call: Call, slot: str, array: Array | None) -> Call:
    """Return `call` with `array` for operand `slot`."""
    names = [name for name, _ in call.op.get_irdl_definition().operands]
    slots = dict.fromkeys(names) | dict(zip(names, call.slots, strict=False))
    given = tuple((slots | {slot: array}).values())
    return Call(call.op, given, call.parameters, call.sums, call.cancels)


@cache
def variants(op: type[GraphOp]) -> tuple[Call, ...]:
    """Return few random calls of `op`, with and without each optional slot."""
    found: list[Call] = []
    seen: set[tuple[str, bool]] = set()
    for call in calls(op.name, 60, seed=0):
        presence = presence_of(call.build())
        facts = {(slot, slot in presence) for slot in optional_slots(op)}
        if not facts <= seen and all(array.size for array in call.arrays):
            seen |= facts
            found.append(call)
    return tuple(found)


def pairs(op: type[GraphOp]) -> Iterator[tuple[Call, Call]]:
    """Yield calls that have an optional operand, and the same without."""
    for call in variants(op):
        for slot in optional_slots(op).operands:
            absent = with_slot(call, slot, None)
            is_there = slot in presence_of(call.build())
            if is_there and absent.has_meaning:
                yield call, absent


def module_with(chosen: Sequence[Call]) -> ModuleOp:
    """Return a function of the arrays of all calls that returns all results."""

    def body(*arguments: SSAValue) -> list[SSAValue]:
        left = iter(arguments)
        ops = [call.build([next(left) for _ in call.arrays]) for call in chosen]
        return [result for op in ops for result in op.results]

    return module_of([array for call in chosen for array in call.arrays], {}, body)


def after(module: ModuleOp, passes: str) -> str:
    """Run `passes` on `module` and return its text."""
    run_passes(parse_passes(passes), context(), module)
    module.verify()
    return str(module)


def found_in(module: ModuleOp, kind: type[GraphOp]) -> list[GraphOp]:
    return [op for op in module.walk() if isinstance(op, kind)]


def same_bits(one: Array, other: Array) -> bool:
    """Say whether elements are the same; any NaN is any other."""
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    same = (one == other) & (np.signbit(one) == np.signbit(other))
    return bool((same | (np.isnan(one) & np.isnan(other))).all())
