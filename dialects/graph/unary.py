"""Elementwise functions of one tensor, trigonometry left out."""

from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.irdl import irdl_op_definition

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import UnaryOp
from glow.support.special_functions import erf
from glow.support.types import NUMBER


@irdl_op_definition
class AbsOp(UnaryOp):
    """
    |x|, elementwise; the lowest integer is its own absolute value.

    Shapes: result as input.
    Source: ONNX Abs-13.

    ```mlir
    %y = graph.abs %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.abs"
    ELEMENTS: ClassVar = NUMBER

    compute = staticmethod(np.abs)


@irdl_op_definition
class NegOp(UnaryOp):
    """
    -x, elementwise; the lowest integer is its own negative.

    Shapes: result as input.
    Source: ONNX Neg-13.

    ```mlir
    %y = graph.neg %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.neg"
    ELEMENTS: ClassVar = NUMBER

    compute = staticmethod(np.negative)


@irdl_op_definition
class ExpOp(UnaryOp):
    """
    e to the power of x, elementwise.

    Shapes: result as input.
    Source: ONNX Exp-13.

    ```mlir
    %y = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.exp"

    compute = staticmethod(np.exp)


@irdl_op_definition
class LogOp(UnaryOp):
    """
    The natural logarithm of x, elementwise; NaN below 0.

    Shapes: result as input.
    Source: ONNX Log-13.

    ```mlir
    %y = graph.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.log"

    compute = staticmethod(np.log)


@irdl_op_definition
class SqrtOp(UnaryOp):
    """
    The square root of x, elementwise; NaN below 0.

    Shapes: result as input.
    Source: ONNX Sqrt-13.

    ```mlir
    %y = graph.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sqrt"

    compute = staticmethod(np.sqrt)


@irdl_op_definition
class ReciprocalOp(UnaryOp):
    """
    1 / x, elementwise; an infinity with the sign of x where x is 0.

    Shapes: result as input.
    Source: ONNX Reciprocal-13.

    ```mlir
    %y = graph.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.reciprocal"

    @staticmethod
    def compute(input: Array) -> Array:
        return 1 / input


@irdl_op_definition
class ErfOp(UnaryOp):
    """
    The error function of x, elementwise.

    Shapes: result as input.
    Source: ONNX Erf-13.

    ```mlir
    %y = graph.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.erf"

    compute = staticmethod(erf)


@irdl_op_definition
class FloorOp(UnaryOp):
    """
    The largest integer not above x, elementwise.

    Shapes: result as input.
    Source: ONNX Floor-13.

    ```mlir
    %y = graph.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.floor"

    compute = staticmethod(np.floor)


@irdl_op_definition
class CeilOp(UnaryOp):
    """
    The smallest integer not below x, elementwise.

    Shapes: result as input.
    Source: ONNX Ceil-13.

    ```mlir
    %y = graph.ceil %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.ceil"

    compute = staticmethod(np.ceil)


@irdl_op_definition
class RoundOp(UnaryOp):
    """
    The integer nearest to x, elementwise; the even one of two, as 2.5 -> 2.

    Shapes: result as input.
    Source: ONNX Round-11.

    ```mlir
    %y = graph.round %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.round"

    compute = staticmethod(np.rint)


@irdl_op_definition
class SignOp(UnaryOp):
    """
    -1, 0 or 1, elementwise; NaN stays NaN.

    Shapes: result as input.
    Source: ONNX Sign-13.

    ```mlir
    %y = graph.sign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sign"
    ELEMENTS: ClassVar = NUMBER

    compute = staticmethod(np.sign)


@irdl_op_definition
class IsNanOp(UnaryOp):
    """
    Whether x is NaN, elementwise.

    Shapes: result as input.
    Source: ONNX IsNaN-13.

    ```mlir
    %y = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.is_nan"
    RESULT: ClassVar = i1

    compute = staticmethod(np.isnan)


@irdl_op_definition
class IsInfOp(UnaryOp):
    """
    Whether x is an infinity of a sign that is asked for, elementwise.

    Shapes: result as input.
    Source: ONNX IsInf-10.

    ```mlir
    %y = graph.is_inf %x {detect_negative} : (tensor<2x3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.is_inf"
    RESULT: ClassVar = i1

    @staticmethod
    def compute(
        input: Array, *, detect_negative: bool = True, detect_positive: bool = True
    ) -> Array:
        wanted = bool(detect_positive) & (input > 0) | bool(detect_negative) & (
            input < 0
        )
        return np.isinf(input) & wanted
