"""Conversions of f16 and bf16 as machine code: every pattern, on every target."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from compiled_loops import compile_loops, lower_loops
from grids import slow_but
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.universe import Universe

from glow.backends.cpu.linker import Code
from glow.backends.cpu.llvm_ir import emit
from glow.support.dtypes import dtype_named
from glow.support.targets import target_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of NaN

Array = NDArray[Any]

TARGETS = ("cpu:sse2", "cpu:avx2", "cpu:avx512")
ELEMENTS = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}
LANES = (0, 4, 8, 16, 32)

# Edges of rounding, of overflow and of denormal numbers, and the halves between.
EDGES = """
0 1 65504 65519.996 65520 65536 3.4e38 3.3895314e38 3.3961776e38 inf nan 1e-40 1e-45
0x1p-14 0x1p-24 0x1p-25 0x1p-26 0x1p-126 0x1p-133 0x1p-134 0x1p-135
0x1.004p0 0x1.00cp0 0x1.01p0 0x1.03p0
"""


def program(element: str, wide: str, lanes: int) -> str:
    """Return functions that widen and narrow arrays, one step at a time."""

    def function(name: str, op: str, source: str, result: str) -> str:
        a, b = (f"vector<{lanes}x{t}>" if lanes else t for t in (source, result))
        load, store = ("vector.load", "vector.store") if lanes else ("memref.load",) * 2
        of_a, of_b = f"memref<?x{source}>", f"memref<?x{result}>"
        if lanes:
            tails = f"{of_a}, {a}", f"{of_b}, {b}"
        else:
            store, tails = "memref.store", (of_a, of_b)
        return f"""
