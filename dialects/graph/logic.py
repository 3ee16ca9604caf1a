"""Elementwise logic on bools and on the bits of integers."""

from typing import Any, ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import BinaryOp, UnaryOp
from glow.support.types import (
    BOOL,
    INTEGER,
    Tensor,
)


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    """
    The bits that lhs and rhs both have.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX BitwiseAnd-18.

    ```mlir
    %c = graph.bitwise_and %a, %b
        : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    ```
    """

    name = "graph.bitwise_and"
    ELEMENTS: ClassVar = INTEGER

    compute = staticmethod(np.bitwise_and)


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    """
    The bits that lhs or rhs has.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX BitwiseOr-18.

    ```mlir
    %c = graph.bitwise_or %a, %b
        : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    ```
    """

    name = "graph.bitwise_or"
    ELEMENTS: ClassVar = INTEGER

    compute = staticmethod(np.bitwise_or)


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    """
    The bits that one of lhs and rhs has.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX BitwiseXor-18.

    ```mlir
    %c = graph.bitwise_xor %a, %b
        : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    ```
    """

    name = "graph.bitwise_xor"
    ELEMENTS: ClassVar = INTEGER

    compute = staticmethod(np.bitwise_xor)


@irdl_op_definition
class BitShiftOp(BinaryOp):
    """
    The bits of lhs moved by rhs places.

    From the right come zeros, from the left copies of the sign, zeros if there is none.
    Where rhs is negative or not below the width, nothing but those is left.

    Shapes: result is lhs and rhs broadcast together.
    Errors: a direction other than LEFT or RIGHT.
    Source: ONNX BitShift-28.

    ```mlir
    %c = graph.bit_shift %a, %b {direction = "LEFT"}
        : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    ```
    """

    name = "graph.bit_shift"
    ELEMENTS: ClassVar = INTEGER

    @classmethod
    def infer(
        cls, lhs: SSAValue, rhs: SSAValue, *, direction: str, **parameters: Any
    ) -> Tensor:
        if direction not in ("LEFT", "RIGHT"):
            raise VerifyException(
                f'expected direction "LEFT" or "RIGHT", got "{direction}"'
            )
        return super().infer(lhs, rhs)

    @staticmethod
    def compute(lhs: Array, rhs: Array, *, direction: str) -> Array:
        return (
            np.left_shift(lhs, rhs) if direction == "LEFT" else np.right_shift(lhs, rhs)
        )


@irdl_op_definition
class AndOp(BinaryOp):
    """
    Whether lhs and rhs are both true.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX And-7.

    ```mlir
    %c = graph.and %a, %b
        : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.and"
    ELEMENTS: ClassVar = BOOL

    compute = staticmethod(np.logical_and)


@irdl_op_definition
class OrOp(BinaryOp):
    """
    Whether lhs or rhs is true.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Or-7.

    ```mlir
    %c = graph.or %a, %b
        : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.or"
    ELEMENTS: ClassVar = BOOL

    compute = staticmethod(np.logical_or)


@irdl_op_definition
class XorOp(BinaryOp):
    """
    Whether one of lhs and rhs is true, and not both.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Xor-7.

    ```mlir
    %c = graph.xor %a, %b
        : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.xor"
    ELEMENTS: ClassVar = BOOL

    compute = staticmethod(np.logical_xor)


@irdl_op_definition
class NotOp(UnaryOp):
    """
    Whether x is false, elementwise.

    Shapes: result as input.
    Source: ONNX Not-1.

    ```mlir
    %y = graph.not %x : (tensor<2x3xi1>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.not"
    ELEMENTS: ClassVar = BOOL

    compute = staticmethod(np.logical_not)


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """
    Every bit of x turned round, elementwise.

    Shapes: result as input.
    Source: ONNX BitwiseNot-18.

    ```mlir
    %y = graph.bitwise_not %x : (tensor<2x3xi32>) -> tensor<2x3xi32>
    ```
    """

    name = "graph.bitwise_not"
    ELEMENTS: ClassVar = INTEGER

    compute = staticmethod(np.invert)
