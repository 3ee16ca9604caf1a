"""Choice, conversion and bounds of elements."""

from __future__ import annotations

from onnx import TensorProto
from xdsl.ir import SSAValue

from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.select import BitcastOp, CastOp, ClipOp, WhereOp
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op
from glow.importers.onnx.tensors import dtype_of_onnx
from glow.support.types import element_type_of, shape_of


@onnx_op("Where")
def where(node: Node) -> SSAValue:
    return node.emit(WhereOp, node.input(0), node.input(1), node.input(2))


@onnx_op("Cast")
def cast(node: Node) -> SSAValue:
    number = node.integer("to") if node.opset >= 6 else _number(node, "to")
    dtype = dtype_of_onnx(number, "the attribute to")
    node.ignore("saturate", "round_mode")  # they concern types of 8 bits only
    return node.emit(CastOp, node.input(0), to=element_type_of(dtype))


def _number(node: Node, name: str) -> int:
    """Return the element type that an attribute of old versions has by name."""
    found = node.string(name).upper()
    known: dict[str, int] = dict(TensorProto.DataType.items())
    if found not in known:
        node.invalid(f"no element type is called {node.string(name)!r}")
    return known[found]


@onnx_op("CastLike")
def cast_like(node: Node) -> SSAValue:
    node.ignore("saturate", "round_mode")
    return node.emit(CastOp, node.input(0), to=node.element(1))


@onnx_op("BitCast", since=26)
def bit_cast(node: Node) -> SSAValue:
    dtype = dtype_of_onnx(node.integer("to"), "the attribute to")
    if dtype.kind == "b":
        node.refuse("a result of bools")
    return node.emit(BitcastOp, node.input(0), to=element_type_of(dtype))


@onnx_op("Clip")
def clip_by_attributes(node: Node) -> SSAValue:
    bounds = [
        node.literal(node.real(name), node.dtype(0)) if node.has(name) else None
        for name in ("min", "max")
    ]
    return node.emit(ClipOp, node.input(0), *bounds)


@onnx_op("Clip", since=11)
def clip(node: Node) -> SSAValue:
    bounds = [_scalar(node, node.optional(index)) for index in (1, 2)]
    return node.emit(ClipOp, node.input(0), *bounds)


def _scalar(node: Node, bound: SSAValue | None) -> SSAValue | None:
    """Return a bound without axes; ONNX Runtime takes a list of one as well."""
    if bound is not None and shape_of(bound) == (1,):
        return node.emit(ReshapeOp, bound, shape=())
    return bound
