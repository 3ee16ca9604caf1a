"""TopK."""

from __future__ import annotations

from glow.dialects.graph.ranking import TopKOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import Outputs, onnx_op


@onnx_op("TopK")
def top_k_by_attribute(node: Node) -> Outputs:
    return _top_k(node, node.integer("k"), largest=True)


@onnx_op("TopK", since=10)
def top_k_of_input(node: Node) -> Outputs:
    return _top_k(node, _count(node), largest=True)


@onnx_op("TopK", since=11)
def top_k(node: Node) -> Outputs:
    node.ignore("sorted")  # else any order will do: the best first, too
    return _top_k(node, _count(node), largest=node.flag("largest"))


def _count(node: Node) -> int:
    counts = node.known_ints(1, "k") or ()
    if len(counts) != 1:
        node.invalid(f"expected one k, got {list(counts)}")
    return counts[0]


def _top_k(node: Node, k: int, *, largest: bool) -> Outputs:
    """Emit a `top_k` with those results that are read."""
    with_indices = node.is_read(1)
    with_values = node.is_read(0) or not with_indices
    results = node.emit_all(
        TopKOp,
        node.input(0),
        k=k,
        axis=node.integer("axis"),
        largest=largest,
        with_values=with_values,
        with_indices=with_indices,
    )
    return results if with_values else (None, *results)
