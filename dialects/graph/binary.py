"""Elementwise arithmetic on two tensors, which broadcast."""

from typing import Any

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import BinaryOp
from glow.support.element_conversion import convert
from glow.support.types import (
    Tensor,
    broadcast,
    element_of,
    is_float,
    tensor,
)


def refuse_zero(lhs: Array, rhs: Array) -> None:
    """Raise if an integer of `lhs` would be divided by a zero in `rhs`."""
    if rhs.dtype.kind in "iu" and lhs.size and not rhs.all():
        raise ZeroDivisionError("integer division by zero")


@irdl_op_definition
class AddOp(BinaryOp):
    """
    lhs + rhs; integers wrap.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Add-14.

    ```mlir
    %c = graph.add %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.add"

    compute = staticmethod(np.add)


@irdl_op_definition
class SubOp(BinaryOp):
    """
    lhs - rhs; integers wrap.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Sub-14.

    ```mlir
    %c = graph.sub %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sub"

    compute = staticmethod(np.subtract)


@irdl_op_definition
class MulOp(BinaryOp):
    """
    lhs * rhs; integers wrap.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Mul-14.

    ```mlir
    %c = graph.mul %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.mul"

    compute = staticmethod(np.multiply)


@irdl_op_definition
class DivOp(BinaryOp):
    """
    lhs / rhs; integers truncate towards zero, as -7 / 2 -> -3.

    An integer divided by zero is a fault of the run.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Div-14.

    ```mlir
    %c = graph.div %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.div"

    @staticmethod
    def compute(lhs: Array, rhs: Array) -> Array:
        if lhs.dtype.kind == "f":
            return lhs / rhs
        refuse_zero(lhs, rhs)
        floor = lhs // rhs
        inexact = floor * rhs != lhs
        return floor + (inexact & ((lhs < 0) != (rhs < 0)))


@irdl_op_definition
class PowOp(BinaryOp):
    """
    lhs to the power of rhs, in the type of lhs.

    Unless both are one float type, the power is taken in f64 and converted as
    graph.cast does; so integers beyond 2^53 are rounded, as in ONNX Runtime.

    Shapes: result is lhs and rhs broadcast together, with the element type of lhs.
    Source: ONNX Pow-15.

    ```mlir
    %c = graph.pow %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.pow"

    @classmethod
    def infer(cls, lhs: SSAValue, rhs: SSAValue, **parameters: Any) -> Tensor:
        cls.ELEMENTS.check(lhs, rhs)
        return tensor(element_of(lhs), broadcast(lhs, rhs))

    @staticmethod
    def compute(lhs: Array, rhs: Array) -> Array:
        if lhs.dtype == rhs.dtype and lhs.dtype.kind == "f":
            return np.power(lhs, rhs)
        power = np.power(lhs.astype(np.float64), rhs.astype(np.float64))
        return convert(power, lhs.dtype)


@irdl_op_definition
class ModOp(BinaryOp):
    """
    The remainder of lhs / rhs, with the sign of rhs, or of lhs where `fmod` is set.

    An integer divided by zero is a fault of the run.

    Shapes: result is lhs and rhs broadcast together.
    Errors: floats without `fmod`.
    Source: ONNX Mod-13.

    ```mlir
    %c = graph.mod %a, %b {fmod}
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.mod"

    @classmethod
    def infer(
        cls, lhs: SSAValue, rhs: SSAValue, *, fmod: bool, **parameters: Any
    ) -> Tensor:
        if is_float(element_of(lhs)) and not fmod:
            raise VerifyException(f"expected fmod with {element_of(lhs)} elements")
        return super().infer(lhs, rhs)

    @staticmethod
    def compute(lhs: Array, rhs: Array, *, fmod: bool = False) -> Array:
        refuse_zero(lhs, rhs)
        return np.fmod(lhs, rhs) if fmod else np.mod(lhs, rhs)


@irdl_op_definition
class MaxOp(BinaryOp):
    """
    The larger of lhs and rhs; NaN where one is NaN.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Max-13.

    ```mlir
    %c = graph.max %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.max"

    compute = staticmethod(np.maximum)


@irdl_op_definition
class MinOp(BinaryOp):
    """
    The smaller of lhs and rhs; NaN where one is NaN.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Min-13.

    ```mlir
    %c = graph.min %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.min"

    compute = staticmethod(np.minimum)
