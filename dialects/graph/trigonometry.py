"""Trigonometric and hyperbolic functions and their inverses, elementwise."""

import numpy as np

from glow.dialects.graph.elementwise import UnaryOp


class SinOp(UnaryOp, onnx="Sin-22", compute=np.sin, rule="math.sin"):
    """The sine of x, an angle in radians, elementwise."""


class CosOp(UnaryOp, onnx="Cos-22", compute=np.cos, rule="math.cos"):
    """The cosine of x, an angle in radians, elementwise."""


class TanOp(UnaryOp, onnx="Tan-22", compute=np.tan, rule="math.tan"):
    """The tangent of x, an angle in radians, elementwise."""


class AsinOp(UnaryOp, onnx="Asin-22", compute=np.arcsin, rule="math.asin"):
    """The angle in [-pi/2, pi/2] whose sine is x, elementwise; NaN outside [-1, 1]."""


class AcosOp(UnaryOp, onnx="Acos-22", compute=np.arccos, rule="math.acos"):
    """The angle in [0, pi] whose cosine is x, elementwise; NaN outside [-1, 1]."""


class AtanOp(UnaryOp, onnx="Atan-22", compute=np.arctan, rule="math.atan"):
    """The angle in [-pi/2, pi/2] whose tangent is x, elementwise."""


class SinhOp(UnaryOp, onnx="Sinh-22", compute=np.sinh, rule="math.sinh"):
    """The hyperbolic sine of x, elementwise."""


class CoshOp(UnaryOp, onnx="Cosh-22", compute=np.cosh, rule="math.cosh"):
    """The hyperbolic cosine of x, elementwise."""


class TanhOp(UnaryOp, onnx="Tanh-13", compute=np.tanh, rule="math.tanh"):
    """The hyperbolic tangent of x, elementwise."""


class AsinhOp(UnaryOp, onnx="Asinh-22", compute=np.arcsinh, rule="math.asinh"):
    """The number whose hyperbolic sine is x, elementwise."""


class AcoshOp(UnaryOp, onnx="Acosh-22", compute=np.arccosh, rule="math.acosh"):
    """The number whose hyperbolic cosine is x, elementwise; NaN below 1."""


class AtanhOp(UnaryOp, onnx="Atanh-22", compute=np.arctanh, rule="math.atanh"):
    """The number whose hyperbolic tangent is x, elementwise; NaN outside [-1, 1]."""
