"""Matrix products."""

from __future__ import annotations

import numpy as np

from glow.dialects.graph.einsum import EinsumOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.tensors import Tensor
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op


@onnx_op("MatMul")
def matmul(node: Node) -> Tensor:
    return node.emit(MatMulOp, node.input(0), node.input(1))


@onnx_op("Einsum")
def einsum(node: Node) -> Tensor:
    return node.emit(EinsumOp, node.given, equation=node.string("equation"))


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
    return node.emit(
        MatMulOp,
        lhs,
        rhs,
        bias,
        transpose_lhs=node.flag("transA"),
        transpose_rhs=node.flag("transB"),
    )


def _scaled(node: Node, value: Tensor, factor: float) -> Tensor:
    if factor == 1:
        return value
    dtype = node.dtype(0)
    if dtype.kind in "iu" and not _is_among(factor, np.iinfo(dtype)):
        node.refuse(f"a factor of {factor} on {dtype} elements")
    return value * factor


def _is_among(factor: float, limits: np.iinfo[np.integer]) -> bool:
    return factor.is_integer() and limits.min <= factor <= limits.max
