"""Matrix products, convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalLpPoolOp,
    LpPoolOp,
    MaxPoolOp,
    PoolOp,
)
from glow.dialects.graph.scattering import ScatterElementsOp
from glow.dialects.graph.slicing import PadOp
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.window import (
    Ints,
    Window,
    resolve_auto_pad,
    resolve_output_shape,
)
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.registry import Outputs, onnx_form, onnx_op
from glow.formats.onnx.tensors import check_extents
from glow.support.arrays import check_room
from glow.support.dtypes import is_floating
from glow.support.types import shape_of

_POOL_NAMES: dict[type[GraphOp], str] = {
    AvgPoolOp: "AveragePool",
    GlobalLpPoolOp: "GlobalLpPool",
    LpPoolOp: "LpPool",
    MaxPoolOp: "MaxPool",
}
POOLS: dict[str, type[GraphOp]] = {"AveragePool": AvgPoolOp, "MaxPool": MaxPoolOp}


@onnx_op("Gemm")
def gemm(node: Node) -> Tensor:
    """(alpha lhs) @ rhs + beta bias, or lhs @ (alpha rhs) where rhs is a constant."""
    lhs, rhs, bias = node.input(0), node.input(1), node.optional(2)
    alpha, beta = node.real("alpha"), node.real("beta")
    for index in (0, 1):
        if len(node.shape(index)) != 2:
            node.invalid(f"expected a matrix, got {node.input(index).type}")
    if node.constant(1) is None:
        lhs = _scaled(node, lhs, alpha)
    else:
        rhs = _scaled(node, rhs, alpha)
    if node.opset < 7 and not node.flag("broadcast") and bias is not None:
        rows, columns = node.shape(0), node.shape(1)
        shape = (rows[node.flag("transA")], columns[not node.flag("transB")])
        if bias.shape != shape:
            node.invalid(f"expected a C of shape {list(shape)}, got {bias.type}")
    if bias is not None:
        bias = None if beta == 0 else _scaled(node, bias, beta)
    turned = {
        "transpose_lhs": node.flag("transA"),
        "transpose_rhs": node.flag("transB"),
    }
    return node.emit(MatMulOp, lhs, rhs, bias, **turned)


@onnx_form(MatMulOp)
def product(op: MatMulOp, out: NodeWriter) -> OnnxValue | Sequence[OnnxValue | None]:
    """MatMul or Gemm, which is of matrices and knows no integers below 32 bits."""
    if op.bias is None and not op.transpose_lhs and not op.transpose_rhs:
        return out.node("MatMul", op.lhs, op.rhs)
    if len(shape_of(op.lhs)) == len(shape_of(op.rhs)) == 2:
        turned = {"transA": op.transpose_lhs, "transB": op.transpose_rhs}
        return out.node("Gemm", op.lhs, op.rhs, op.bias, **turned)
    return out.function(op, _turned_product)


def _turned_product(op: MatMulOp, out: NodeWriter) -> OnnxValue:
    """Transposes, a product of batches, and an addition."""
    lhs, rhs = out.tensor(op.lhs), out.tensor(op.rhs)
    lhs = xp.matrix_transpose(lhs) if op.transpose_lhs else lhs
    rhs = xp.matrix_transpose(rhs) if op.transpose_rhs else rhs
    result = lhs @ rhs
    return result if op.bias is None else result + op.bias


def _scaled(node: Node, value: Tensor, factor: float) -> Tensor:
    if factor == 1:
        return value
    dtype = node.dtype(0)
    if dtype.kind in "iu" and not _is_among(factor, np.iinfo(dtype)):
        node.refuse(f"a factor of {factor} on {dtype} elements")
    return value * factor


def _is_among(factor: float, limits: np.iinfo[np.integer]) -> bool:
    return factor.is_integer() and limits.min <= factor <= limits.max


@onnx_op("Conv")
def conv(node: Node) -> Outputs:
    return node.apply(ConvOp, pads=padding_of(node, kernel_of(node)))


@onnx_form(ConvOp)
def conv_node(op: ConvOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.as_node("Conv", op)


def padding_of(node: Node, kernel: Ints) -> Ints:
    """Return the explicit pads of a convolution or pool."""
    return resolve_auto_pad(
        node.string("auto_pad"),
        node.shape(0)[2:],
        kernel,
        node.integers("strides"),
        node.integers("dilations"),
        node.integers("pads"),
    )


@onnx_op("ConvTranspose")
def conv_transpose(node: Node) -> Outputs:
    kernel = kernel_of(node)
    sizes = {name: node.integers(name) for name in ("output_padding", "output_shape")}
    for name, values in sizes.items():
        if values is not None:
            node.check_entries(name, values, len(kernel))
    strides, pads = node.integers("strides"), node.integers("pads")
    pads, added = resolve_output_shape(
        node.choice("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"),
        node.shape(0)[2:],
        Window.of(kernel, strides, pads, node.integers("dilations")),
        *sizes.values(),
    )
    return node.apply(ConvTransposeOp, pads=pads, output_padding=added)


@onnx_form(ConvTransposeOp)
def conv_transpose_node(
    op: ConvTransposeOp, out: NodeWriter
) -> Sequence[OnnxValue | None]:
    return out.as_node("ConvTranspose", op)


def kernel_of(node: Node, filter: int = 1) -> Ints:
    """Return the extents of the filter, which kernel_shape may only repeat."""
    if len(node.shape(0)) < 3 or len(node.shape(0)) != len(node.shape(filter)):
        node.invalid(
            "expected an input and a filter of one rank of at least 3, "
            f"got {node.input(0).type} and {node.input(filter).type}"
        )
    kernel, said = node.shape(filter)[2:], node.integers("kernel_shape")
    if said is not None and said != kernel:
        node.invalid(f"expected kernel_shape {list(kernel)}, got {list(said)}")
    return kernel


@onnx_op("Col2Im")
def col2im(node: Node) -> Tensor:
    """A transposed convolution whose filter is 1 where a row of a column belongs."""
    columns = node.input(0)
    image = node.known_ints(1, "an image shape") or ()
    block = node.known_ints(2, "a block shape") or ()
    rank = len(block)
    strides = node.integers("strides") or (1,) * rank
    dilations = node.integers("dilations") or (1,) * rank
    pads = node.integers("pads") or (0,) * (2 * rank)
    lengths = (len(image), len(strides), len(dilations), len(pads) / 2)
    if set(lengths) != {rank} or min(*block, *strides, *dilations) < 1:
        node.invalid(f"expected {rank} positive entries for each axis of the image")
    if not is_floating(columns.dtype):
        node.refuse(f"elements of {columns.dtype}")
    room = [
        image[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1
        for i in range(rank)
    ]
    places = [space // stride + 1 for space, stride in zip(room, strides, strict=True)]
    size, batch = prod(block), columns.shape[0]
    if len(columns.shape) != 3 or columns.shape[2] != prod(places):
        node.invalid(
            f"expected columns of [N, C, {prod(places)}], got {list(columns.shape)}"
        )
    channels, rest = divmod(columns.shape[1], size)
    if rest or min(places) < 1:
        node.invalid(f"expected a multiple of {size} rows, got {columns.shape[1]}")
    itemsize = columns.dtype.itemsize
    check_room(channels * size * size * itemsize, "the filter of a Col2Im", share=4)
    ones = np.tile(np.eye(size, dtype=columns.dtype), (channels, 1))
    spread = columns.reshape(batch, channels * size, *places)
    return node.emit(
        ConvTransposeOp,
        spread,
        ones.reshape(channels * size, 1, *block),
        strides=strides,
        pads=pads,
        dilations=dilations,
        group=channels,
        output_padding=[s % stride for s, stride in zip(room, strides, strict=True)],
    )


@onnx_op(*POOLS)
def pool(node: Node) -> Outputs:
    return _pool(node, POOLS[node.record.op_type])


@onnx_form(MaxPoolOp, AvgPoolOp, LpPoolOp, GlobalLpPoolOp)
def pool_node(op: PoolOp, out: NodeWriter) -> Sequence[OnnxValue | None]:
    return out.as_node(_POOL_NAMES[type(op)], op)


@onnx_op("LpPool")
def lp_pool(node: Node) -> Outputs:
    return _pool(node, LpPoolOp, p=_norm(node))


@onnx_op("GlobalLpPool")
def global_lp_pool(node: Node) -> Outputs:
    return node.apply(GlobalLpPoolOp, p=_norm(node))


def _pool(node: Node, op: type[GraphOp], **given: Any) -> Outputs:
    kernel, spatial = node.integers("kernel_shape") or (), node.shape(0)[2:]
    node.check_entries("kernel_shape", kernel, len(spatial))
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
