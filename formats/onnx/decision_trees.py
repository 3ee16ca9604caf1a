"""Decision trees of ONNX as the tables of `graph.tree_ensemble`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.binary import DivOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.dialects.graph.tree_ensemble import TreeEnsembleOp
from glow.formats.onnx.node import Node
from glow.formats.onnx.nodes import NodeWriter, OnnxValue
from glow.formats.onnx.registry import onnx_form

LEAF = "LEAF"
COMPARISONS = tuple(
    f"BRANCH_{name}" for name in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")
)
AGGREGATES = ("SUM", "AVERAGE", "MIN", "MAX")
NodeNumbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass
class Trees:
    """
    Nodes of all trees, numbered together, a table per field; a leaf is its own child.

    `weights` has a row for each node and a column for each target, and NaN where a leaf
    has no weight for a target.
    """

    roots: list[int]
    modes: list[str]
    features: NodeNumbers
    values: NDArray[Any]
    when_true: NodeNumbers
    when_false: NodeNumbers
    absent_is_true: Flags
    weights: NDArray[Any]

    def scores(self, node: Node, x: Tensor, aggregate: str, dtype: Any) -> Tensor:
        """
        Return what the leaves of each row give for each target: [rows, targets].

        Errors: ValueError for nodes that form a cycle.
        """
        nodes = _Nodes.of(self, np.dtype(x.dtype))
        depth = nodes.depth()
        table = nodes.table()
        features = nodes.features
        absent = nodes.absent[~nodes.is_leaf]
        if absent.any():
            least = xp.where(xp.isnan(x), -np.inf, x)
            features = features + nodes.absent * (0 if absent.all() else x.shape[1])
            x = least if absent.all() else xp.concat([x, least], axis=1)
        nothing = {"MIN": np.inf, "MAX": -np.inf}.get(aggregate, 0.0)
        weights = np.where(np.isnan(self.weights), nothing, self.weights)
        shift = int(features.max()).bit_length()
        links = table.children << shift | features[table.nodes]
        links = links.astype(np.int32 if links.max() < 1 << 31 else np.int64)
        scores = node.emit(
            TreeEnsembleOp,
            x,
            node.literal(table.roots.astype(np.int32)),
            node.literal(links),
            node.literal(nodes.values[table.nodes]),
            node.literal(weights[nodes.sources[table.nodes]].astype(dtype)),
            shift=shift,
            depth=max(1, depth),
            aggregate="sum" if aggregate == "AVERAGE" else aggregate.lower(),
        )
        if aggregate == "AVERAGE":
            return scores / len(self.roots)
        if nothing:  # for targets that no leaf has a weight for
            return xp.where(xp.not_equal(scores, nothing), scores, 0)
        return scores


@dataclass
class _Table:
    """
    Nodes in the order of trees, those of a tree by level, children side by side.

    `nodes` are their numbers in `_Nodes`, `children` the places of first children; the
    child of a leaf is itself.
    """

    roots: NodeNumbers
    nodes: NodeNumbers
    children: NodeNumbers


@dataclass
class _Nodes:
    """
    Nodes that all ask whether a feature is at most a value, or are leaves.

    An absent feature, NaN, is less than any value where `absent` is true, else greater.
    `sources` are the numbers of nodes in `Trees`, some of which become two.
    """

    roots: NodeNumbers
    is_leaf: Flags
    features: NodeNumbers
    values: NDArray[Any]
    when_true: NodeNumbers
    when_false: NodeNumbers
    absent: Flags
    sources: NodeNumbers

    @staticmethod
    def of(trees: Trees, dtype: np.dtype[Any]) -> _Nodes:
        """Return nodes that take the same branches, with values of `dtype`."""
        modes = np.array(trees.modes)
        values = trees.values.astype(dtype)
        tracks = trees.absent_is_true.copy()
        # x == v is x <= v, and then not x < v; x != v has the children swapped.
        differs = modes == "BRANCH_NEQ"
        equals = (modes == "BRANCH_EQ") | differs
        yes = np.where(differs, trees.when_false, trees.when_true)
        no = np.where(differs, trees.when_true, trees.when_false)
        tracks &= ~differs
        places = np.flatnonzero(equals)
        added = len(modes) + np.arange(len(places))
        second = no[places], yes[places]
        yes[places] = added
        modes = np.append(modes, np.full(len(places), "BRANCH_LT"))
        modes[places] = "BRANCH_LEQ"
        yes, no = np.append(yes, second[0]), np.append(no, second[1])
        values = np.append(values, values[places])
        tracks = np.append(tracks, np.zeros(len(places), np.bool_))
        sources = np.append(np.arange(len(trees.modes)), places)
        # No feature compares with NaN or is below -inf, but NaN may go the other way.
        modes[np.isnan(values) & (modes != LEAF)] = "BRANCH_LT"
        values[np.isnan(values)] = -np.inf
        lowest = values == -np.inf
        strict = np.isin(modes, ["BRANCH_LT", "BRANCH_GTE"])
        below = np.nextafter(values, np.array(-np.inf, dtype))
        values = np.where(strict, np.where(lowest, np.inf, below), values)
        # x > v and x >= v are not x <= v; NaN goes as before.
        turned = np.where(lowest & strict, modes == "BRANCH_LT", False)
        turned |= (modes == "BRANCH_GT") | ((modes == "BRANCH_GTE") & ~lowest)
        yes, no = np.where(turned, no, yes), np.where(turned, yes, no)
        is_leaf = modes == LEAF
        return _Nodes(
            np.array(trees.roots, np.int64),
            is_leaf,
            np.where(is_leaf, 0, trees.features[sources]),
            np.where(is_leaf, np.nan, values).astype(dtype),
            yes,
            no,
            (tracks ^ turned) & ~is_leaf,
            sources,
        )

    def depth(self) -> int:
        """Return the most steps from a root to a leaf."""
        level = self.roots
        for steps in range(len(self.is_leaf) + 1):
            inner = level[~self.is_leaf[level]]
            if not inner.size:
                return steps
            level = np.unique([self.when_true[inner], self.when_false[inner]])
        raise ValueError("expected trees, got nodes that form a cycle")

    def table(self) -> _Table:
        """Return the nodes in order; a child of several nodes is stored once."""
        pairs = np.full(len(self.is_leaf), -1)
        nodes, owners = [self.roots], [np.arange(len(self.roots))]
        count = len(self.roots)
        while True:
            level, owner = nodes[-1], owners[-1]
            is_new = ~self.is_leaf[level] & (pairs[level] < 0)
            level, first = np.unique(level[is_new], return_index=True)
            order = np.argsort(first)
            level, owner = level[order], owner[is_new][first[order]]
            if not level.size:
                break
            pairs[level] = count + 2 * np.arange(len(level))
            children = np.stack([self.when_false[level], self.when_true[level]], 1)
            nodes.append(children.reshape(-1))
            owners.append(np.repeat(owner, 2))
            count += 2 * len(level)
        order = np.argsort(np.concatenate(owners), kind="stable")
        found = np.concatenate(nodes)[order]
        places = np.empty(count, np.int64)
        places[order] = np.arange(count)
        children = np.where(self.is_leaf[found], np.arange(count), places[pairs[found]])
        return _Table(places[: len(self.roots)], found, children)


@onnx_form(TreeEnsembleOp)
def tree_ensemble_function(
    op: TreeEnsembleOp, out: NodeWriter
) -> Sequence[OnnxValue | None]:
    return out.function(op, _descended)


def _descended(op: TreeEnsembleOp, out: NodeWriter) -> OnnxValue:
    """Take all rows down all trees at once; a tensor holds each row's node in each."""
    x, thresholds, weights = map(out.tensor, (op.input, op.thresholds, op.weights))
    links, roots = (out.tensor(v).astype(np.int64) for v in (op.links, op.roots))
    last, size = links.size - 1, 1 << op.shift
    features = links % size
    children = emit(DivOp, links - features, size) % (1 << 32)
    features = xp.minimum(features, x.shape[1] - 1)
    at = xp.minimum(roots % (1 << 32), last)
    at = xp.broadcast_to(at, (x.shape[0], roots.size))
    for _ in range(op.depth):
        values = xp.take_along_axis(x, xp.take(features, at), axis=1)
        goes = (values <= xp.take(thresholds, at)).astype(np.int64)
        at = xp.minimum(xp.take(children, at) + goes, last)
    combine = {"sum": xp.sum, "min": xp.min, "max": xp.max}[op.aggregate]
    return combine(xp.take(weights, at), axis=1)
