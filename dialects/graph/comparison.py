"""Elementwise comparisons of two tensors, which broadcast; NaN compares as false."""

from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.irdl import irdl_op_definition

from glow.dialects.graph.elementwise import BinaryOp
from glow.support.types import ANY


@irdl_op_definition
class EqualOp(BinaryOp):
    """
    Whether lhs equals rhs; 0.0 equals -0.0.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Equal-19.

    ```mlir
    %c = graph.equal %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.equal"
    ELEMENTS: ClassVar = ANY
    RESULT: ClassVar = i1

    compute = staticmethod(np.equal)


@irdl_op_definition
class LessOp(BinaryOp):
    """
    Whether lhs is below rhs.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Less-13.

    ```mlir
    %c = graph.less %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.less"
    RESULT: ClassVar = i1

    compute = staticmethod(np.less)


@irdl_op_definition
class LessOrEqualOp(BinaryOp):
    """
    Whether lhs is below rhs or equal to it.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX LessOrEqual-16.

    ```mlir
    %c = graph.less_or_equal %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.less_or_equal"
    RESULT: ClassVar = i1

    compute = staticmethod(np.less_equal)


@irdl_op_definition
class GreaterOp(BinaryOp):
    """
    Whether lhs is above rhs.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX Greater-13.

    ```mlir
    %c = graph.greater %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.greater"
    RESULT: ClassVar = i1

    compute = staticmethod(np.greater)


@irdl_op_definition
class GreaterOrEqualOp(BinaryOp):
    """
    Whether lhs is above rhs or equal to it.

    Shapes: result is lhs and rhs broadcast together.
    Source: ONNX GreaterOrEqual-16.

    ```mlir
    %c = graph.greater_or_equal %a, %b
        : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    ```
    """

    name = "graph.greater_or_equal"
    RESULT: ClassVar = i1

    compute = staticmethod(np.greater_equal)
