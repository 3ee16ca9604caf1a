"""
Decision trees as tables, which all rows descend at once.

A tensor [rows, trees] holds the node that each row has come to in each tree, and a step
replaces it by one of its children. A leaf is its own child, so there are as many steps
as the deepest tree has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.indexing import GatherElementsOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node

LEAF = "LEAF"
COMPARISONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "BRANCH_LEQ": lambda x, value: x <= value,
    "BRANCH_LT": lambda x, value: x < value,
    "BRANCH_GTE": lambda x, value: x >= value,
    "BRANCH_GT": lambda x, value: x > value,
    "BRANCH_EQ": lambda x, value: x == value,
    "BRANCH_NEQ": xp.not_equal,
}
REDUCTIONS: dict[str, Callable[..., Tensor]] = {
    "SUM": xp.sum,
    "AVERAGE": xp.mean,
    "MIN": xp.min,
    "MAX": xp.max,
}
Children = NDArray[np.int64]


@dataclass
class Trees:
    """
    Nodes of all trees, in tables by one numbering; a leaf is its own child.

    `weights` has a row for each node and a column for each target, and NaN where a leaf
    has no weight for a target.
    """

    roots: list[int]
    modes: list[str]
    features: Children
    values: NDArray[Any]
    when_true: Children
    when_false: Children
    absent_is_true: NDArray[np.bool_]
    weights: NDArray[Any]

    @property
    def depth(self) -> int:
        """The most steps from a root to a leaf; ValueError if nodes go in circles."""
        level = np.array(self.roots, np.int64)
        for steps in range(len(self.modes) + 1):
            inner = level[[self.modes[i] != LEAF for i in level]]
            if not inner.size:
                return steps
            level = np.unique(np.append(self.when_true[inner], self.when_false[inner]))
        raise ValueError("expected trees, got nodes that go in circles")

    def leaves(self, node: Node, x: Tensor) -> Tensor:
        """Return the leaf of each row of `x` in each tree."""

        def table(array: Any, at: Tensor) -> Tensor:
            return xp.take(node.literal(array), at)

        roots = np.array(self.roots, np.int64)
        at = xp.broadcast_to(node.literal(roots), (x.shape[0], len(roots)))
        inner = {mode for mode in self.modes if mode != LEAF}
        for _ in range(self.depth):
            feature = node.emit(GatherElementsOp, x, table(self.features, at), axis=1)
            value = table(self.values.astype(x.dtype), at)
            goes = self._tests(node, feature, value, at, inner)
            if self.absent_is_true.any():
                tracks = table(self.absent_is_true, at)
                goes = goes | (xp.isnan(feature) & tracks)
            at = xp.where(goes, table(self.when_true, at), table(self.when_false, at))
        return at

    def _tests(
        self, node: Node, x: Tensor, value: Tensor, at: Tensor, modes: set[str]
    ) -> Tensor:
        """Return which rows take the way of true, in each tree."""
        (first, *others) = sorted(modes)
        goes = COMPARISONS[first](x, value)
        for mode in others:
            is_so = np.array([each == mode for each in self.modes])
            chosen = xp.take(node.literal(is_so), at)
            goes = xp.where(chosen, COMPARISONS[mode](x, value), goes)
        return goes

    def scores(self, node: Node, x: Tensor, aggregate: str, dtype: Any) -> Tensor:
        """Return what the leaves of each row give for each target: [rows, targets]."""
        leaves = self.leaves(node, x)
        nothing = {"MIN": np.inf, "MAX": -np.inf}.get(aggregate, 0.0)
        columns: list[Tensor] = []
        for column in self.weights.T:  # a tensor [rows, trees] for each target
            weights = np.where(np.isnan(column), nothing, column).astype(dtype)
            taken = xp.take(node.literal(weights), leaves)
            score = REDUCTIONS[aggregate](taken, axis=1, keepdims=True)
            if nothing:  # of all leaves
                score = xp.where(xp.not_equal(score, nothing), score, 0)
            columns.append(score)
        return columns[0] if len(columns) == 1 else xp.concat(columns, axis=1)
