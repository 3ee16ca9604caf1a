"""Pools."""

from __future__ import annotations

from typing import Any

from glow.dialects.graph.auto_pad import resolve_auto_pad
from glow.dialects.graph.global_pooling import (
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
)
from glow.dialects.graph.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("MaxPool")
def max_pool(node: Node) -> tuple[Tensor, ...]:
    return node.emit_all(
        MaxPoolOp,
        node.input(0),
        **_window(node),
        storage_order=node.integer("storage_order", 0),
        with_indices=node.is_read(1),
    )


@onnx_op("AveragePool")
def average_pool(node: Node) -> Tensor:
    include = node.integer("count_include_pad", 0) != 0
    return node.emit(
        AvgPoolOp, node.input(0), **_window(node), count_include_pad=include
    )


@onnx_op("LpPool")
def lp_pool(node: Node) -> Tensor:
    return node.emit(LpPoolOp, node.input(0), **_window(node), p=_norm(node))


@onnx_op("GlobalAveragePool")
def global_average_pool(node: Node) -> Tensor:
    return node.emit(GlobalAvgPoolOp, node.input(0))


@onnx_op("GlobalMaxPool")
def global_max_pool(node: Node) -> Tensor:
    return node.emit(GlobalMaxPoolOp, node.input(0))


@onnx_op("GlobalLpPool")
def global_lp_pool(node: Node) -> Tensor:
    return node.emit(GlobalLpPoolOp, node.input(0), p=_norm(node))


def _norm(node: Node) -> int:
    """Return which norm; the first version had a float."""
    if node.opset >= 2:
        return node.integer("p")
    p = node.real("p")
    if not p.is_integer():
        node.refuse(f"p={p}")
    return int(p)


def _window(node: Node) -> dict[str, Any]:
    """Return how the kernel moves, as the parameters of a pool."""
    kernel, spatial = node.integers("kernel_shape") or (), node.shape(0)[2:]
    if len(kernel) != len(spatial):
        node.invalid(
            f"expected kernel_shape of {len(spatial)} entries, got {list(kernel)}"
        )
    strides, dilations = node.integers("strides"), node.integers("dilations")
    pads = resolve_auto_pad(
        node.string("auto_pad"),
        spatial,
        kernel,
        strides,
        dilations,
        node.integers("pads"),
    )
    return {
        "kernel_shape": kernel,
        "strides": strides,
        "dilations": dilations,
        "pads": pads,
        "ceil_mode": node.integer("ceil_mode", 0) != 0,
    }
