"""Elementwise comparisons, false for NaN, and logic on bools and bits."""

from __future__ import annotations

from typing import Literal

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.irdl import traits_def
from xdsl.traits import Commutative, Pure

from glow.dialects.graph.declaration import BinaryOp, Functions, Scalar, UnaryOp
from glow.support.arrays import Array
from glow.support.types import BOOL, COMPUTED, INTEGER, is_unsigned


class BitwiseAndOp(
    BinaryOp,
    onnx="BitwiseAnd-18",
    elements=INTEGER,
    compute=np.bitwise_and,
    rule="arith.andi",
):
    """The bits that lhs and rhs both have."""

    traits = traits_def(Pure(), Commutative())


class BitwiseOrOp(
    BinaryOp,
    onnx="BitwiseOr-18",
    elements=INTEGER,
    compute=np.bitwise_or,
    rule="arith.ori",
):
    """The bits that lhs or rhs has."""

    traits = traits_def(Pure(), Commutative())


class BitwiseXorOp(
    BinaryOp,
    onnx="BitwiseXor-18",
    elements=INTEGER,
    compute=np.bitwise_xor,
    rule="arith.xori",
):
    """The bits that exactly one of lhs and rhs has."""

    traits = traits_def(Pure(), Commutative())


class BitShiftOp(BinaryOp, onnx="BitShift-28", elements=INTEGER):
    """
    The bits of lhs moved by rhs places.

    From the right come zeros, from the left copies of the sign, zeros if there is none.
    Where rhs is negative or not below the width, nothing but those is left.

    Errors: a direction other than LEFT or RIGHT.

    ```mlir
    %c = graph.bit_shift %a, %b {direction = "LEFT"}
        : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    ```
    """

    @staticmethod
    def compute(
        lhs: Array, rhs: Array, *, direction: Literal["LEFT", "RIGHT"]
    ) -> Array:
        shift = np.left_shift if direction == "LEFT" else np.right_shift
        return shift(lhs, rhs)

    @staticmethod
    def rule(f: Functions, x: Scalar, y: Scalar, *, direction: str) -> Scalar:
        """Shift by at most the width less one, which leaves a sign; else, nothing."""
        most = f.bits_of(x.element) - 1
        is_inside = (y >= 0) & (y <= most)
        places = f.select(is_inside, y, most)
        if direction == "RIGHT" and not is_unsigned(x.element):
            return x >> places
        shifted = x >> places if direction == "RIGHT" else x << places
        return f.select(is_inside, shifted, 0)


class AndOp(
    BinaryOp, onnx="And-7", elements=BOOL, compute=np.logical_and, rule="arith.andi"
):
    """Whether lhs and rhs are both true."""

    traits = traits_def(Pure(), Commutative())


class OrOp(
    BinaryOp, onnx="Or-7", elements=BOOL, compute=np.logical_or, rule="arith.ori"
):
    """Whether lhs or rhs is true."""

    traits = traits_def(Pure(), Commutative())


class XorOp(
    BinaryOp, onnx="Xor-7", elements=BOOL, compute=np.logical_xor, rule="arith.xori"
):
    """Whether one of lhs and rhs is true, and not both."""

    traits = traits_def(Pure(), Commutative())


class NotOp(
    UnaryOp, onnx="Not-1", elements=BOOL, compute=np.logical_not, rule=lambda f, x: ~x
):
    """Whether x is false, elementwise."""


class BitwiseNotOp(
    UnaryOp,
    onnx="BitwiseNot-18",
    elements=INTEGER,
    compute=np.invert,
    rule=lambda f, x: ~x,
):
    """Every bit of x inverted, elementwise."""


class EqualOp(
    BinaryOp,
    onnx="Equal-19",
    elements=COMPUTED,
    result=i1,
    compute=np.equal,
    rule=lambda f, x, y: x == y,
):
    """Whether lhs equals rhs; 0.0 equals -0.0."""

    traits = traits_def(Pure(), Commutative())


class LessOp(
    BinaryOp, onnx="Less-13", result=i1, compute=np.less, rule=lambda f, x, y: x < y
):
    """Whether lhs is below rhs."""


class LessOrEqualOp(
    BinaryOp,
    onnx="LessOrEqual-16",
    result=i1,
    compute=np.less_equal,
    rule=lambda f, x, y: x <= y,
):
    """Whether lhs is below rhs or equal to it."""


class GreaterOp(
    BinaryOp,
    onnx="Greater-13",
    result=i1,
    compute=np.greater,
    rule=lambda f, x, y: x > y,
):
    """Whether lhs is above rhs."""


class GreaterOrEqualOp(
    BinaryOp,
    onnx="GreaterOrEqual-16",
    result=i1,
    compute=np.greater_equal,
    rule=lambda f, x, y: x >= y,
):
    """Whether lhs is above rhs or equal to it."""
