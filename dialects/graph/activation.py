"""Activations: elementwise functions that networks are named after."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, f64
from xdsl.ir import SSAValue

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.declaration import ElementwiseOp, Functions, Scalar, UnaryOp
from glow.dialects.graph.unary import ErfOp
from glow.support.arrays import Array
from glow.support.element_conversion import convert
from glow.support.shapes import check_broadcasts, same_element
from glow.support.special_functions import erf
from glow.support.types import NUMBER, compute_type, is_float, shape_of, tensor

SELU_ALPHA = 1.67326319217681884765625
SELU_GAMMA = 1.05070102214813232421875


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + e^-x); e is never raised to a positive power."""
    decay = np.exp(-np.abs(x))
    return np.where(x < 0, decay, x.dtype.type(1)) / (1 + decay)


def _gate(x: Scalar, f: Functions, alpha: float, beta: float) -> Scalar:
    """Return alpha x + beta, held between 0 and 1."""
    return f.minimum(f.maximum(x * alpha + beta, 0), 1)


class ReluOp(
    UnaryOp,
    onnx="Relu-14",
    elements=NUMBER,
    rule=lambda f, x: f.maximum(x, 0),
    gradient=lambda b: b.xp.where(b.result > 0, b.g, 0),
):
    """max(x, 0), elementwise; NaN stays NaN."""

    @staticmethod
    def compute(input: Array) -> Array:
        return np.maximum(input, 0)


class LeakyReluOp(UnaryOp, onnx="LeakyRelu-16"):
    """x, or alpha x where x is below 0, elementwise."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 0.01) -> Array:
        return np.where(input < 0, input * alpha, input)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float) -> Scalar:
        return f.select(x < 0, x * alpha, x)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.where(b.input < 0, b.g * b.alpha, b.g)


class EluOp(UnaryOp, onnx="Elu-22"):
    """x, or alpha (e^x - 1) where x is below 0, elementwise."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input < 0, np.expm1(input) * alpha, input)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float) -> Scalar:
        return f.select(x < 0, f.expm1(x) * alpha, x)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.where(b.input < 0, b.g * (b.result + b.alpha), b.g)


class SeluOp(UnaryOp, onnx="Selu-22"):
    """gamma x, or gamma alpha (e^x - 1) where x is below 0, elementwise."""

    @staticmethod
    def compute(
        input: Array, *, alpha: float = SELU_ALPHA, gamma: float = SELU_GAMMA
    ) -> Array:
        return np.where(input < 0, np.expm1(input) * alpha, input) * gamma

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float, gamma: float) -> Scalar:
        return f.select(x < 0, f.expm1(x) * (gamma * alpha), x * gamma)

    @staticmethod
    def gradient(b: Backward) -> Any:
        below = b.g * (b.result + b.gamma * b.alpha)
        return b.xp.where(b.input < 0, below, b.g * b.gamma)


class CeluOp(UnaryOp, onnx="Celu-12"):
    """x, or alpha (e^(x / alpha) - 1) where x is below 0, elementwise."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input < 0, np.expm1(input / alpha) * alpha, input)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float) -> Scalar:
        return f.select(x < 0, f.expm1(x / alpha) * alpha, x)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.where(b.input < 0, b.g * (b.result / b.alpha + 1), b.g)


class ThresholdedReluOp(UnaryOp, onnx="ThresholdedRelu-22"):
    """x where it is above alpha, else 0, elementwise; NaN becomes 0."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return np.where(input > alpha, input, input.dtype.type(0))

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float) -> Scalar:
        return f.select(f.convert(x, compute_type(x.element)) > alpha, x, 0)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.xp.where(b.input > b.alpha, b.g, 0)


