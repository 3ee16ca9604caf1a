"""Operators written as others: hardmax and normalization by a norm."""

from __future__ import annotations

from math import prod

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.reduction import ReduceL1Op, ReduceL2Op
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import normalize_axis

MAX_MASK = 1 << 24  # elements of a constant that is made at import


@onnx_op("Hardmax")
def flattening_hardmax(node: Node) -> Tensor:
    """Hardmax over all axes from `axis` on, taken together."""
    shape, axis = node.shape(0), node.integer("axis")
    axis = axis if axis == len(shape) else normalize_axis(axis, len(shape))
    flat = node.input(0).reshape(prod(shape[:axis]), prod(shape[axis:]))
    return _hardmax(node, flat, 1).reshape(*shape)


@onnx_op("Hardmax", since=13)
def hardmax(node: Node) -> Tensor:
    axis = normalize_axis(node.integer("axis"), len(node.shape(0)))
    return _hardmax(node, node.input(0), axis)


def _hardmax(node: Node, value: Tensor, axis: int) -> Tensor:
    best = xp.argmax(value, axis, keepdims=True)
    places = _counted(node, value.shape[axis], value.ndim, axis)
    return (places == best).astype(value.element)


@onnx_op("LpNormalization")
def lp_normalization(node: Node) -> Tensor:
    value, p = node.input(0), node.integer("p")
    if p not in (1, 2):
        node.invalid(f"expected p out of 1, 2, got {p}")
    op = ReduceL1Op if p == 1 else ReduceL2Op
    axis = normalize_axis(node.integer("axis"), value.ndim)
    norm = node.emit(op, value, axes=(axis,), keepdims=True)
    return xp.where(norm == 0, 0, value / norm)


def _counted(node: Node, count: int, rank: int, axis: int) -> Tensor:
    """Return 0, 1, ... along `axis` of a tensor that broadcasts to `rank` axes."""
    if count > MAX_MASK:
        node.refuse(f"{count} places, more than {MAX_MASK}")
    shape = [count if i == axis else 1 for i in range(rank)]
    return node.literal(np.arange(count).reshape(shape))
