"""What absence means: neutral operands change no bit, and come and go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optionals import OPS, after, found_in, module_with, same_bits, with_slot
from random_ops import calls
from random_ops.call import Call
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots, presence_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN

SLOTS = [(op, slot) for op in OPS for slot in op.neutrals()]
GIVE = "materialize-optionals"
ELIDE = "elide-optionals,dce"


def absent_calls(op: type[GraphOp], slot: str, count: int = 4) -> list[Call]:
    """Return random calls of `op` without `slot`, for which something stands."""
    neutral = op.neutrals()[slot]
    found: list[Call] = []
    for seed in range(40):
        for call in calls(op.name, 10, seed):
            absent = with_slot(call, slot, None)
            if absent.has_meaning and neutral.shape(absent.build()) is not None:
                found.append(absent)
            if len(found) == count:
                return found
    raise AssertionError(f"no call of {op.name} without {slot}")


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_what_stands_for_absence_is_said_of_optional_operands(
    op: type[GraphOp],
) -> None:
    assert set(op.neutrals()) <= set(optional_slots(op).operands)


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


@pytest.mark.slow
@pytest.mark.parametrize(("op", "slot"), SLOTS, ids=lambda x: getattr(x, "name", x))
def test_absence_is_given_and_comes_back(op: type[GraphOp], slot: str) -> None:
    chosen = f'{{slots="{op.name}.{slot}"}}'
    for call in absent_calls(op, slot, 2):
        module = module_with([call])
        before = str(module)
        given = after(module, GIVE + chosen)
        assert [slot in presence_of(each) for each in found_in(module, op)] == [True]
        assert after(module, GIVE + chosen) == given, "twice is once"
        assert after(module, f"elide-optionals{chosen},dce") == before
        assert after(module, f"elide-optionals{chosen},dce") == before


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(op=st.sampled_from(OPS), seed=st.integers(0, 999))
def test_each_direction_reaches_its_fixpoint(op: type[GraphOp], seed: int) -> None:
    chosen = calls(op.name, 1, seed)
    whole, bare = module_with(chosen), module_with(chosen)
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