class HardSigmoidOp(UnaryOp, onnx="HardSigmoid-22"):
    """alpha x + beta, held between 0 and 1, elementwise."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 0.2, beta: float = 0.5) -> Array:
        return np.clip(input * alpha + beta, 0, 1)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float, beta: float) -> Scalar:
        return _gate(x, f, alpha, beta)

    @staticmethod
    def gradient(b: Backward) -> Any:
        is_line = (b.result > 0) & (b.result < 1)
        return b.xp.where(is_line, b.g * b.alpha, 0)


class HardSwishOp(
    UnaryOp, onnx="HardSwish-22", rule=lambda f, x: x * _gate(x, f, 1 / 6, 0.5)
):
    """x (x / 6 + 1/2, held between 0 and 1), elementwise."""

    @staticmethod
    def compute(input: Array) -> Array:
        return input * np.clip(input / 6 + 0.5, 0, 1)

    @staticmethod
    def gradient(b: Backward) -> Any:
        x = b.input
        inside = b.xp.where(x < 3, b.g * (x / 3 + 0.5), b.g)
        return b.xp.where(x > -3, inside, 0)


class SoftplusOp(
    UnaryOp,
    onnx="Softplus-22",
    rule=lambda f, x: f.softplus(x),
    gradient=lambda b: b.g * b.emit(SigmoidOp, b.input),
):
    """log(1 + e^x), elementwise, without overflow."""

    @staticmethod
    def compute(input: Array) -> Array:
        return np.logaddexp(input, input.dtype.type(0))


class SoftsignOp(
    UnaryOp,
    onnx="Softsign-22",
    rule=lambda f, x: x / (1 + f.absolute(x)),
    gradient=lambda b: b.g / (1 + abs(b.input)) / (1 + abs(b.input)),
):
    """x / (1 + |x|), elementwise; NaN at an infinity."""

    @staticmethod
    def compute(input: Array) -> Array:
        return input / (1 + np.abs(input))


class MishOp(UnaryOp, onnx="Mish-22", rule=lambda f, x: x * f.tanh(f.softplus(x))):
    """x tanh(log(1 + e^x)), elementwise."""

    @staticmethod
    def compute(input: Array) -> Array:
        return input * np.tanh(np.logaddexp(input, input.dtype.type(0)))

    @staticmethod
    def gradient(b: Backward) -> Any:
        x, part = b.input, b.xp.tanh(b.emit(SoftplusOp, b.input))
        return b.g * (part + x * (1 - part * part) * b.emit(SigmoidOp, x))


class SigmoidOp(
    UnaryOp,
    onnx="Sigmoid-13",
    compute=sigmoid,
    rule=lambda f, x: f.sigmoid(x),
    gradient=lambda b: b.g * b.result * (1 - b.result),
):
    """1 / (1 + e^-x), elementwise, without overflow."""


class SwishOp(UnaryOp, onnx="Swish-24"):
    """x / (1 + e^(-alpha x)), elementwise."""

    @staticmethod
    def compute(input: Array, *, alpha: float = 1.0) -> Array:
        return input * sigmoid(input * alpha)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, alpha: float) -> Scalar:
        return x * f.sigmoid(x * alpha)

    @staticmethod
    def gradient(b: Backward) -> Any:
        part = b.emit(SigmoidOp, b.input * b.alpha)
        return b.g * (part + b.result * (1 - part) * b.alpha)


class ShrinkOp(UnaryOp, onnx="Shrink-9", elements=NUMBER):
    """
    x + bias below -lambd, x - bias above lambd, 0 between, elementwise.

    Integers are shifted in f64 and converted as graph.cast does.
    """

    @staticmethod
    def compute(input: Array, *, bias: float = 0.0, lambd: float = 0.5) -> Array:
        shifted = [input + bias, input - bias]
        result = np.select([input < -lambd, input > lambd], shifted, 0)
        return convert(result, input.dtype)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, bias: float, lambd: float) -> Scalar:
        compared = compute_type(x.element) if is_float(x.element) else f64
        wide = f.convert(x, compared)
        above = f.select(wide > lambd, wide - bias, 0)
        return f.convert(f.select(wide < -lambd, wide + bias, above), x.element)

    @staticmethod
    def gradient(b: Backward) -> Any:
        is_moved = (b.input < -b.lambd) | (b.input > b.lambd)
        return b.xp.where(is_moved, b.g, 0)


class GeluOp(UnaryOp, onnx="Gelu-20"):
    """
    x times the normal distribution function at x, elementwise.

    With approximate = "tanh", x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Errors: approximate other than none or tanh.

    ```mlir
    %y = graph.gelu %x {approximate = "tanh"}
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    @staticmethod
    def compute(
        input: Array, *, approximate: Literal["none", "tanh"] = "none"
    ) -> Array:
        if approximate == "none":
            return input * 0.5 * (1 + erf(input * np.sqrt(0.5).item()))
        inner = np.sqrt(2 / np.pi).item() * (input + 0.044715 * input**3)
        return input * 0.5 * (1 + np.tanh(inner))

    @staticmethod
    def rule(f: Functions, x: Scalar, *, approximate: str) -> Scalar:
        if approximate == "tanh":
            cubic = x + x * x * (x * 0.044715)
            part = f.tanh(cubic * math.sqrt(2 / math.pi))
        else:
            part = f.erf(x * (1 / math.sqrt(2)))
        return x * 0.5 * (1 + part)

    @staticmethod
    def gradient(b: Backward) -> Any:
        x = b.input
        if b.approximate == "none":
            below = (1 + b.emit(ErfOp, x * math.sqrt(0.5))) * 0.5
            return b.g * (below + x * b.xp.exp(x * x * -0.5) / math.sqrt(2 * math.pi))
        factor, cubic = math.sqrt(2 / math.pi), 0.044715
        part = b.xp.tanh((x + x * x * x * cubic) * factor)
        slope = (1 - part * part) * (x * x * (3 * cubic) + 1) * factor
        return b.g * (1 + part + x * slope) * 0.5


class PreluOp(ElementwiseOp, elements=NUMBER):
    """
    x, or slope * x where x is below 0, elementwise; NaN stays NaN.

    Shapes: input any, slope broadcasts to it, result as input.
    Errors: a slope that does not broadcast to the input, several element types.
    Source: ONNX PRelu-16.

    ```mlir
    %y = graph.prelu %x, %s
        : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
    ```
    """

    @classmethod
    def infer(cls, input: SSAValue, slope: SSAValue) -> AnyTensorType:
        shape = shape_of(input)
        check_broadcasts("slope", slope, shape)
        return tensor(same_element(input, slope), shape)

    @staticmethod
    def compute(input: Array, slope: Array) -> Array:
        return np.where(input < 0, slope * input, input)

    @staticmethod
    def rule(f: Functions, x: Scalar, slope: Scalar) -> Scalar:
        return f.select(x < 0, slope * x, x)

    @staticmethod
    def gradient(b: Backward) -> Any:
        is_below = b.input < 0
        by_slope = b.xp.where(is_below, b.g * b.input, 0)
        return b.xp.where(is_below, b.g * b.slope, b.g), by_slope
