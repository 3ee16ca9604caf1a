"""Elementwise logic on bools and on the bits of integers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import BinaryOp, UnaryOp
from glow.dialects.graph.rules import Functions, Scalar
from glow.support.types import BOOL, INTEGER, is_unsigned


class BitwiseAndOp(
    BinaryOp,
    onnx="BitwiseAnd-18",
    elements=INTEGER,
    compute=np.bitwise_and,
    rule="arith.andi",
):
    """The bits that lhs and rhs both have."""


class BitwiseOrOp(
    BinaryOp,
    onnx="BitwiseOr-18",
    elements=INTEGER,
    compute=np.bitwise_or,
    rule="arith.ori",
):
    """The bits that lhs or rhs has."""


class BitwiseXorOp(
    BinaryOp,
    onnx="BitwiseXor-18",
    elements=INTEGER,
    compute=np.bitwise_xor,
    rule="arith.xori",
):
    """The bits that one of lhs and rhs has."""


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


class OrOp(
    BinaryOp, onnx="Or-7", elements=BOOL, compute=np.logical_or, rule="arith.ori"
):
    """Whether lhs or rhs is true."""


class XorOp(
    BinaryOp, onnx="Xor-7", elements=BOOL, compute=np.logical_xor, rule="arith.xori"
):
    """Whether one of lhs and rhs is true, and not both."""


class NotOp(
    UnaryOp,
    onnx="Not-1",
    elements=BOOL,
    compute=np.logical_not,
    rule=lambda f, x: ~x,
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
