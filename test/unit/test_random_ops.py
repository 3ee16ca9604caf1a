"""Random calls of every op on the cpu against what they compute, from fixed seeds."""

import pytest
from random_ops import GENERATORS, calls
from random_ops.call import Call
from random_ops.programs import differences, program_of

import glow
from glow.dialects.graph.base import GraphOp
from glow.registry import UNIVERSE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy's, of NaN
]

CALLS = 4


def wrong_on_cpu(chosen: list[Call]) -> list[str]:
    """Compile all calls as one program, run it, and say where it is wrong."""
    module, arrays = program_of(chosen)
    return differences(chosen, glow.compile(module)(*arrays))


@pytest.mark.parametrize("name", GENERATORS)
def test_cpu_gives_what_an_op_computes(name: str) -> None:
    wrong = wrong_on_cpu(calls(name, CALLS, seed=0))
    assert not wrong, "\n".join(wrong)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 30))
@pytest.mark.parametrize("name", GENERATORS)
def test_cpu_gives_what_an_op_computes_at_length(name: str, seed: int) -> None:
    wrong = wrong_on_cpu(calls(name, 12, seed))
    assert not wrong, "\n".join(wrong)


def test_every_op_that_computes_is_called() -> None:
    dialect = UNIVERSE.all_dialects["graph"]()
    computing = {op.name for op in dialect.operations if hasattr(op, "compute")}
    assert computing == set(GENERATORS)
    assert all(
        issubclass(op, GraphOp) for op in dialect.operations if op.name in computing
    )
