"""Errors of elementwise functions over all exponents, and their special values."""

from dis import get_instructions
from typing import Any

import accuracy
import numpy as np
import pytest
from accuracy import EXACT, FUNCTIONS, LONG_ENOUGH, SPECIAL

from glow.dialects.graph.declaration import UnaryOp
from glow.registry import UNIVERSE
from glow.support.types import is_float

TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])
OPERATIONS: dict[str, Any] = {
    op.name.removeprefix("graph."): op
    for op in UNIVERSE.all_dialects["graph"]().operations
    if issubclass(op, UnaryOp)
    and any(map(is_float, op.ELEMENTS.members))
    and op.RESULT is None
}

OPERATORS = {
    op.name.removeprefix("graph."): op
    for op in UNIVERSE.all_dialects["graph"]().operations
}
ARITHMETIC = ("add", "sub", "mul", "div", "min", "max")


def calls_functions(op: Any) -> bool:
    """Return whether the rule of an op is more than arithmetic, which rounds once."""
    if isinstance(op.rule, str):
        return op.rule.startswith("math.")
    functions = op.rule.__code__.co_varnames[0]
    return any(each.argval == functions for each in get_instructions(op.rule))


def test_every_function_of_floats_has_a_bound() -> None:
    known = {name.split(",")[0] for name in FUNCTIONS} | EXACT
    assert known <= set(OPERATIONS)
    assert {
        n for n in set(OPERATIONS) - known if calls_functions(OPERATIONS[n])
    } == set()


@pytest.mark.slow
@pytest.mark.skipif(not LONG_ENOUGH, reason="long doubles are f64 here")
@TYPES
def test_errors_are_bounded(dtype: type[np.floating[Any]]) -> None:
    x = accuracy.inputs(dtype)
    for name, y in accuracy.computed(FUNCTIONS, x).items():
        error = accuracy.errors(name, x, y)
        worst = int(np.argmax(error))
        assert error[worst] <= FUNCTIONS[name].bound(dtype), (name, x[worst], y[worst])


@pytest.mark.slow
@TYPES
def test_others_are_exact(dtype: type[np.floating[Any]]) -> None:
    x = np.concatenate([accuracy.inputs(dtype), np.array(SPECIAL, dtype)])
    for name, y in accuracy.computed(EXACT, x).items():
        np.testing.assert_array_equal(y, OPERATIONS[name].compute(x), name)


@pytest.mark.slow
@TYPES
def test_arithmetic_is_rounded_once(dtype: type[np.floating[Any]]) -> None:
    x = np.concatenate([accuracy.inputs(dtype), np.array(SPECIAL, dtype)])
    y = np.random.default_rng(1).permutation(x)
    for name, result in accuracy.computed(ARITHMETIC, x, y).items():
        with np.errstate(all="ignore"):
            expected = OPERATORS[name].compute(x, y)
        np.testing.assert_array_equal(result, expected, name)


@pytest.mark.slow
@pytest.mark.skipif(not LONG_ENOUGH, reason="long doubles are f64 here")
@TYPES
def test_errors_of_powers_are_bounded(dtype: type[np.floating[Any]]) -> None:
    x = np.abs(accuracy.inputs(dtype))
    y = accuracy.inputs(dtype, seed=1)
    random = np.random.default_rng(2)
    with np.errstate(all="ignore"):
        largest = np.minimum(np.log(np.finfo(dtype).max) / np.abs(np.log(x)), 1e30)
    y = np.where(
        random.random(x.size) < 0.1, y, random.uniform(-1, 1, x.size) * largest
    )
    y = y.astype(dtype)
    (power,) = accuracy.computed(["pow"], x, y).values()
    with np.errstate(all="ignore"):
        exact = x.astype(accuracy.Long) ** y.astype(accuracy.Long)
    error = accuracy.distances(power, exact)
    worst = int(np.argmax(error))
    assert error[worst] <= 1, (x[worst], y[worst], power[worst], exact[worst])


@pytest.mark.slow
@TYPES
def test_special_values_are_those_of_numpy(dtype: type[np.floating[Any]]) -> None:
    """The sign of zero too, but for two functions whose results are either zero."""
    info = np.finfo(dtype)
    x = np.array([*SPECIAL, info.smallest_subnormal, -info.tiny, info.max], dtype)
    for name, y in accuracy.computed([*FUNCTIONS, *EXACT], x).items():
        parameters = dict(FUNCTIONS[name].parameters) if name in FUNCTIONS else {}
        with np.errstate(all="ignore"):
            expected = OPERATIONS[name.split(",")[0]].compute(x, **parameters)
        np.testing.assert_allclose(y, expected, 8 * info.eps, info.tiny, err_msg=name)
        zeros = (expected == 0) & (y == 0) & (name not in ("relu", "sign"))
        assert np.signbit(y[zeros]).tolist() == np.signbit(expected[zeros]).tolist()


def test_sigmoids_of_f64_reach_denormal_numbers() -> None:
    x = np.array([-708.0, -710.0, -740.0, -746.0])
    (y,) = accuracy.computed(["sigmoid"], x).values()
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-15, atol=1e-323)
    assert y[2] > 0


@pytest.mark.slow
@pytest.mark.parametrize("data", accuracy.DRAWS)
def test_sums_are_nearly_as_exact_as_those_of_others(data: str) -> None:
    """Strict ones of any depth, and fast ones of products, beside ONNX Runtime."""
    theirs, strict, *_ = accuracy.errors_of_convolution(data, 256, 14)
    assert strict < min(2 * theirs, 1e-6)
    theirs, strict, fast = accuracy.errors_of_product(data, 4096)
    assert strict < min(2 * theirs, 1e-6)
    assert fast < 3 * theirs
