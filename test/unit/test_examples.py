"""The example in the docstring of an op is that op, parses and verifies."""

import pytest
from xdsl.ir import Operation

from glow.registry import UNIVERSE
from glow.tools.slots_page import example_of

OPS = [op for load in UNIVERSE.all_dialects.values() for op in load().operations]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_example_parses_and_verifies(op: type[Operation]) -> None:
    assert example_of(op).name == op.name