func.func @{name}_{element}_{wide}_{lanes}(%x: {of_a}, %y: {of_b}, %n: index) {{
  %zero = arith.constant 0 : index
  %step = arith.constant {max(1, lanes)} : index
  scf.for %i = %zero to %n step %step {{
    %a = {load} %x[%i] : {tails[0]}
    %b = {op} %a : {a} to {b}
    {store} %b, %y[%i] : {tails[1]}
  }}
  func.return
}}"""

    return "\n".join(
        [
            function("widen", "arith.extf", element, wide),
            function("narrow", "arith.truncf", wide, element),
        ]
    )


def parsed(text: str) -> Any:
    ctx = Context()
    for name, dialect in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, dialect)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def all_programs() -> str:
    cases = [(e, w, n) for e in ELEMENTS for w in ("f32", "f64") for n in LANES]
    return "\n".join(program(*case) for case in cases)


@cache
def compiled(target: str) -> Code:
    return compile_loops(parsed(all_programs()), target_of(target))


def call(target: str, symbol: str, x: Array, result: np.dtype[Any]) -> Array:
    y = np.full(x.shape, 7).astype(result)
    types = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    function = ctypes.CFUNCTYPE(None, *types)(compiled(target).address(symbol))
    function(x.ctypes.data, y.ctypes.data, x.size)
    return y


def same(found: Array, expected: Array) -> None:
    """Compare numbers, the signs of zeros included, and where NaNs are."""
    wide = [np.asarray(array, np.float64) for array in (found, expected)]
    np.testing.assert_array_equal(*wide)
    kept = ~np.isnan(wide[1])
    np.testing.assert_array_equal(*(np.signbit(array[kept]) for array in wide))


@pytest.mark.slow
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("wide", ["f32", "f64"])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("target", slow_but(TARGETS, "cpu:avx2"))
def test_all_patterns_widen(target: str, element: str, wide: str, lanes: int) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(ELEMENTS[element])
    dtype = dtype_named({"f32": "float32", "f64": "float64"}[wide])
    found = call(target, f"widen_{element}_{wide}_{lanes}", x, dtype)
    same(found, x.astype(np.float32))


def number(text: str) -> float:
    return float.fromhex(text) if text.startswith("0x") else float(text)


def numbers() -> Array:
    """Return patterns of f32 at random, near numbers of 16 bits, and at edges."""
    rng = np.random.default_rng(0)
    anything = rng.integers(0, 1 << 32, 1 << 16, np.uint32).view(np.float32)
    every = np.arange(1 << 16, dtype=np.uint16)
    near: list[Array] = []
    with np.errstate(all="ignore"):
        for dtype in ELEMENTS.values():
            bits = every.view(dtype).astype(np.float32).view(np.uint32)
            shifts = (0x1000, 0x8000) if dtype == np.float16 else (0x8000,)
            for shift in shifts:  # halfway, and next to that
                near += [
                    (bits + np.uint32(shift + d)).view(np.float32) for d in (-1, 0, 1)
                ]
        edges = np.array([number(each) for each in EDGES.split()], np.float32)
        special = np.concatenate([edges, -edges, np.nextafter(edges, np.float32(0))])
    return np.concatenate([anything, *near, np.resize(special, 160)])


@pytest.mark.slow
@pytest.mark.parametrize("lanes", slow_but(LANES, 0, 16))
@pytest.mark.parametrize("wide", ["f32", "f64"])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("target", TARGETS)
def test_numbers_narrow_to_the_nearest_even(
    target: str, element: str, wide: str, lanes: int
) -> None:
    x = numbers()
    with np.errstate(all="ignore"):
        expected = x.astype(ELEMENTS[element])
        given = x.astype(np.float64) if wide == "f64" else x
    found = call(target, f"narrow_{element}_{wide}_{lanes}", given, ELEMENTS[element])
    same(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("target", slow_but([*TARGETS, "cpu:neon"], "cpu:avx2"))
def test_no_function_is_called(target: str) -> None:
    machine = target_of(target)
    module = lower_loops(parsed(all_programs()), machine)
    assembly = emit(module, machine, "asm")
    assert isinstance(assembly, str)
    for name in ("hfsf2", "sfhf2", "dfhf2", "sfbf2", "dfbf2"):
        assert name not in assembly


MOVES = """
"memref.global"() <{{
  sym_name = "table_{e}", type = memref<4x{e}>, sym_visibility = "private", constant,
  initial_value = dense<[1.5, -2.0, 0.0, 3.25]> : tensor<4x{e}>
}}> : () -> ()
func.func @moves_{e}(%x: memref<?x{e}>, %y: memref<?x{e}>, %n: index) {{
  %zero = arith.constant 0 : index
  %sixteen = arith.constant 16 : index
  %mask = vector.create_mask %n : vector<8xi1>
  %other = arith.constant dense<2.5> : vector<8x{e}>
  %a = vector.maskedload %x[%zero], %mask, %other
      : memref<?x{e}>, vector<8xi1>, vector<8x{e}> into vector<8x{e}>
  vector.store %a, %y[%zero] : memref<?x{e}>, vector<8x{e}>
  %eight = arith.constant 8 : index
  vector.maskedstore %y[%eight], %mask, %a
      : memref<?x{e}>, vector<8xi1>, vector<8x{e}>
  %t = memref.get_global @table_{e} : memref<4x{e}>
  %three = arith.constant 3 : index
  %b = memref.load %t[%three] : memref<4x{e}>
  %c = arith.constant -1.5 : {e}
  %is_many = arith.cmpi sgt, %n, %three : index
  %d = arith.select %is_many, %b, %c : {e}
  %v = vector.broadcast %d : {e} to vector<8x{e}>
  vector.store %v, %y[%sixteen] : memref<?x{e}>, vector<8x{e}>
  func.return
}}
"""


@pytest.mark.parametrize("count", slow_but([0, 3, 5, 8], 0, 5))
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("target", TARGETS)
def test_floats_are_moved(target: str, element: str, count: int) -> None:
    dtype = ELEMENTS[element]
    code = compile_loops(parsed(MOVES.format(e=element)), target_of(target))
    x, y = np.arange(8).astype(dtype), np.full(24, 9).astype(dtype)
    types = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    function = ctypes.CFUNCTYPE(None, *types)(code.address(f"moves_{element}"))
    function(x.ctypes.data, y.ctypes.data, count)
    loaded = [*range(count), *[2.5] * (8 - count)]
    stored = [*range(count), *[9.0] * (8 - count)]
    last = 3.25 if count > 3 else -1.5
    assert y.astype(np.float64).tolist() == [*loaded, *stored, *[last] * 8]
