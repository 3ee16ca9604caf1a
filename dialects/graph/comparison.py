"""Elementwise comparisons of two tensors, which broadcast; NaN compares as false."""

import numpy as np
from xdsl.dialects.builtin import i1

from glow.dialects.graph.elementwise import BinaryOp
from glow.support.types import COMPUTED


class EqualOp(
    BinaryOp,
    onnx="Equal-19",
    elements=COMPUTED,
    result=i1,
    compute=np.equal,
    rule=lambda f, x, y: x == y,
):
    """Whether lhs equals rhs; 0.0 equals -0.0."""


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
