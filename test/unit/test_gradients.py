"""The gradient of every op against differences of what it computes."""

import numpy as np
import pytest
from gradient_code import checked_calls
from random_ops.call import Call

from glow.passes.gradients import decomposition_of
from glow.registry import UNIVERSE

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN

OPS = {op.name: op for op in UNIVERSE.all_dialects["graph"]().operations}
COMPUTING = {name: op for name, op in OPS.items() if hasattr(op, "compute")}
WITH_GRADIENT = [
    name
    for name, op in COMPUTING.items()
    if hasattr(op, "gradient") or decomposition_of(op) is not None
]
# Zero wherever they have a slope: differences of them say nothing else.
STEPS = {"graph.ceil", "graph.floor", "graph.round", "graph.sign"}


def test_every_op_has_a_gradient_or_says_why_not() -> None:
    silent = [
        name
        for name, op in COMPUTING.items()
        if name not in WITH_GRADIENT and not op.NO_GRADIENT
    ]
    both = [name for name in WITH_GRADIENT if COMPUTING[name].NO_GRADIENT]
    assert not silent
    assert not both
    assert set(WITH_GRADIENT) >= STEPS


@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradient_is_that_of_differences(name: str) -> None:
    _, problems = checked_calls(name, 3)
    assert not problems, "\n".join(problems)


def form_of(call: Call) -> str:
    """Return which operands are there, their ranks, and parameters that are words."""
    ranks = [
        None if slot is None else [np.ndim(each) for each in slot]
        for slot in ([s] if isinstance(s, np.ndarray) else s for s in call.slots)
    ]
    words = {k: v for k, v in call.parameters.items() if isinstance(v, str | bool)}
    return f"{call.op.name} {ranks} {words}"


@pytest.mark.slow
def test_many_forms_of_ops_are_tried() -> None:
    forms: set[str] = set()
    for name in WITH_GRADIENT:
        calls, problems = checked_calls(name, 12, seed=1)
        assert not problems, "\n".join(problems)
        forms |= set(map(form_of, calls))
    assert len(forms) > 400, len(forms)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradient_is_that_of_differences_at_length(name: str, seed: int) -> None:
    _, problems = checked_calls(name, 20, seed)
    assert not problems, "\n".join(problems)
