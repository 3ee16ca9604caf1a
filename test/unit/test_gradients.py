"""The gradient of every op against differences of what it computes."""

from typing import Any

import numpy as np
import pytest
from gradient_code import backward_module, checked_calls, smooth_calls
from graph_code import run
from grids import slow_but
from random_ops.call import F32, Call
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import glow
from glow.dialects.graph import activation, binary, pooling, reduction, unary
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.scattering import ScatterElementsOp
from glow.dialects.graph.select import ClipOp
from glow.passes.gradients import decomposition_of
from glow.passes.graph.differentiate import DifferentiatePass
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


@pytest.mark.parametrize(
    "name", slow_but(WITH_GRADIENT, *({*WITH_GRADIENT} - {"graph.lstm", "graph.gru"}))
)
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


def gradient_at(
    op: type[GraphOp], *arrays: object, **parameters: object
) -> list[object]:
    """Return the gradients of floats, where that of each result is 1."""
    slots = tuple(np.asarray(array) for array in arrays)
    call = Call(op, slots, parameters)
    ones = [np.ones_like(r) for r in call.expected() if r.dtype.kind == "f"]
    return [g.tolist() for g in run(backward_module(call), [*slots, *ones])]


AT_KINKS = [
    (activation.ReluOp, [0.0], {}, [0.0]),
    (unary.AbsOp, [0.0], {}, [0.0]),
    (activation.LeakyReluOp, [0.0], {}, [1.0]),
    (activation.HardSigmoidOp, [-2.5, 2.5], {}, [0.0, 0.0]),
    (activation.HardSwishOp, [-3.0, 3.0], {}, [0.0, 1.0]),
    (reduction.ReduceMaxOp, [2.0, 1.0, 2.0], {"axes": (0,)}, [0.5, 0.0, 0.5]),
    (reduction.ReduceL2Op, [0.0, 0.0], {"axes": (0,)}, [0.0, 0.0]),
    (reduction.ReduceProdOp, [0.0, 3.0, 2.0], {"axes": (0,)}, [6.0, 0.0, 0.0]),
    (reduction.ReduceProdOp, [0.0, 3.0, 0.0], {"axes": (0,)}, [0.0, 0.0, 0.0]),
    (
        pooling.MaxPoolOp,
        [[[2.0, 2.0, 1.0]]],
        {"kernel_shape": (3,)},
        [[[1.0, 0.0, 0.0]]],
    ),
    (unary.RoundOp, [0.5], {}, [0.0]),
]


@pytest.mark.parametrize(("op", "x", "parameters", "expected"), AT_KINKS)
def test_conventions_where_there_is_no_slope(
    op: type[GraphOp], x: Any, parameters: dict[str, Any], expected: Any
) -> None:
    assert gradient_at(op, x, **parameters) == [expected]


def test_conventions_of_two_operands() -> None:
    assert gradient_at(binary.MaxOp, [1.0, 2.0], [1.0, 1.0]) == [[0.5, 1], [0.5, 0]]
    assert gradient_at(binary.PowOp, [0.0, 0.0], [0.0, 2.0]) == [[0, 0], [0, 0]]
    low, high = 0.0, 1.0
    assert gradient_at(ClipOp, [0.0, 1.0, 2.0, -1.0], low, high) == [[1, 1, 0, 0], 1, 1]
    slots = ([5.0, 5.0], [1, 1], [7.0, 8.0])  # the last update of a place remains
    assert gradient_at(ScatterElementsOp, *slots) == [[1, 0], [0, 1]]


@pytest.mark.parametrize("name", ["graph.tanh", "graph.softmax", "graph.conv"])
def test_gradients_of_gradients(name: str) -> None:
    """Those of <gradient, v> along a line are differences of gradients."""
    ((call, *_), _) = checked_calls(name, 1)
    rng = np.random.default_rng(1)
    once = backward_module(call)
    arrays = [*call.arrays, *(rng.standard_normal(r.shape) for r in call.expected())]
    DifferentiatePass("main").apply(Context(), once)
    first, second = [op for op in once.ops if isinstance(op, FuncOp)]
    module = ModuleOp([second.clone()])
    next(op for op in module.ops if isinstance(op, FuncOp)).sym_name = first.sym_name
    weights = [rng.standard_normal(a.shape) for a in call.arrays]
    found = run(module, [*arrays, *weights])
    line, sides = rng.standard_normal(arrays[0].shape), list[float]()
    for step in (1e-6, -1e-6):
        moved = run(once_only(first), [arrays[0] + step * line, *arrays[1:]])
        sides.append(
            sum(float((g * w).sum()) for g, w in zip(moved, weights, strict=True))
        )
    expected = (sides[0] - sides[1]) / 2e-6
    slope = float((found[0] * line).sum())
    assert slope == pytest.approx(expected, rel=1e-4, abs=1e-6)


def once_only(function: FuncOp) -> ModuleOp:
    return ModuleOp([function.clone()])


ALWAYS_ON_CPU = {
    *("graph.add", "graph.gelu", "graph.matmul", "graph.softmax", "graph.gather"),
    *("graph.conv", "graph.max_pool", "graph.layer_norm", "graph.reduce_mean"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        name if name in ALWAYS_ON_CPU else pytest.param(name, marks=pytest.mark.full)
        for name in WITH_GRADIENT
    ],
)
def test_cpu_computes_what_the_reference_does(name: str) -> None:
    call = next(smooth_calls(name, 0)).with_floats(F32)
    module, rng = backward_module(call), np.random.default_rng(0)
    incoming = [
        np.where(np.isfinite(r), rng.standard_normal(r.shape), 0).astype(r.dtype)
        for r in call.expected()
        if r.dtype.kind == "f"
    ]
    arrays = [*call.arrays, *incoming]
    outputs = glow.compile(module)(*arrays)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    for expected, found in zip(run(module, arrays), outputs, strict=True):
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1e-3)
        np.testing.assert_allclose(found, expected, 1e-4, 1e-4 * scale)


@pytest.mark.slow
def test_many_forms_of_ops_are_tried() -> None:
    forms: set[str] = set()
    for name in WITH_GRADIENT:
        calls, problems = checked_calls(name, 8, seed=1)
        assert not problems, "\n".join(problems)
        forms |= set(map(form_of, calls))
    assert len(forms) > 280, len(forms)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", WITH_GRADIENT)
def test_gradient_is_that_of_differences_at_length(name: str, seed: int) -> None:
    _, problems = checked_calls(name, 20, seed)
    assert not problems, "\n".join(problems)
