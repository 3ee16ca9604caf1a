"""Elementwise functions of one tensor, trigonometry left out."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import UnaryOp
from glow.dialects.graph.rules import Functions, Scalar
from glow.support.special_functions import erf
from glow.support.types import NUMBER, is_unsigned


class AbsOp(
    UnaryOp,
    onnx="Abs-13",
    elements=NUMBER,
    compute=np.abs,
    rule=lambda f, x: f.absolute(x),
):
    """|x|, elementwise; the lowest integer is its own absolute value."""


class NegOp(
    UnaryOp,
    onnx="Neg-13",
    elements=NUMBER,
    compute=np.negative,
    rule=lambda f, x: -x,
):
    """-x, elementwise; the lowest integer is its own negative."""


class ExpOp(UnaryOp, onnx="Exp-13", compute=np.exp, rule="math.exp"):
    """e to the power of x, elementwise."""


class LogOp(UnaryOp, onnx="Log-13", compute=np.log, rule="math.log"):
    """The natural logarithm of x, elementwise; NaN below 0."""


class SqrtOp(UnaryOp, onnx="Sqrt-13", compute=np.sqrt, rule="math.sqrt"):
    """The square root of x, elementwise; NaN below 0."""


class ReciprocalOp(
    UnaryOp, onnx="Reciprocal-13", compute=np.reciprocal, rule=lambda f, x: 1 / x
):
    """1 / x, elementwise; an infinity with the sign of x where x is 0."""


class ErfOp(UnaryOp, onnx="Erf-13", compute=erf, rule="math.erf"):
    """The error function of x, elementwise."""


class FloorOp(UnaryOp, onnx="Floor-13", compute=np.floor, rule="math.floor"):
    """The largest integer not above x, elementwise."""


class CeilOp(UnaryOp, onnx="Ceil-13", compute=np.ceil, rule="math.ceil"):
    """The smallest integer not below x, elementwise."""


class RoundOp(UnaryOp, onnx="Round-11", compute=np.rint, rule="math.roundeven"):
    """The integer nearest to x, elementwise; the even one of two, as 2.5 -> 2."""


class SignOp(UnaryOp, onnx="Sign-13", elements=NUMBER, compute=np.sign):
    """-1, 0 or 1, elementwise; NaN stays NaN."""

    @staticmethod
    def rule(f: Functions, x: Scalar) -> Scalar:
        if is_unsigned(x.element):
            return f.minimum(x, 1)
        # What is neither below nor above zero is zero, or NaN, and stays.
        return f.select(x > 0, 1, f.select(x < 0, -1, x))


class IsNanOp(
    UnaryOp,
    onnx="IsNaN-13",
    result=i1,
    compute=np.isnan,
    rule=lambda f, x: f.is_nan(x),
):
    """Whether x is NaN, elementwise."""


class IsInfOp(UnaryOp, onnx="IsInf-10", result=i1):
    """Whether x is an infinity of a sign that is asked for, elementwise."""

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
