"""Activations: elementwise functions of one tensor that networks are named after."""

from typing import Any, ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import UnaryOp
from glow.support.element_conversion import convert
from glow.support.special_functions import erf
from glow.support.types import NUMBER, Tensor

SELU_ALPHA = 1.67326319217681884765625
SELU_GAMMA = 1.05070102214813232421875


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + e^-x); e is never raised to a positive power."""
    decay = np.exp(-np.abs(x))
    return np.where(x < 0, decay, x.dtype.type(1)) / (1 + decay)


@irdl_op_definition
class ReluOp(UnaryOp):
    """
    max(x, 0), elementwise; NaN stays NaN.

    Shapes: result as input.
    Source: ONNX Relu-14.

    ```mlir
    %y = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.relu"
    ELEMENTS: ClassVar = NUMBER

    @staticmethod
    def compute(input: Array) -> Array:
        return np.maximum(input, 0)


@irdl_op_definition
class LeakyReluOp(UnaryOp):
    """
    x, or alpha x where x is below 0, elementwise.

    Shapes: result as input.
    Source: ONNX LeakyRelu-16.

    ```mlir
    %y = graph.leaky_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.leaky_relu"

    @staticmethod
    def compute(input: Array, *, alpha: float = 0.01) -> Array:
        return np.where(input < 0, input * alpha, input)


@irdl_op_definition
class EluOp(UnaryOp):
    """
    x, or alpha (e^x - 1) where x is below 0, elementwise.

    Shapes: result as input.
    Source: ONNX Elu-22.

    ```mlir
    %y = graph.elu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.elu"

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input < 0, np.expm1(input) * alpha, input)


@irdl_op_definition
class SeluOp(UnaryOp):
    """
    gamma x, or gamma alpha (e^x - 1) where x is below 0, elementwise.

    Shapes: result as input.
    Source: ONNX Selu-22.

    ```mlir
    %y = graph.selu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.selu"

    @staticmethod
    def compute(
        input: Array,
        *,
        alpha: float = SELU_ALPHA,
        gamma: float = SELU_GAMMA,
    ) -> Array:
        return np.where(input < 0, np.expm1(input) * alpha, input) * gamma


@irdl_op_definition
class CeluOp(UnaryOp):
    """
    x, or alpha (e^(x / alpha) - 1) where x is below 0, elementwise.

    Shapes: result as input.
    Source: ONNX Celu-12.

    ```mlir
    %y = graph.celu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.celu"

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input < 0, np.expm1(input / alpha) * alpha, input)


@irdl_op_definition
class ThresholdedReluOp(UnaryOp):
    """
    x where it is above alpha, else 0, elementwise; NaN becomes 0.

    Shapes: result as input.
    Source: ONNX ThresholdedRelu-22.

    ```mlir
    %y = graph.thresholded_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.thresholded_relu"

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input > alpha, input, input.dtype.type(0))


@irdl_op_definition
class HardSigmoidOp(UnaryOp):
    """
    alpha x + beta, held between 0 and 1, elementwise.

    Shapes: result as input.
    Source: ONNX HardSigmoid-22.

    ```mlir
    %y = graph.hard_sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.hard_sigmoid"

    @staticmethod
    def compute(input: Array, *, alpha: float = 0.2, beta: float = 0.5) -> Array:
        return np.clip(input * alpha + beta, 0, 1)


@irdl_op_definition
class HardSwishOp(UnaryOp):
    """
    x (x / 6 + 1/2, held between 0 and 1), elementwise.

    Shapes: result as input.
    Source: ONNX HardSwish-22.

    ```mlir
    %y = graph.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.hard_swish"

    @staticmethod
    def compute(input: Array) -> Array:
        return input * np.clip(input / 6 + 0.5, 0, 1)


@irdl_op_definition
class SoftplusOp(UnaryOp):
    """
    log(1 + e^x), elementwise, without overflow.

    Shapes: result as input.
    Source: ONNX Softplus-22.

    ```mlir
    %y = graph.softplus %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.softplus"

    @staticmethod
    def compute(input: Array) -> Array:
        return np.logaddexp(input, input.dtype.type(0))


@irdl_op_definition
class SoftsignOp(UnaryOp):
    """
    x / (1 + |x|), elementwise; NaN at an infinity.

    Shapes: result as input.
    Source: ONNX Softsign-22.

    ```mlir
    %y = graph.softsign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.softsign"

    @staticmethod
    def compute(input: Array) -> Array:
        return input / (1 + np.abs(input))


@irdl_op_definition
class MishOp(UnaryOp):
    """
    x tanh(log(1 + e^x)), elementwise.

    Shapes: result as input.
    Source: ONNX Mish-22.

    ```mlir
    %y = graph.mish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.mish"

    @staticmethod
    def compute(input: Array) -> Array:
        return input * np.tanh(np.logaddexp(input, input.dtype.type(0)))


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """
    1 / (1 + e^-x), elementwise, without overflow.

    Shapes: result as input.
    Source: ONNX Sigmoid-13.

    ```mlir
    %y = graph.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.sigmoid"

    compute = staticmethod(sigmoid)


@irdl_op_definition
class SwishOp(UnaryOp):
    """
    x / (1 + e^(-alpha x)), elementwise.

    Shapes: result as input.
    Source: ONNX Swish-24.

    ```mlir
    %y = graph.swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.swish"

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return input * sigmoid(input * alpha)


@irdl_op_definition
class ShrinkOp(UnaryOp):
    """
    x + bias below -lambd, x - bias above lambd, 0 between, elementwise.

    Integers are shifted in f64 and converted as graph.cast does.

    Shapes: result as input.
    Source: ONNX Shrink-9.

    ```mlir
    %y = graph.shrink %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.shrink"
    ELEMENTS: ClassVar = NUMBER

    @staticmethod
    def compute(input: Array, *, bias: float = 0.0, lambd: float = 0.5) -> Array:
        shifted = [input + bias, input - bias]
        found = np.select([input < -lambd, input > lambd], shifted, 0)
        return convert(found, input.dtype)


@irdl_op_definition
class GeluOp(UnaryOp):
    """
    x times the normal distribution function at x, elementwise.

    With approximate = "tanh", x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Shapes: result as input.
    Errors: approximate other than none or tanh.
    Source: ONNX Gelu-20.

    ```mlir
    %y = graph.gelu %x {approximate = "tanh"}
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.gelu"

    @classmethod
    def infer(cls, input: SSAValue, *, approximate: str, **parameters: Any) -> Tensor:
        if approximate not in ("none", "tanh"):
            raise VerifyException(
                f'expected approximate "none" or "tanh", got "{approximate}"'
            )
        return super().infer(input)

    @staticmethod
    def compute(input: Array, *, approximate: str = "none") -> Array:
        if approximate == "none":
            return input * 0.5 * (1 + erf(input * np.sqrt(0.5).item()))
        inner = np.sqrt(2 / np.pi).item() * (input + 0.044715 * input**3)
        return input * 0.5 * (1 + np.tanh(inner))
