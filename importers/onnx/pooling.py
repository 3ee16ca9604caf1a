"""Pools, and the inverse of one."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.global_pooling import GlobalLpPoolOp
from glow.dialects.graph.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.graph.scattering import ScatterElementsOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.products import padding_of
from glow.importers.onnx.registry import Outputs, onnx_op
from glow.importers.onnx.tensors import check_extents

POOLS: dict[str, type[GraphOp]] = {"AveragePool": AvgPoolOp, "MaxPool": MaxPoolOp}


@onnx_op(*POOLS)
def pool(node: Node) -> Outputs:
    return _pool(node, POOLS[node.record.op_type])


@onnx_op("LpPool")
def lp_pool(node: Node) -> Outputs:
    return _pool(node, LpPoolOp, p=_norm(node))


@onnx_op("GlobalLpPool")
def global_lp_pool(node: Node) -> Outputs:
    return node.apply(GlobalLpPoolOp, p=_norm(node))


def _pool(node: Node, op: type[GraphOp], **given: Any) -> Outputs:
    kernel, spatial = node.integers("kernel_shape") or (), node.shape(0)[2:]
    if len(kernel) != len(spatial):
        node.invalid(
            f"expected kernel_shape of {len(spatial)} entries, got {list(kernel)}"
        )
    return node.apply(op, pads=padding_of(node, kernel), **given)


def _norm(node: Node) -> int:
    """Return which norm; the first version had a float."""
    if node.opset >= 2:
        return node.integer("p")
    p = node.real("p")
    if not p.is_integer():
        node.refuse(f"p={p}")
    return int(p)


@onnx_op("MaxUnpool")
def max_unpool(node: Node) -> Tensor:
    """Zeros, and each maximum where its index in the whole result says."""
    maxima, rank = node.input(0), len(node.shape(0)) - 2
    kernel = node.integers("kernel_shape") or ()
    strides = node.integers("strides") or (1,) * rank
    pads = node.integers("pads") or (0,) * (2 * rank)
    if {len(kernel), len(strides), len(pads) / 2} != {rank}:
        node.invalid(f"expected {rank} entries of kernel_shape, strides and pads")
    shape = list(maxima.shape[:2])
    for axis in range(rank):
        taken = pads[axis] + pads[rank + axis]
        extent = (maxima.shape[2 + axis] - 1) * strides[axis] + kernel[axis] - taken
        shape.append(extent)
    check_extents(tuple(shape), maxima.dtype.itemsize, "the result")
    zeros = np.broadcast_to(np.zeros((), maxima.dtype), (prod(shape),))
    flat = node.emit(
        ScatterElementsOp,
        node.literal(zeros),
        node.input(1).reshape(maxima.size),
        maxima.reshape(maxima.size),
        axis=0,
    )
    whole = node.known_ints(2, "an output shape") or tuple(shape)
    if len(whole) != len(shape):
        node.invalid(f"expected an output shape of {rank + 2} entries, got {whole}")
    behind = [new - old for new, old in zip(whole, shape, strict=True)]
    pads = (*(0,) * len(shape), *behind)
    return node.emit(PadOp, flat.reshape(*shape), 0, pads=pads)
