"""What tests of convolutions and matrix products share: data and epilogues."""

from collections.abc import Callable, Sequence
from math import erf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from glow.dialects.memory.elementwise import YieldOp
from glow.lowering.memory_to_loops.builder import Body
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
Steps = Callable[..., SSAValue]


def seeded(shape: Shape, seed: int, element: str = "f32") -> Array:
    """Return numbers that depend on `seed` alone."""
    generator = np.random.default_rng(seed)
    if element == "i1":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if element.startswith("i"):
        return generator.integers(-99, 99, shape).astype(DTYPES[element])
    return generator.standard_normal(shape).astype(DTYPES[element])


def region_of(
    elements: Sequence[Attribute], steps: Callable[..., SSAValue | None]
) -> Region:
    """Return a region of arguments of these types that yields what `steps` appends."""
    block = Block(arg_types=elements)
    found = steps(Body(block), *block.args)
    assert found is not None
    block.add_op(YieldOp([found]))
    return Region(block)


def _unary(b: Body, op: type[Operation], value: SSAValue) -> SSAValue:
    return b.add(op.create(operands=[value], result_types=[value.type]))


def _relu(b: Body, v: SSAValue) -> SSAValue:
    return b.binary(arith.MaximumfOp, v, b.scalar(0.0, f32))


def _residual(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    return _relu(b, b.binary(arith.AddfOp, v, r))


def _affine(b: Body, v: SSAValue, scale: SSAValue, shift: SSAValue) -> SSAValue:
    return b.binary(arith.AddfOp, b.binary(arith.MulfOp, v, scale), shift)


def _silu(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    power = _unary(b, math.ExpOp, _unary(b, arith.NegfOp, v))
    below = b.binary(arith.AddfOp, power, b.scalar(1.0, f32))
    return b.binary(arith.AddfOp, b.binary(arith.DivfOp, v, below), r)


def _gelu(b: Body, v: SSAValue) -> SSAValue:
    scaled = b.binary(arith.MulfOp, v, b.scalar(0.5**0.5, f32))
    above = b.binary(arith.AddfOp, _unary(b, math.ErfOp, scaled), b.scalar(1.0, f32))
    return b.binary(arith.MulfOp, b.binary(arith.MulfOp, v, b.scalar(0.5, f32)), above)


def _positive(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    is_positive = b.add(arith.CmpfOp(v, b.scalar(0.0, f32), "ogt"))
    return b.add(arith.SelectOp(is_positive, v, r))


def _sine(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    return b.binary(arith.MulfOp, _unary(b, math.SinOp, v), r)


def _masked(b: Body, v: SSAValue, mask: SSAValue) -> SSAValue:
    return b.add(arith.SelectOp(mask, v, b.scalar(0.0, f32)))


def _above(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    return b.add(arith.CmpfOp(v, r, "ogt"))


def _remainder(b: Body, v: SSAValue, r: SSAValue) -> SSAValue:
    return b.binary(arith.RemSIOp, v, r)


# What follows a product: the ops, and the same in NumPy.
EPILOGUES: dict[str, tuple[Steps, Callable[..., Array]]] = {
    "relu": (_relu, lambda v: np.maximum(v, 0)),
    "residual": (_residual, lambda v, r: np.maximum(v + r, 0)),
    "affine": (_affine, lambda v, a, b: v * a + b),
    "silu": (_silu, lambda v, r: v / (1 + np.exp(-v)) + r),
    "gelu": (_gelu, lambda v: v * 0.5 * (1 + np.vectorize(erf)(v * 0.5**0.5))),
    "positive": (_positive, lambda v, r: np.where(v > 0, v, r)),
    "sine": (_sine, lambda v, r: np.sin(v) * r),
    "masked": (_masked, lambda v, mask: np.where(mask, v, 0)),
    "above": (_above, lambda v, r: v > r),
    "remainder": (_remainder, lambda v, r: np.fmod(v, r)),
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
