"""What absence means: neutral operands change no bit, and come and go."""

from __future__ import annotations

import numpy as np
import pytest
from graph_code import module_of
from hypothesis import given, settings
from hypothesis import strategies as st
from random_ops import calls
from random_ops.call import Array, Call
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, presence_of
from glow.model import context
from glow.pipeline import parse_passes, run_passes
from glow.registry import UNIVERSE

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN

OPS: list[type[GraphOp]] = [
    op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, GraphOp) and any(optional_slots(op))
]
SLOTS = [(op, slot) for op in OPS for slot in op.neutrals()]
GIVE = "materialize-optionals"
ELIDE = "elide-optionals,dce"


def absent_calls(op: type[GraphOp], slot: str, count: int = 4) -> list[Call]:
    """Return random calls of `op` without `slot`, for which something stands."""
    neutral = op.neutrals()[slot]
    found: list[Call] = []
    for seed in range(40):
        for call in calls(op.name, 10, seed):
            call = with_slot(call, slot, None)
            if call.has_meaning and neutral.shape(call.build()) is not None:
                found.append(call)
            if len(found) == count:
                return found
    raise AssertionError(f"no call of {op.name} without {slot}")


def with_slot(call: Call, slot: str, array: Array | None) -> Call:
    """Return `call` with `array` for operand `slot`."""
    names = [name for name, _ in call.op.get_irdl_definition().operands]
    slots = dict.fromkeys(names) | dict(zip(names, call.slots, strict=False))
    given = tuple((slots | {slot: array}).values())
    return Call(call.op, given, call.parameters, call.sums, call.cancels)


def same_bits(one: Array, other: Array) -> bool:
    """Say whether elements are the same; any NaN is any other."""
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    same = (one == other) & (np.signbit(one) == np.signbit(other))
    return bool((same | (np.isnan(one) & np.isnan(other))).all())


def alone(call: Call) -> ModuleOp:
    """Return a function of the call's arrays that returns its results."""

    def body(*arguments: SSAValue) -> list[SSAValue]:
        return list(call.build(arguments).results)

    return module_of(call.arrays, {}, body)


def after(module: ModuleOp, passes: str) -> str:
    run_passes(parse_passes(passes), context(), module)
    module.verify()
    return str(module)


def the_op(module: ModuleOp, kind: type[GraphOp]) -> GraphOp:
    (found,) = (op for op in module.walk() if isinstance(op, kind))
    return found


@pytest.mark.parametrize(("op", "slot"), SLOTS, ids=lambda x: getattr(x, "name", x))
def test_neutral_operand_changes_no_bit(op: type[GraphOp], slot: str) -> None:
    for call in absent_calls(op, slot):
        expected = call.expected()
        neutral = op.neutrals()[slot].array(call.build())
        assert neutral is not None
        whole = with_slot(call, slot, neutral)
        assert whole.is_valid, str(whole)
        found = whole.expected()
        assert all(map(same_bits, found, expected)), f"{whole} gives other bits"


@pytest.mark.parametrize(("op", "slot"), SLOTS, ids=lambda x: getattr(x, "name", x))
def test_absence_is_given_and_comes_back(op: type[GraphOp], slot: str) -> None:
    chosen = f'{{slots="{op.name}.{slot}"}}'
    for call in absent_calls(op, slot, 2):
        module = alone(call)
        before = str(module)
        given = after(module, GIVE + chosen)
        assert slot in presence_of(the_op(module, op))
        assert after(module, GIVE + chosen) == given, "twice is once"
        assert after(module, f"elide-optionals{chosen},dce") == before
        assert after(module, f"elide-optionals{chosen},dce") == before


@settings(max_examples=40, derandomize=True, deadline=None)
@given(op=st.sampled_from(OPS), seed=st.integers(0, 999))
def test_each_direction_reaches_its_fixpoint(op: type[GraphOp], seed: int) -> None:
    (call,) = calls(op.name, 1, seed)
    whole, bare = alone(call), alone(call)
    given, elided = after(whole, GIVE), after(bare, ELIDE)
    assert after(whole, GIVE) == given
    assert after(bare, ELIDE) == elided
    assert after(whole, ELIDE) == elided, "what was given goes, whatever went before"
    again = after(bare, GIVE)
    assert after(bare, GIVE) == again
    assert after(bare, ELIDE) == elided


def test_a_slot_that_is_none_is_refused() -> None:
    for wrong in ("graph.conv.filter", "graph.relu", "graph.none", "conv"):
        with pytest.raises(PassFailedException, match=f'got "{wrong}"'):
            after(ModuleOp([]), f'materialize-optionals{{slots="{wrong}"}}')
