"""Operators that are made of others here."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from glow.dialects.graph.arg_reduction import ArgMaxOp
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.comparison import EqualOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.reduction import ReduceL1Op, ReduceL2Op
from glow.dialects.graph.select import CastOp, WhereOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import normalize_axis, shape_of

MAX_MASK = 1 << 24  # elements of a constant that is made at import


@onnx_op("Hardmax")
def flattening_hardmax(node: Node) -> SSAValue:
    """Hardmax over all axes from `axis` on, taken together."""
    shape, axis = node.shape(0), node.integer("axis")
    axis = axis if axis == len(shape) else normalize_axis(axis, len(shape))
    flat = (prod(shape[:axis]), prod(shape[axis:]))
    value = node.emit(ReshapeOp, node.input(0), shape=flat)
    return node.emit(ReshapeOp, _hardmax(node, value, 1), shape=shape)


@onnx_op("Hardmax", since=13)
def hardmax(node: Node) -> SSAValue:
    axis = normalize_axis(node.integer("axis"), len(node.shape(0)))
    return _hardmax(node, node.input(0), axis)


def _hardmax(node: Node, value: SSAValue, axis: int) -> SSAValue:
    """cast(index == arg_max(x))"""
    shape = shape_of(value)
    best = node.emit(ArgMaxOp, value, axis=axis, keepdims=True)
    places = _counted(node, shape[axis], len(shape), axis)
    hit = node.emit(EqualOp, places, best)
    return node.emit(CastOp, hit, to=node.element(0))


@onnx_op("LpNormalization")
def lp_normalization(node: Node) -> SSAValue:
    """where(norm == 0, 0, x / norm)"""
    value, p = node.input(0), node.integer("p")
    if p not in (1, 2):
        node.invalid(f"expected p out of 1, 2, got {p}")
    op = ReduceL1Op if p == 1 else ReduceL2Op
    axis = normalize_axis(node.integer("axis"), len(node.shape(0)))
    norm = node.emit(op, value, axes=(axis,), keepdims=True)
    zero = node.literal(0, node.dtype(0))
    nothing = node.emit(EqualOp, norm, zero)
    return node.emit(WhereOp, nothing, zero, node.emit(DivOp, value, norm))


def _counted(node: Node, count: int, rank: int, axis: int) -> SSAValue:
    """Return 0, 1, ... along `axis` of a tensor that broadcasts to `rank` axes."""
    if count > MAX_MASK:
        node.refuse(f"{count} places, more than {MAX_MASK}")
    shape = [count if i == axis else 1 for i in range(rank)]
    return node.literal(np.arange(count).reshape(shape))
