"""Elementwise functions of one tensor."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph.declaration import Functions, Scalar, UnaryOp
from glow.support.arrays import Array
from glow.support.special_functions import erf
from glow.support.types import NUMBER, is_unsigned


class AbsOp(
    UnaryOp,
    onnx="Abs-13",
    elements=NUMBER,
    compute=np.abs,
    rule=lambda f, x: f.absolute(x),
    gradient=lambda b: b.g * b.xp.sign(b.input),
):
    """|x|, elementwise; the lowest integer is its own absolute value."""


class NegOp(
    UnaryOp,
    onnx="Neg-13",
    elements=NUMBER,
    compute=np.negative,
    rule=lambda f, x: -x,
    gradient=lambda b: -b.g,
):
    """-x, elementwise; the lowest integer is its own negative."""


class ExpOp(
    UnaryOp,
    onnx="Exp-13",
    compute=np.exp,
    rule="math.exp",
    gradient=lambda b: b.g * b.result,
):
    """e to the power of x, elementwise."""


class LogOp(
    UnaryOp,
    onnx="Log-13",
    compute=np.log,
    rule="math.log",
    gradient=lambda b: b.g / b.input,
):
    """The natural logarithm of x, elementwise; NaN below 0."""


class SqrtOp(
    UnaryOp,
    onnx="Sqrt-13",
    compute=np.sqrt,
    rule="math.sqrt",
    gradient=lambda b: b.g * 0.5 / b.result,
):
    """The square root of x, elementwise; NaN below 0."""


class ReciprocalOp(
    UnaryOp,
    onnx="Reciprocal-13",
    compute=np.reciprocal,
    rule=lambda f, x: 1 / x,
    gradient=lambda b: -b.g * b.result * b.result,
):
    """1 / x, elementwise; an infinity with the sign of x where x is 0."""


class ErfOp(
    UnaryOp,
    onnx="Erf-13",
    compute=erf,
    rule="math.erf",
    gradient=lambda b: b.g * (2 / math.sqrt(math.pi)) * b.xp.exp(-b.input * b.input),
):
    """The error function of x, elementwise."""


class FloorOp(
    UnaryOp,
    onnx="Floor-13",
    compute=np.floor,
    rule="math.floor",
    piecewise_constant=True,
):
    """The largest integer not above x, elementwise."""


class CeilOp(
    UnaryOp,
    onnx="Ceil-13",
    compute=np.ceil,
    rule="math.ceil",
    piecewise_constant=True,
):
    """The smallest integer not below x, elementwise."""


class RoundOp(
    UnaryOp,
    onnx="Round-11",
    compute=np.rint,
    rule="math.roundeven",
    piecewise_constant=True,
):
    """The integer nearest to x, elementwise; the even one of two, as 2.5 -> 2."""


class SignOp(
    UnaryOp,
    onnx="Sign-13",
    elements=NUMBER,
    compute=np.sign,
    piecewise_constant=True,
):
    """-1, 0 or 1, elementwise; NaN stays NaN."""

    @staticmethod
    def rule(f: Functions, x: Scalar) -> Scalar:
        if is_unsigned(x.element):
            return f.minimum(x, 1)
        # What is neither below nor above zero is zero, or NaN, and stays.
        return f.select(x > 0, 1, f.select(x < 0, -1, x))


class IsNanOp(
    UnaryOp, onnx="IsNaN-13", result=i1, compute=np.isnan, rule=lambda f, x: f.is_nan(x)
):
    """Whether x is NaN, elementwise."""


class IsInfOp(UnaryOp, onnx="IsInf-10", result=i1):
    """Whether x is an infinity of a selected sign, elementwise."""

    @staticmethod
    def compute(
        input: Array, *, detect_negative: bool = True, detect_positive: bool = True
    ) -> Array:
        wanted = detect_positive & (input > 0) | detect_negative & (input < 0)
        return np.isinf(input) & wanted

    @staticmethod
    def rule(
        f: Functions, x: Scalar, *, detect_negative: bool, detect_positive: bool
    ) -> Scalar:
        if detect_positive and detect_negative:
            return (x == math.inf) | (x == -math.inf)
        if not (detect_positive or detect_negative):
            return x < -math.inf  # nothing is
        return x == (math.inf if detect_positive else -math.inf)


class SinOp(
    UnaryOp,
    onnx="Sin-22",
    compute=np.sin,
    rule="math.sin",
    gradient=lambda b: b.g * b.xp.cos(b.input),
):
    """The sine of x, an angle in radians, elementwise."""


class CosOp(
    UnaryOp,
    onnx="Cos-22",
    compute=np.cos,
    rule="math.cos",
    gradient=lambda b: -b.g * b.xp.sin(b.input),
):
    """The cosine of x, an angle in radians, elementwise."""


class TanOp(
    UnaryOp,
    onnx="Tan-22",
    compute=np.tan,
    rule="math.tan",
    gradient=lambda b: b.g * (1 + b.result * b.result),
):
    """The tangent of x, an angle in radians, elementwise."""


class AsinOp(
    UnaryOp,
    onnx="Asin-22",
    compute=np.arcsin,
    rule="math.asin",
    gradient=lambda b: b.g / b.xp.sqrt(1 - b.input * b.input),
):
    """The angle in [-pi/2, pi/2] whose sine is x, elementwise; NaN outside [-1, 1]."""


class AcosOp(
    UnaryOp,
    onnx="Acos-22",
    compute=np.arccos,
    rule="math.acos",
    gradient=lambda b: -b.g / b.xp.sqrt(1 - b.input * b.input),
):
    """The angle in [0, pi] whose cosine is x, elementwise; NaN outside [-1, 1]."""


class AtanOp(
    UnaryOp,
    onnx="Atan-22",
    compute=np.arctan,
    rule="math.atan",
    gradient=lambda b: b.g / (1 + b.input * b.input),
):
    """The angle in [-pi/2, pi/2] whose tangent is x, elementwise."""


class SinhOp(
    UnaryOp,
    onnx="Sinh-22",
    compute=np.sinh,
    rule="math.sinh",
    gradient=lambda b: b.g * b.xp.cosh(b.input),
):
    """The hyperbolic sine of x, elementwise."""


class CoshOp(
    UnaryOp,
    onnx="Cosh-22",
    compute=np.cosh,
    rule="math.cosh",
    gradient=lambda b: b.g * b.xp.sinh(b.input),
):
    """The hyperbolic cosine of x, elementwise."""


class TanhOp(
    UnaryOp,
    onnx="Tanh-13",
    compute=np.tanh,
    rule="math.tanh",
    gradient=lambda b: b.g * (1 - b.result * b.result),
):
    """The hyperbolic tangent of x, elementwise."""


class AsinhOp(
    UnaryOp,
    onnx="Asinh-22",
    compute=np.arcsinh,
    rule="math.asinh",
    gradient=lambda b: b.g / b.xp.sqrt(1 + b.input * b.input),
):
    """The number whose hyperbolic sine is x, elementwise."""


class AcoshOp(
    UnaryOp,
    onnx="Acosh-22",
    compute=np.arccosh,
    rule="math.acosh",
    gradient=lambda b: b.g / (b.xp.sqrt(b.input - 1) * b.xp.sqrt(b.input + 1)),
):
    """The number whose hyperbolic cosine is x, elementwise; NaN below 1."""


class AtanhOp(
    UnaryOp,
    onnx="Atanh-22",
    compute=np.arctanh,
    rule="math.atanh",
    gradient=lambda b: b.g / (1 - b.input * b.input),
):
    """The number whose hyperbolic tangent is x, elementwise; NaN outside [-1, 1]."""
