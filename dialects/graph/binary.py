"""Elementwise arithmetic on two tensors, which broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, f64
from xdsl.ir import SSAValue
from xdsl.irdl import traits_def
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.declaration import BinaryOp, Functions, Scalar
from glow.support.arrays import Array
from glow.support.element_conversion import convert
from glow.support.shapes import broadcast
from glow.support.types import element_of, is_float, is_unsigned, tensor


def refuse_zero(lhs: Array, rhs: Array) -> None:
    """Raise if an integer of `lhs` would be divided by a zero in `rhs`."""
    if rhs.dtype.kind in "iu" and lhs.size and not rhs.all():
        raise ZeroDivisionError("integer division by zero")


def _shared(b: Backward, wins: Any) -> Any:
    """Return the gradients of a choice: halves where both are equal."""
    half, zero = b.g * 0.5, b.writer.like(0, b.g)
    draw = b.xp.where(b.lhs == b.rhs, half, zero)
    mine = b.xp.where(wins(b.lhs, b.rhs), b.g, draw)
    return mine, b.xp.where(wins(b.rhs, b.lhs), b.g, draw)


class AddOp(
    BinaryOp,
    onnx="Add-14",
    compute=np.add,
    rule=lambda f, x, y: x + y,
    gradient=lambda b: (b.g, b.g),
):
    """lhs + rhs; integers wrap."""

    traits = traits_def(Pure(), Commutative())


class SubOp(
    BinaryOp,
    onnx="Sub-14",
    compute=np.subtract,
    rule=lambda f, x, y: x - y,
    gradient=lambda b: (b.g, -b.g),
):
    """lhs - rhs; integers wrap."""


class MulOp(
    BinaryOp,
    onnx="Mul-14",
    compute=np.multiply,
    rule=lambda f, x, y: x * y,
    gradient=lambda b: (b.g * b.rhs, b.g * b.lhs),
):
    """lhs * rhs; integers wrap."""

    traits = traits_def(Pure(), Commutative())


class DivOp(
    BinaryOp,
    onnx="Div-14",
    rule=lambda f, x, y: x / y,
    gradient=lambda b: (b.g / b.rhs, -b.g * b.result / b.rhs),
):
    """
    lhs / rhs; integers truncate towards zero, as -7 / 2 -> -3.

    An integer divided by zero is a fault of the run.
    """

    @staticmethod
    def compute(lhs: Array, rhs: Array) -> Array:
        if lhs.dtype.kind == "f":
            return lhs / rhs
        refuse_zero(lhs, rhs)
        floor = lhs // rhs
        inexact = floor * rhs != lhs
        return floor + (inexact & ((lhs < 0) != (rhs < 0)))


class PowOp(BinaryOp, onnx="Pow-15"):
    """
    lhs to the power of rhs, in the type of lhs.

    Unless both are one float type, the power is taken in f64 and converted as
    graph.cast does; so integers beyond 2^53 are rounded, as in ONNX Runtime.

    Shapes: result is lhs and rhs broadcast together, with the element type of lhs.
    """

    @classmethod
    def infer(cls, lhs: SSAValue, rhs: SSAValue, **parameters: Any) -> AnyTensorType:
        cls.ELEMENTS.check(rhs)
        return tensor(element_of(lhs), broadcast(lhs, rhs))

    @staticmethod
    def compute(lhs: Array, rhs: Array) -> Array:
        if lhs.dtype == rhs.dtype and lhs.dtype.kind == "f":
            return np.power(lhs, rhs)
        power = np.power(lhs.astype(np.float64), rhs.astype(np.float64))
        return convert(power, lhs.dtype)

    @staticmethod
    def rule(f: Functions, x: Scalar, y: Scalar) -> Scalar:
        if is_float(x.element) and x.element == y.element:
            return f.power(x, y)
        wide = f.power(f.convert(x, f64), f.convert(y, f64))
        return f.convert(wide, x.element)

    @staticmethod
    def gradient(b: Backward) -> Any:
        """Take 0 as the slope of x^0 at x = 0, and as that of 0^y by y."""
        x, y = b.lhs, b.rhs.astype(b.lhs.element)
        one, zero = b.writer.like(1, x), b.writer.like(0, x)
        is_even = y == 0
        by_x = y * b.xp.pow(x, b.xp.where(is_even, one, y - 1))
        base = b.xp.where(x == 0, one, x)
        by_y = b.xp.where(x == 0, zero, b.result * b.xp.log(base))
        return b.g * b.xp.where(is_even, zero, by_x), b.g * by_y


class ModOp(BinaryOp, onnx="Mod-13"):
    """
    The remainder of lhs / rhs, with the sign of rhs, or of lhs where `fmod` is set.

    An integer divided by zero is a fault of the run.

    Errors: floats without `fmod`.

    ```mlir
    %c = graph.mod %a, %b {fmod}
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    @classmethod
    def infer(
        cls, lhs: SSAValue, rhs: SSAValue, *, fmod: bool, **parameters: Any
    ) -> AnyTensorType:
        if is_float(element_of(lhs)) and not fmod:
            raise VerifyException(f"expected fmod with {element_of(lhs)} elements")
        return super().infer(lhs, rhs)

    @staticmethod
    def compute(lhs: Array, rhs: Array, *, fmod: bool = False) -> Array:
        refuse_zero(lhs, rhs)
        return np.fmod(lhs, rhs) if fmod else np.mod(lhs, rhs)

    @staticmethod
    def rule(f: Functions, x: Scalar, y: Scalar, *, fmod: bool) -> Scalar:
        rest = x % y
        if fmod or is_unsigned(x.element):
            return rest
        # The sign follows the divisor: add it where signs differ.
        differs = ((rest ^ y) < 0) & (rest != 0)
        return f.select(differs, rest + y, rest)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g, -b.g * b.xp.round((b.lhs - b.result) / b.rhs)


class MaxOp(
    BinaryOp,
    onnx="Max-13",
    compute=np.maximum,
    rule=lambda f, x, y: f.maximum(x, y),
    gradient=lambda b: _shared(b, b.xp.greater),
):
    """The larger of lhs and rhs; NaN where one is NaN."""


class MinOp(
    BinaryOp,
    onnx="Min-13",
    compute=np.minimum,
    rule=lambda f, x, y: f.minimum(x, y),
    gradient=lambda b: _shared(b, b.xp.less),
):
    """The smaller of lhs and rhs; NaN where one is NaN."""
