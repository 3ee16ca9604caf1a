"""Cumulative sums and products, and triangles of matrices."""

from __future__ import annotations

from glow.dialects.graph.scanning import CumsumOp, TriluOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.support.types import normalize_axis


@onnx_op("CumSum")
def cumsum(node: Node) -> Tensor:
    axes = node.known_ints(1, "axis") or ()
    if len(axes) != 1:
        node.invalid(f"expected one axis, got {list(axes)}")
    return node.emit(
        CumsumOp,
        node.input(0),
        axis=axes[0],
        exclusive=node.flag("exclusive"),
        reverse=node.flag("reverse"),
    )


@onnx_op("CumProd")
def cumprod(node: Node) -> Tensor:
    """Each element times the one 1, then 2, then 4 places before it, and so on."""
    axes, product = node.known_ints(1, "axis") or (), node.input(0)
    if len(axes) != 1:
        node.invalid(f"expected one axis, got {list(axes)}")
    axis = normalize_axis(axes[0], product.ndim)
    sign = -1 if node.flag("reverse") else 1
    if node.flag("exclusive") and product.shape[axis]:
        product = _moved(product, axis, sign)
    step = 1
    while step < product.shape[axis]:
        product = product * _moved(product, axis, sign * step)
        step *= 2
    return product


def _moved(value: Tensor, axis: int, step: int) -> Tensor:
    """Return `value` as many places along `axis`; ones come in, what falls out goes."""
    rank = value.ndim
    pads = [0] * (2 * rank)
    pads[axis], pads[rank + axis] = step, -step
    return emit(PadOp, value, 1, pads=pads)


@onnx_op("Trilu")
def trilu(node: Node) -> Tensor:
    upper = node.flag("upper")
    return node.emit(TriluOp, node.input(0), node.optional(1), upper=upper)
