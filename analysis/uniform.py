"""Known values that are one number in every element."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from glow.analysis.constants import Constant, constant_behind
from glow.dialects.graph.base import Array
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ExpandOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.slicing import SliceOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import unpack

MOVING = (
    ReshapeOp
    | TransposeOp
    | ExpandOp
    | TileOp
    | SliceOp
    | SpaceToDepthOp
    | DepthToSpaceOp
    | TransformOp
)
"""Ops whose elements are all elements of their one operand."""


def uniform_element(value: SSAValue) -> Array | None:
    """Return the one element that `value` is known to repeat, or None."""
    while isinstance(value.owner, MOVING):
        value = value.owner.input
    constant = constant_behind(value)
    return None if constant is None else element_of_constant(constant)


def element_of_constant(constant: Constant) -> Array | None:
    """
    Return the one element that `constant` repeats, or None.

    Bits are compared: one NaN is not the other, and -0.0 is not 0.0.
    """
    array = tensor_of(constant)
    if array is None or array.size == 0:
        return None
    if not any(array.strides):
        return array.reshape(-1)[:1].reshape(())
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.itemsize}")
    if bits[0] != bits[-1] or (bits != bits[0]).any():
        return None
    return array[(0,) * array.ndim].reshape(())


def tensor_of(constant: Constant) -> Array | None:
    """Return the tensor that `constant` holds, or None if its bytes are not here."""
    if isinstance(constant, LiteralOp):
        return constant.array
    array, layout = constant.array, layout_of(constant.type)
    if array is None or layout is None:
        return array
    return unpack(layout, array, constant.type.get_shape())
