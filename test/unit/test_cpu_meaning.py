"""Casts, bounds and powers on the cpu: every bit that `compute` gives, at any value."""

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from graph_code import Array, module_of
from numpy.testing import assert_allclose, assert_array_equal
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.activation import ShrinkOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import PowOp
from glow.dialects.graph.select import CastOp, ClipOp
from glow.support.types import element_type_of

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
EDGES = [2.0**31, 2.0**31 - 0.5, -(2.0**31), -(2.0**31) - 1, 2.0**63, -(2.0**63), 1e39]
EDGES += [300.7, 70000.0, 2.0**32, 3e9, 2.0**64, 1.2e19]
SMALL = [0.0, 0.4, 0.99, 1.0, 1.9, 2.5, 7.0, 88.0, 3e38, 1e-40, np.inf]
REALS = np.array([*EDGES, *SMALL, *(-x for x in SMALL), np.nan])
WHOLE = np.array([0, 1, -1, 7, 2**31 - 1, -(2**31), 2**31, 2**40 + 5, -(2**63)])
NUMBERS = [np.dtype(t) for t in (np.float32, np.float64, np.int32, np.int64)]
NARROW = [np.dtype(t) for t in ("i1", "i2", "u1", "u2", "u4", "u8")]


def values(dtype: np.dtype[Any]) -> Array:
    """Return what is strange in this type, more of it than a vector holds."""
    if dtype == np.bool_:
        return np.arange(37) % 3 == 0
    with np.errstate(all="ignore"):
        return np.resize((REALS if dtype.kind == "f" else WHOLE).astype(dtype), 61)


def check(calls: list[tuple[type[GraphOp], list[Array], dict[str, Any]]], target: str):
    """Run all calls as one program; each must give every bit that `compute` gives."""

    def body(*arguments: SSAValue) -> list[SSAValue]:
        left = iter(arguments)
        return [
            op(*[next(left) for _ in arrays], **parameters).results[0]
            for op, arrays, parameters in calls
        ]

    arrays = [array for _, own, _ in calls for array in own]
    net = glow.compile(module_of(arrays, {}, body), target=target)
    found = net(*arrays)
    for (op, own, parameters), actual in zip(calls, found, strict=True):
        with np.errstate(all="ignore"):
            expected = op.compute(*own, **parameters)
        label = f"{op.name} {[a.dtype for a in own]} {parameters}"
        if op is PowOp and actual.dtype == np.float64:
            # The power itself is the C library's here and NumPy's there.
            assert_allclose(actual, expected, 4e-16, 0, err_msg=label, strict=True)
        else:
            assert_array_equal(actual, expected, label, strict=True)
        if actual.dtype.kind == "f":
            signs = [np.signbit(a[~np.isnan(expected)]) for a in (actual, expected)]
            assert_array_equal(*signs, f"sign of {label}")


def casts(pairs: Iterable[tuple[np.dtype[Any], np.dtype[Any]]]) -> list[Any]:
    """Return casts from one type to another, of floats saturating ones as well."""
    return [
        (CastOp, [values(a)], {"to": element_type_of(b), "saturate": saturate})
        for a, b in pairs
        for saturate in (False, True)
        if not saturate or a.kind == "f"
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_casts_between_all_types(target: str) -> None:
    types = [*NUMBERS, np.dtype(np.bool_)]
    check(casts(itertools.product(types, types)), target)


@pytest.mark.parametrize("target", TARGETS[:2])
def test_casts_to_and_from_narrow_types(target: str) -> None:
    check(casts(itertools.product(NUMBERS[:2], NARROW)), target)
    others = [NUMBERS[0], NUMBERS[3], *NARROW]
    pairs = [(a, others[(i + k) % 8]) for i, a in enumerate(NARROW) for k in (0, 1, 3)]
    check(casts(pairs), target)


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
def test_casts_between_all_types_at_length(target: str) -> None:
    types = [*NUMBERS, *NARROW, np.dtype(np.bool_)]
    check(casts(itertools.product(types, types)), target)


@pytest.mark.parametrize("target", TARGETS)
def test_bounds_known_at_run_time_only(target: str) -> None:
    """NaN does not bound, and of two zeros the input's own is kept."""
    bounds = [np.nan, -0.0, 0.0, 2.0, -1.0, np.inf, -np.inf]
    floats = [
        (ClipOp, [values(t), np.array(low, t), np.array(high, t)], {})
        for t in NUMBERS[:2]
        for low, high in itertools.product(bounds, bounds)
    ]
    integers = [
        (ClipOp, [values(t), np.array(low, t), np.array(high, t)], {})
        for t in NUMBERS[2:]
        for low, high in ((-1, 5), (5, -1))
    ]
    check([*floats, *integers], target)


@pytest.mark.parametrize("target", TARGETS)
def test_bounds_left_out(target: str) -> None:
    check([(ClipOp, [values(dtype)], {}) for dtype in (*NUMBERS, *NARROW)], target)


def test_bounds_known_at_compile_time() -> None:
    x = values(NUMBERS[0])
    for low, high in ((np.nan, 1.0), (1.0, np.nan), (0.0, 6.0), (-0.0, 0.0)):
        bounds = {"low": np.float32(low), "high": np.float32(high)}

        def body(x: SSAValue, low: SSAValue, high: SSAValue) -> list[SSAValue]:
            return [ClipOp(x, low, high).result]

        arrays = {name: np.array(bound) for name, bound in bounds.items()}
        found = glow.compile(module_of([x], arrays, body))(x)
        expected = ClipOp.compute(x, *arrays.values())
        assert_array_equal(found.view(np.int32), expected.view(np.int32))


@pytest.mark.parametrize("target", TARGETS)
def test_powers_of_two_types_are_taken_in_f64(target: str) -> None:
    """f32 has neither 16777217 nor 0.1, and a power that overflows it may be small."""
    bases = np.array([0.999, 1.1, -1.0, -3.0, 0.0, np.inf, np.nan, 1.0000001])
    exponents = np.array([16777217, 3, -1, 0, 2**30, -(2**30), 7, 20])
    calls = []
    for a, b in itertools.product(NUMBERS, (*NUMBERS, *NARROW[2::3])):
        if a == b and a.kind == "f":
            continue  # by the C library in that type, within its error
        with np.errstate(all="ignore"):
            tenths = exponents / 10 if b == np.float64 else exponents
            x, k = np.meshgrid(bases.astype(a), tenths.astype(b))
        calls.append((PowOp, [x, k], {}))
    check(calls, target)


def test_shrinking_integers_by_what_is_not_whole() -> None:
    parameters = {"bias": 0.4, "lambd": 1.5}
    check([(ShrinkOp, [values(t)], parameters) for t in (*NUMBERS[2:], *NARROW)], "cpu")
