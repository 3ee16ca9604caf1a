"""Random calls of every op on the cpu against what they compute, from fixed seeds."""

import numpy as np
import pytest
from graph_code import module_of
from random_ops import GENERATORS, calls
from random_ops.call import Array, Call
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.base import GraphOp
from glow.registry import UNIVERSE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # NumPy's, of NaN
]

# Relative to an element, or in a sum to the largest one and at least to 1.
TOLERANCES = {"float32": 4e-6, "float64": 1e-13}
CALLS = 5


def difference(call: Call, actual: Array, expected: Array) -> str | None:
    """Say how a result differs from the expected one by more than its error, if so."""
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"expected {expected.dtype}{list(expected.shape)}, got {actual.shape}"
    tolerance = TOLERANCES.get(actual.dtype.name)
    if tolerance is None:
        same = actual == expected
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        least = tolerance if call.cancels else float(np.finfo(actual.dtype).tiny)
        if call.sums:
            least = tolerance * max(1, finite.max(initial=0))
        same = np.isclose(actual, expected, tolerance, least, equal_nan=True)
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size}, at {at} {actual[at]} from {expected[at]}"


def run(chosen: list[Call]) -> list[Array]:
    """Return all results of all calls, compiled as one program for the cpu."""

    def body(*arguments: SSAValue) -> list[SSAValue]:
        left = iter(arguments)
        ops = [call.build([next(left) for _ in call.arrays]) for call in chosen]
        return [result for op in ops for result in op.results]

    arrays = [array for call in chosen for array in call.arrays]
    found = glow.compile(module_of(arrays, {}, body))(*arrays)
    return [found] if isinstance(found, np.ndarray) else list(found)


def differences(chosen: list[Call]) -> list[str]:
    """Compile all calls as one program, run it, and say where it is wrong."""
    found = iter(run(chosen))
    wrong: list[str] = []
    for call in chosen:
        for expected in call.expected():
            told = difference(call, next(found), expected)
            wrong += [f"{call}: {told}"] if told else []
    return wrong


@pytest.mark.parametrize("name", GENERATORS)
def test_cpu_gives_what_an_op_computes(name: str) -> None:
    wrong = differences(calls(name, CALLS, seed=0))
    assert not wrong, "\n".join(wrong)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1, 30))
@pytest.mark.parametrize("name", GENERATORS)
def test_cpu_gives_what_an_op_computes_at_length(name: str, seed: int) -> None:
    wrong = differences(calls(name, 12, seed))
    assert not wrong, "\n".join(wrong)


def test_every_op_that_computes_is_called() -> None:
    dialect = UNIVERSE.all_dialects["graph"]()
    computing = {op.name for op in dialect.operations if hasattr(op, "compute")}
    assert computing == set(GENERATORS)
    assert all(
        issubclass(op, GraphOp) for op in dialect.operations if op.name in computing
    )
