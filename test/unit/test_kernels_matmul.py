"""Matrix product kernels on bytes, against NumPy in f64, over strides and targets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from glow.lowering._packing import matrix_panels
from glow.support.layout import pack, print_layout
from glow.support.targets import target_of

Array = NDArray[Any]
Shape = tuple[int, ...]
TARGETS = [t for t in ("cpu:avx512", "cpu:avx2", "cpu:sse2") if target_of(t).runs_here]


@dataclass(frozen=True)
class Case:
    """A product; `*_order` is the order in memory of the axes of an operand."""

    lhs: Shape
    rhs: Shape
    lhs_order: Shape = ()
    rhs_order: Shape = ()
    result_order: Shape = ()
    is_packed: bool = False
    has_bias: bool = False
    epilogue: str = ""
    extras: tuple[Shape, ...] = ()
    element: str = "f32"


DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
EPILOGUES = {
    "": ("{}", lambda v: v),
    "residual": (
        """{
        ^bb0(%v: f32, %r: f32):
          %y = arith.addf %v, %r : f32
          memory.yield %y : f32
        }""",
        lambda v, r: v + r,
    ),
    "gelu": (
        """{
        ^bb0(%v: f32):
          %c = arith.constant 0.70710678 : f32
          %h = arith.constant 0.5 : f32
          %one = arith.constant 1.0 : f32
          %a = arith.mulf %v, %c : f32
          %e = math.erf %a : f32
          %s = arith.addf %e, %one : f32
          %b = arith.mulf %v, %h : f32
          %y = arith.mulf %b, %s : f32
          memory.yield %y : f32
        }""",
        lambda v: v * 0.5 * (1 + _erf(v * 0.5**0.5)),
    ),
    "positive": (
        """{
        ^bb0(%v: f32, %r: f32):
          %c = arith.constant 0.0 : f32
          %p = arith.cmpf ogt, %v, %c : f32
          %y = arith.select %p, %v, %r : f32
          memory.yield %y : f32
        }""",
        lambda v, r: np.where(v > 0, v, r),
    ),
    "sine": (
        """{
        ^bb0(%v: f32, %r: f32):
          %s = math.sin %v : f32
          %y = arith.mulf %s, %r : f32
          memory.yield %y : f32
        }""",
        lambda v, r: np.sin(v) * r,
    ),
}


def _erf(x: Array) -> Array:
    from math import erf

    return np.vectorize(erf)(x)


def seeded(shape: Shape, seed: int, element: str = "f32") -> Array:
    generator = np.random.default_rng(seed)
    if element.startswith("i"):
        return generator.integers(-99, 99, shape).astype(DTYPES[element])
    return generator.standard_normal(shape).astype(DTYPES[element])


def ordered(values: Array, order: Shape) -> Array:
    """The same values with their axes in this order in memory."""
    if not order:
        return np.ascontiguousarray(values)
    stored = np.ascontiguousarray(values.transpose(order))
    return stored.transpose(np.argsort(order))


def typed(array: Array, element: str = "f32") -> str:
    dims = "".join(f"{n}x" for n in array.shape)
    strides = ", ".join(str(s // array.itemsize) for s in array.strides)
    return f"memref<{dims}{element}, strided<[{strides}]>>"


def module_of(buffers: dict[str, tuple[Array, str]], region: str) -> str:
    """The product as a module at the memory level, one placeholder per buffer."""
    operands = {name: f"%of.{name} : {type_}" for name, (_, type_) in buffers.items()}
    extras = [name for name in buffers if name.startswith("e")]
    names = ", ".join(f"%of.{name}" for name in extras)
    types = ", ".join(buffers[name][1] for name in extras)
    clauses = [
        f"{operands['l']}, {operands['r']}",
        f"bias {operands['b']}" if "b" in buffers else "",
        f"extras {names} : {types}" if extras else "",
    ]
    return "\n".join(
        [
            *(
                f'memory.placeholder @{name} "{"out" if name == "y" else "in"}" : {t}'
                for name, (_, t) in buffers.items()
            ),
            "func.func @main() {",
            *(f"%of.{n} = memory.get @{n} : {t}" for n, (_, t) in buffers.items()),
            f"memory.matmul ins({' '.join(clauses)}) outs({operands['y']}) {region}",
            "func.return }",
        ]
    )


CASES = {
    "square": Case((64, 64), (64, 64), is_packed=True),
    "tails": Case((13, 17), (17, 41), is_packed=True, has_bias=True),
    "unpacked": Case((37, 19), (19, 70), has_bias=True),
    "one row": Case((1, 100), (100, 75), is_packed=True, has_bias=True),
    "two rows": Case((2, 33), (33, 20), is_packed=True),
    "one column": Case((40, 31), (31, 1)),
    "one element": Case((1, 1), (1, 1)),
    "stack by matrix": Case((3, 5, 24), (24, 48), is_packed=True),
    "stacks": Case((2, 3, 30, 16), (2, 3, 16, 35)),
    "packed stacks": Case((2, 3, 30, 16), (2, 3, 16, 35), is_packed=True),
    "matrix by stack": Case((7, 16), (4, 16, 33)),
    "broadcast stacks": Case((2, 1, 9, 8), (3, 8, 40), has_bias=True),
    "columns first": Case((23, 40), (40, 34), lhs_order=(1, 0)),
    "heads": Case(
        (2, 4, 12, 8),
        (2, 4, 8, 16),
        lhs_order=(0, 2, 1, 3),
        rhs_order=(0, 2, 1, 3),
        result_order=(0, 2, 1, 3),
    ),
    "residual": Case((14, 32), (32, 45), epilogue="residual", extras=((14, 45),)),
    "per row": Case((3, 6, 5), (5, 9), epilogue="residual", extras=((6, 1),)),
    "per column": Case((3, 6, 5), (5, 9), epilogue="residual", extras=((9,),)),
    "per matrix": Case((3, 6, 5), (3, 5, 9), epilogue="residual", extras=((3, 1, 9),)),
    "gelu": Case((20, 16), (16, 64), epilogue="gelu", is_packed=True, has_bias=True),
    "select": Case((20, 16), (16, 40), epilogue="positive", extras=((1,),)),
    "apart": Case((20, 16), (16, 40), epilogue="sine", extras=((20, 40),)),
}


def check(run_memory: Callable[..., int], case: Case, target: str) -> None:
    """Run the product on seeded data and compare it."""
    element, dtype = case.element, DTYPES[case.element]
    panel = target_of(target).panel_widths[0]
    lhs = ordered(seeded(case.lhs, 1, element), case.lhs_order)
    rhs = ordered(seeded(case.rhs, 2, element), case.rhs_order)
    bias = seeded(case.rhs[-1:], 3, element)
    expected = np.matmul(lhs.astype(np.float64), rhs.astype(np.float64))
    y = ordered(np.zeros(expected.shape, dtype), case.result_order)
    extras = [seeded(s, 4 + i, element) for i, s in enumerate(case.extras)]
    right = rhs, typed(rhs, element)
    if case.is_packed:
        layout = matrix_panels(rhs.ndim, rhs.ndim - 1, panel)
        dims = "".join(f"{n}x" for n in rhs.shape)
        text = f"memref<{dims}{element}, #layout.physical<{print_layout(layout)}>>"
        right = pack(layout, rhs), text
    buffers = {"l": (lhs, typed(lhs, element)), "r": right}
    buffers |= {"b": (bias, typed(bias, element))} if case.has_bias else {}
    buffers |= {f"e{i}": (e, typed(e, element)) for i, e in enumerate(extras)}
    buffers["y"] = (y, typed(y, element))
    region, meaning = EPILOGUES[case.epilogue]
    arrays = {name: array for name, (array, _) in buffers.items()}
    assert run_memory(module_of(buffers, region), target, **arrays) == 0
    expected = meaning(expected + (bias if case.has_bias else 0), *extras)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
def test_matmul(run_memory: Callable[..., int], name: str, target: str) -> None:
    check(run_memory, CASES[name], target)
