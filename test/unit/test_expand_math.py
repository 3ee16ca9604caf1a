"""Accuracy of the polynomials for f32, against NumPy in f64, on every float class."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compiled_loops import compile_loops
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import Universe

from glow.support.targets import target_of

Array = NDArray[Any]
COUNT = 1 << 16
SPECIAL = [
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan),
    *(1e-45, -1e-45, 1.1754943e-38, 1e-40, 3.4028235e38, -3.4028235e38),
    *(
        88.72283,
        88.7229,
        89.0,
        100.0,
        -87.33655,
        -87.4,
        -103.9,
        -103.98,
        -104.0,
        -105.0,
    ),
    *(4.0, 3.9, 7.905, 8.0, 9.5, 20.0),
]

# One loop over vectors; then the same function on every element alone.
PROGRAM = """
func.func @vectors(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %n step %c8 {{
    %a = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
    %b = math.{name} %a : vector<8xf32>
    vector.store %b, %y[%i] : memref<?xf32>, vector<8xf32>
  }}
  func.return
}}
func.func @scalars(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %a = memref.load %x[%i] : memref<?xf32>
    %b = math.{name} %a : f32
    memref.store %b, %y[%i] : memref<?xf32>
  }}
  func.return
}}
"""


def context() -> Context:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    return ctx


def run(name: str, target: str, x: Array) -> tuple[Array, Array]:
    """Return the function of x as vectors compute it and as scalars do."""
    module = Parser(context(), PROGRAM.format(name=name)).parse_module()
    jit = compile_loops(module, target_of(target))
    results: list[Array] = []
    pointer = ctypes.c_void_p
    for symbol in ("vectors", "scalars"):
        y = np.full_like(x, 7.0)
        function = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64)
        function(jit.address(symbol))(x.ctypes.data, y.ctypes.data, x.size)
        results.append(y)
    return results[0], results[1]


def inputs() -> Array:
    """Return random numbers, random bit patterns and special values."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**32, COUNT, dtype=np.uint32).view(np.float32)
    near = rng.uniform(-110, 110, COUNT).astype(np.float32)
    small = rng.uniform(-1, 1, COUNT).astype(np.float32)
    special = np.resize(np.array(SPECIAL, np.float32), 64)
    return np.concatenate([bits, near, small, special])


def ulps(actual: Array, expected: Array) -> Array:
    """Return the distance in units of the last place of the f32 nearest to expected."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(np.float32)
        unit = np.spacing(np.abs(rounded)).astype(np.float64)
        distance = np.abs(actual.astype(np.float64) - expected) / unit
    is_same = (actual == rounded) | (np.isnan(actual) & np.isnan(expected))
    return np.where(is_same, 0.0, distance)


def erf(x: Array) -> Array:
    return np.array([math.erf(v) for v in x.tolist()])


REFERENCES: dict[str, tuple[Callable[[Array], Array], float]] = {
    "exp": (np.exp, 2.0),
    "expm1": (np.expm1, 2.0),
    "log": (np.log, 2.0),
    "tanh": (np.tanh, 6.0),
    "erf": (erf, 6.0),
}


@pytest.mark.parametrize("target", ["cpu", "cpu:sse2"])
@pytest.mark.parametrize("name", REFERENCES)
def test_error_is_bounded(name: str, target: str):
    reference, bound = REFERENCES[name]
    x = inputs()
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.float64))
    for actual in run(name, target, x):
        error = ulps(actual, expected)
        worst = int(np.argmax(np.where(np.isnan(error), np.inf, error)))
        assert error[worst] <= bound, (
            f"{name}({x[worst]!r}) is {actual[worst]!r}, expected {expected[worst]!r}"
        )


@pytest.mark.parametrize("name", REFERENCES)
def test_vectors_and_scalars_agree(name: str):
    vectors, scalars = run(name, "cpu", inputs())
    np.testing.assert_array_equal(vectors, scalars)


@pytest.mark.parametrize("target", ["cpu", "cpu:sse2"])
@pytest.mark.parametrize("name", ["tanh", "erf"])
def test_limits_are_reached(name: str, target: str):
    """1 + tanh(x) is not a small number times a large x where it should be nothing."""
    x = np.resize(np.array([8, -8, 9.5, -20, 1e30, -np.inf, np.inf], np.float32), 63)
    for actual in run(name, target, x):
        np.testing.assert_array_equal(actual, np.sign(x))
