"""What tests of convolutions and matrix products share: data and epilogues."""

from collections.abc import Callable, Sequence
from math import erf as scalar_erf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import math
from xdsl.ir import Attribute, Block, Region

from glow.codegen.conditions import select
from glow.codegen.functions import erf, exp, function, maximum
from glow.codegen.values import Value
from glow.codegen.writer import Writer, writing_to
from glow.dialects.memory.elementwise import YieldOp
from glow.support.targets import target_of
from glow.support.types import element_type_of

Array = NDArray[Any]
Shape = tuple[int, ...]
TARGETS = [t for t in ("cpu:avx512", "cpu:avx2", "cpu:sse2") if target_of(t).runs_here]
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
}
Steps = Callable[..., Value]


def seeded(shape: Shape, seed: int, element: str = "f32") -> Array:
    """Return numbers that depend on `seed` alone."""
    generator = np.random.default_rng(seed)
    if element == "i1":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if element.startswith("i"):
        return generator.integers(-99, 99, shape).astype(DTYPES[element])
    return generator.standard_normal(shape).astype(DTYPES[element])


def region_of(elements: Sequence[Attribute], steps: Steps) -> Region:
    """Return a region of arguments of these types that yields what `steps` writes."""
    block = Block(arg_types=elements)
    with writing_to(Writer(block)):
        result = steps(*map(Value.of, block.args))
    block.add_op(YieldOp([result.ssa]))
    return Region(block)


def _sine(v: Value, r: Value) -> Value:
    return function(math.SinOp, v) * r


# What follows a product: the ops, and the same in NumPy.
EPILOGUES: dict[str, tuple[Steps, Callable[..., Array]]] = {
    "relu": (lambda v: maximum(v, 0), lambda v: np.maximum(v, 0)),
    "residual": (lambda v, r: maximum(v + r, 0), lambda v, r: np.maximum(v + r, 0)),
    "affine": (lambda v, a, b: v * a + b, lambda v, a, b: v * a + b),
    "silu": (lambda v, r: v / (exp(-v) + 1) + r, lambda v, r: v / (1 + np.exp(-v)) + r),
    "gelu": (
        lambda v: v * 0.5 * (erf(v * 0.5**0.5) + 1),
        lambda v: v * 0.5 * (1 + np.vectorize(scalar_erf)(v * 0.5**0.5)),
    ),
    "positive": (lambda v, r: select(v > 0, v, r), lambda v, r: np.where(v > 0, v, r)),
    "sine": (_sine, lambda v, r: np.sin(v) * r),
    "masked": (lambda v, m: select(m, v, 0), lambda v, m: np.where(m, v, 0)),
    "above": (lambda v, r: v > r, lambda v, r: v > r),
    "remainder": (lambda v, r: v % r, np.fmod),
}


def epilogue_of(name: str, extras: Sequence[Array], element: str) -> Region | None:
    """Return the region of an epilogue that reads `extras`."""
    if not name:
        return None
    dtypes = [np.dtype(DTYPES[element]), *(extra.dtype for extra in extras)]
    return region_of([element_type_of(d) for d in dtypes], EPILOGUES[name][0])


def finished(name: str, product: Array, extras: Sequence[Array]) -> Array:
    """Return what the epilogue makes of a product."""
    return EPILOGUES[name][1](product, *extras) if name else product
