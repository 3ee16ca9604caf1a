"""Trigonometric and hyperbolic functions and their inverses, elementwise."""

import numpy as np
from xdsl.irdl import irdl_op_definition

from glow.dialects.graph.elementwise import UnaryOp


@irdl_op_definition
class SinOp(UnaryOp):
    """
    The sine of x, an angle in radians, elementwise.

    Shapes: result as input.
    Source: ONNX Sin-22.

    ```mlir
    %y = graph.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sin"

    compute = staticmethod(np.sin)


@irdl_op_definition
class CosOp(UnaryOp):
    """
    The cosine of x, an angle in radians, elementwise.

    Shapes: result as input.
    Source: ONNX Cos-22.

    ```mlir
    %y = graph.cos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.cos"

    compute = staticmethod(np.cos)


@irdl_op_definition
class TanOp(UnaryOp):
    """
    The tangent of x, an angle in radians, elementwise.

    Shapes: result as input.
    Source: ONNX Tan-22.

    ```mlir
    %y = graph.tan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.tan"

    compute = staticmethod(np.tan)


@irdl_op_definition
class AsinOp(UnaryOp):
    """
    The angle in [-pi/2, pi/2] whose sine is x, elementwise; NaN outside [-1, 1].

    Shapes: result as input.
    Source: ONNX Asin-22.

    ```mlir
    %y = graph.asin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.asin"

    compute = staticmethod(np.arcsin)


@irdl_op_definition
class AcosOp(UnaryOp):
    """
    The angle in [0, pi] whose cosine is x, elementwise; NaN outside [-1, 1].

    Shapes: result as input.
    Source: ONNX Acos-22.

    ```mlir
    %y = graph.acos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.acos"

    compute = staticmethod(np.arccos)


@irdl_op_definition
class AtanOp(UnaryOp):
    """
    The angle in [-pi/2, pi/2] whose tangent is x, elementwise.

    Shapes: result as input.
    Source: ONNX Atan-22.

    ```mlir
    %y = graph.atan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.atan"

    compute = staticmethod(np.arctan)


@irdl_op_definition
class SinhOp(UnaryOp):
    """
    The hyperbolic sine of x, elementwise.

    Shapes: result as input.
    Source: ONNX Sinh-22.

    ```mlir
    %y = graph.sinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sinh"

    compute = staticmethod(np.sinh)


@irdl_op_definition
class CoshOp(UnaryOp):
    """
    The hyperbolic cosine of x, elementwise.

    Shapes: result as input.
    Source: ONNX Cosh-22.

    ```mlir
    %y = graph.cosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.cosh"

    compute = staticmethod(np.cosh)


@irdl_op_definition
class TanhOp(UnaryOp):
    """
    The hyperbolic tangent of x, elementwise.

    Shapes: result as input.
    Source: ONNX Tanh-13.

    ```mlir
    %y = graph.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.tanh"

    compute = staticmethod(np.tanh)


@irdl_op_definition
class AsinhOp(UnaryOp):
    """
    The number whose hyperbolic sine is x, elementwise.

    Shapes: result as input.
    Source: ONNX Asinh-22.

    ```mlir
    %y = graph.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.asinh"

    compute = staticmethod(np.arcsinh)


@irdl_op_definition
class AcoshOp(UnaryOp):
    """
    The number whose hyperbolic cosine is x, elementwise; NaN below 1.

    Shapes: result as input.
    Source: ONNX Acosh-22.

    ```mlir
    %y = graph.acosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.acosh"

    compute = staticmethod(np.arccosh)


@irdl_op_definition
class AtanhOp(UnaryOp):
    """
    The number whose hyperbolic tangent is x, elementwise; NaN outside [-1, 1].

    Shapes: result as input.
    Source: ONNX Atanh-22.

    ```mlir
    %y = graph.atanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.atanh"

    compute = staticmethod(np.arctanh)
