"""Where, Cast and Clip."""

from __future__ import annotations

from onnx import TensorProto

from glow.dialects.graph.select import BitcastOp, CastOp, ClipOp, WhereOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.importers.onnx.tensors import dtype_of_onnx
from glow.support.types import element_type_of


@onnx_op("Where")
def where(node: Node) -> Tensor:
    return node.emit(WhereOp, node.input(0), node.input(1), node.input(2))


@onnx_op("Cast")
def cast(node: Node) -> Tensor:
    number = node.integer("to") if node.opset >= 6 else _number(node, "to")
    dtype = dtype_of_onnx(number, "the attribute to")
    node.ignore("saturate", "round_mode")  # they concern types of 8 bits only
    return node.emit(CastOp, node.input(0), to=element_type_of(dtype))


def _number(node: Node, name: str) -> int:
    """Return the element type that an attribute of old versions has by name."""
    kind = node.string(name).upper()
    known: dict[str, int] = dict(TensorProto.DataType.items())
    if kind not in known:
        node.invalid(f"no element type is called {node.string(name)!r}")
    return known[kind]


@onnx_op("CastLike")
def cast_like(node: Node) -> Tensor:
    node.ignore("saturate", "round_mode")
    return node.emit(CastOp, node.input(0), to=node.element(1))


@onnx_op("BitCast", since=26)
def bit_cast(node: Node) -> Tensor:
    dtype = dtype_of_onnx(node.integer("to"), "the attribute to")
    if dtype.kind == "b":
        node.refuse("a result of bools")
    return node.emit(BitcastOp, node.input(0), to=element_type_of(dtype))


@onnx_op("Clip")
def clip_by_attributes(node: Node) -> Tensor:
    bounds = [
        node.literal(node.real(name), node.dtype(0)) if node.has(name) else None
        for name in ("min", "max")
    ]
    return node.emit(ClipOp, node.input(0), *bounds)


@onnx_op("Clip", since=11)
def clip(node: Node) -> Tensor:
    bounds = [_scalar(node.optional(index)) for index in (1, 2)]
    return node.emit(ClipOp, node.input(0), *bounds)


def _scalar(bound: Tensor | None) -> Tensor | None:
    """Return a bound without axes; ONNX Runtime takes a list of one as well."""
    return bound.reshape() if bound is not None and bound.shape == (1,) else bound
