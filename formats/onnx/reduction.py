"""Reductions, rankings, and running sums and products along axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from glow.dialects.graph.along_axis import CumsumOp, TopKOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import declared
from glow.dialects.graph.reduction import ReductionOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.formats.onnx.element_types import wider_types
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.one_to_one import widened
from glow.formats.onnx.problems import Unsupported
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.support.types import normalize_axis

REDUCTIONS = declared(ReductionOp)


@onnx_op(*REDUCTIONS)
def reduction(node: Node) -> Tensor:
    axes = node.list_of("axes", 1)
    keepdims = node.flag("keepdims")
    if node.integer("noop_with_empty_axes", 0) and not axes:
        axes = ()
    elif not axes:
        axes = tuple(range(len(node.shape(0))))
    op = REDUCTIONS[node.record.op_type]
    return node.emit(op, node.input(0), axes=axes, keepdims=keepdims)


_REDUCTION_NAMES: dict[type[GraphOp], str] = {op: n for n, op in REDUCTIONS.items()}


@onnx_form(*_REDUCTION_NAMES)
def reduction_node(
    op: ReductionOp, out: NodeWriter
) -> OnnxValue | Sequence[OnnxValue | None]:
    """An op without axes is one with `noop_with_empty_axes`: ONNX would reduce all."""
    name = _REDUCTION_NAMES[type(op)]
    if wider_types(out.schema(name), [op.input]):
        return out.function(op, widened(name))
    if out.has(name, "axes"):
        if not op.axes:
            raise Unsupported(f"{name} over no axis in opset {out.opset}")
        return out.node(name, op.input, keepdims=op.keepdims, axes=op.axes)
    none = None if op.axes else True
    given = op.input, op.axes
    return out.node(name, *given, keepdims=op.keepdims, noop_with_empty_axes=none)


@onnx_op("TopK", since=10)
@onnx_op("TopK", since=11)
def top_k(node: Node) -> Outputs:
    node.ignore("sorted")  # else any order will do: the best first, too
    return node.apply(TopKOp, k=_one(node, "k"))


@onnx_form(TopKOp)
def top_k_node(op: TopKOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    given = {"axis": op.axis, "largest": op.largest}
    made = out.outputs([True, True], "TopK", op.input, [op.k], **given)
    slots = op.values, op.indices
    return [each for each, slot in zip(made, slots, strict=True) if slot is not None]


@onnx_op("CumSum")
def cumsum(node: Node) -> Outputs:
    return node.apply(CumsumOp, axis=_one(node, "axis"))


@onnx_form(CumsumOp)
def cumsum_node(op: CumsumOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.as_node("CumSum", op, op.input, np.array(op.axis), axis=None)


def _one(node: Node, name: str) -> int:
    """Return the integer that input 1 is."""
    given = node.known_ints(1, name) or ()
    if len(given) != 1:
        node.invalid(f"expected one {name}, got {list(given)}")
    return given[0]


@onnx_op("CumProd")
def cumprod(node: Node) -> Tensor:
    """Each element times the one 1, then 2, then 4 places before it, and so on."""
    product = node.input(0)
    axis = normalize_axis(_one(node, "axis"), product.ndim)
    sign = -1 if node.flag("reverse") else 1
    if node.flag("exclusive") and product.shape[axis]:
        product = _moved(product, axis, sign)
    step = 1
    while step < product.shape[axis]:
        product = product * _moved(product, axis, sign * step)
        step *= 2
    return product


def _moved(value: Tensor, axis: int, step: int) -> Tensor:
    """Return `value` shifted by `step` places along `axis`; ones fill the gap."""
    rank = value.ndim
    pads = [0] * (2 * rank)
    pads[axis], pads[rank + axis] = step, -step
    return emit(PadOp, value, 1, pads=pads)
