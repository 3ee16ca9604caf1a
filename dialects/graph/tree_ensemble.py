"""Ensembles of decision trees."""

from __future__ import annotations

from typing import Literal

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import (
    FLOAT,
    INDEX,
    element_of,
    shape_of,
    tensor,
    tensor_type,
)

_MOST_BITS = 31
_LEAST = {"sum": 0.0, "min": np.inf, "max": -np.inf}


class TreeEnsembleOp(
    GraphOp, elements=FLOAT, no_gradient="its result is constant between thresholds"
):
    """
    The sum, minimum or maximum of the leaves that each row reaches in all trees.

    A row starts at the root of each tree and takes `depth` steps, from a node to one of
    two neighbors among its children. Of the link of a node, the low `shift` bits are a
    feature, the others the first child: the second one is taken if that feature of the
    row is at most the threshold. A leaf is its own child, with the threshold NaN, which
    nothing is at most. Nodes and features beyond the last one are the last one.

    Shapes: input [R, F] of floats, roots [T] of i32, links [N] of i32 or i64,
    thresholds [N] as input, weights [N, C] of floats, result [R, C] as weights.
    Errors: other shapes and types, no feature, no node, N * C from 2^31 on, a shift
    outside [0, 31], a depth below 1, another aggregate.
    Source: ONNX-ML TreeEnsemble-5, with one kind of comparison.

    ```mlir
    %y = graph.tree_ensemble %x, %r, %l, %t, %w
        {shift = 2 : i64, depth = 1 : i64, aggregate = "sum"}
        : (tensor<8x4xf32>, tensor<1xi32>, tensor<3xi32>, tensor<3xf32>,
           tensor<3x2xf32>) -> tensor<8x2xf32>
    ```
    """

    @staticmethod
    def infer(
        input: SSAValue,
        roots: SSAValue,
        links: SSAValue,
        thresholds: SSAValue,
        weights: SSAValue,
        *,
        shift: int,
        depth: int,
    ) -> AnyTensorType:
        same_element(input, thresholds)
        rows, features = shape_of(input, 2)
        nodes, columns = shape_of(weights, 2)
        FLOAT.check(weights)
        INDEX.check(links)
        if element_of(roots) != i32 or len(shape_of(roots)) != 1:
            raise VerifyException(
                f"expected roots [T] of i32, got {tensor_type(roots)}"
            )
        check_shape("links", links, (nodes,))
        check_shape("thresholds", thresholds, (nodes,))
        if not features or not nodes or nodes * columns >= 1 << _MOST_BITS:
            raise VerifyException(
                "expected at least one feature, at least one node and fewer than 2^31 "
                f"weights, got {features}, {nodes} and {nodes * columns}"
            )
        if not 0 <= shift <= _MOST_BITS or depth < 1:
            raise VerifyException(
                f"expected a shift in [0, {_MOST_BITS}] and a depth from 1, "
                f"got {shift} and {depth}"
            )
        return tensor(element_of(weights), (rows, columns))

    @staticmethod
    def compute(
        input: Array,
        roots: Array,
        links: Array,
        thresholds: Array,
        weights: Array,
        *,
        shift: int,
        depth: int,
        aggregate: Literal["sum", "min", "max"] = "sum",
    ) -> Array:
        last, mask = np.uint32(len(links) - 1), links.dtype.type((1 << shift) - 1)
        children = (links >> links.dtype.type(shift)).astype(np.uint32)
        features = np.minimum(links & mask, input.shape[1] - 1)
        at = np.minimum(roots.astype(np.uint32), last)
        at = np.broadcast_to(at, (len(input), len(roots)))
        for _ in range(depth):
            values = np.take_along_axis(input, features[at].astype(np.int64), 1)
            taken = (values <= thresholds[at]).astype(np.uint32)
            at = np.minimum(children[at] + taken, last)
        combine = {"sum": np.add, "min": np.minimum, "max": np.maximum}[aggregate]
        shape = len(input), weights.shape[1]
        result = np.full(shape, _LEAST[aggregate], weights.dtype)
        for leaves in at.T:  # in the order of trees, as kernels do
            result = combine(result, weights[leaves])
        return result
