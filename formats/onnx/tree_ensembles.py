"""Ensembles of decision trees, of all versions of ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.decision_trees import (
    AGGREGATES,
    COMPARISONS,
    LEAF,
    NodeNumbers,
    Trees,
)
from glow.formats.onnx.linear_models import (
    ML,
    binary_scores,
    labeled,
    labels_of,
    rows_of,
    transform_of,
    transformed,
)
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

_MODES = [name.removeprefix("BRANCH_") for name in COMPARISONS]
"""The names of comparisons in TreeEnsemble-5, by their numbers."""
MEMBER = 6
"""The number in TreeEnsemble-5 of the test whether a feature is in a set."""

F32 = np.dtype(np.float32)


def _list(node: Node, name: str, kind: Any = None) -> list[Any]:
    """Return a list, a tensor of version 3, or nothing."""
    if node.has(f"{name}_as_tensor"):
        node.ignore(name)
        return list(node.tensor(f"{name}_as_tensor").reshape(-1))
    return list(node.value(name)) if node.has(name) else []


def _trees_of(node: Node, role: str, columns: int, x: Tensor) -> Trees:
    """Return the trees of a classifier or regressor; `role` is class or target."""
    names = ("treeids", "nodeids", "modes", "featureids", "truenodeids", "falsenodeids")
    ids, numbers, modes, features, trues, falses = (
        _list(node, f"nodes_{name}") for name in names
    )
    values, tracks = (
        _list(node, "nodes_values"),
        _list(node, "nodes_missing_value_tracks_true"),
    )
    node.ignore("nodes_hitrates", "nodes_hitrates_as_tensor")
    lists = {"nodeids": numbers, "modes": modes, "featureids": features}
    lists |= {"truenodeids": trues, "falsenodeids": falses, "values": values}
    for name, given in lists.items():
        node.check_entries(f"nodes_{name}", given, len(ids))
    _check_modes(node, modes, features, x)
    places = {key: i for i, key in enumerate(zip(ids, numbers, strict=True))}
    if len(places) != len(ids) or not ids:
        node.invalid("expected nodes with numbers of their own in each tree")
    children = [
        _children(node, places, modes, ids, targets) for targets in (trues, falses)
    ]
    inner = [i for i, mode in enumerate(modes) if mode != LEAF]
    below = {int(each[i]) for each in children for i in inner}
    columns_of = list[int]()
    nodes = list[int]()
    keys = (f"{role}_treeids", f"{role}_nodeids", f"{role}_ids")
    rows = zip(*(_list(node, key) for key in keys), strict=False)
    given = _list(node, f"{role}_weights")
    for (tree, number, column), _ in zip(rows, given, strict=False):
        if (tree, number) not in places or not 0 <= column < columns:
            node.invalid(f"no leaf for a weight: node {number} of tree {tree}")
        nodes.append(places[tree, number])
        columns_of.append(column)
    weights = np.full((len(ids), columns), np.nan)
    weights[nodes, columns_of] = 0
    np.add.at(weights, (nodes, columns_of), given[: len(nodes)])
    return Trees(
        [i for i in range(len(ids)) if i not in below],
        modes,
        np.array(features, np.int64) * [mode != LEAF for mode in modes],
        np.array(values, np.float64),
        children[0],
        children[1],
        np.array(tracks or [0] * len(ids)) != 0,
        weights,
    )


def _check_modes(
    node: Node, modes: Sequence[str], features: Sequence[int], x: Tensor
) -> None:
    for mode, feature in zip(modes, features, strict=True):
        if mode != LEAF and mode not in COMPARISONS:
            node.refuse(f"nodes of mode {mode!r}")
        if mode != LEAF and not 0 <= feature < x.shape[1]:
            node.invalid(f"expected a feature below {x.shape[1]}, got {feature}")


def _children(
    node: Node,
    places: Mapping[Any, int],
    modes: Sequence[str],
    trees: Sequence[int],
    numbers: Sequence[int],
) -> NodeNumbers:
    """Return the place of a child of each node; a leaf is its own."""
    found: list[int] = []
    for i, (mode, tree, number) in enumerate(zip(modes, trees, numbers, strict=True)):
        if mode != LEAF and (tree, number) not in places:
            node.invalid(f"tree {tree} has no node {number}")
        found.append(i if mode == LEAF else places[tree, number])
    return np.array(found, np.int64)


def _input(node: Node) -> Tensor:
    """Return the rows as floats; those of 64 bits stay."""
    x = rows_of(node)
    return x if x.dtype == np.float64 else x.astype(F32)


@onnx_op("TreeEnsembleRegressor", domains=ML)
def tree_ensemble_regressor(node: Node) -> Tensor:
    """The sum, mean, least or largest weight of the leaves, for each target"""
    x, targets = _input(node), node.integer("n_targets")
    aggregate = node.choice("aggregate_function", *AGGREGATES)
    trees = _trees_of(node, "target", targets, x)
    base = _base(node, targets)
    scores = _checked(node, trees, x, aggregate)
    scores = scores if base is None else scores + base
    return transformed(scores, transform_of(node))


def _base(node: Node, columns: int) -> Tensor | None:
    base = _list(node, "base_values")
    if not base:
        return None
    node.check_entries("base_values", base, columns)
    return node.literal(np.array(base, F32))


def _checked(
    node: Node, trees: Trees, x: Tensor, aggregate: str, dtype: Any = F32
) -> Tensor:
    try:
        return trees.scores(node, x, aggregate, dtype)
    except ValueError as error:
        node.invalid(str(error))


@onnx_op("TreeEnsembleClassifier", domains=ML)
def tree_ensemble_classifier(node: Node) -> list[Tensor]:
    """The class of the largest sum of weights, and the sums"""
    labels = labels_of(node, "classlabels_strings", "classlabels_int64s")
    x, transform = _input(node), transform_of(node)
    weighted = set(_list(node, "class_ids"))
    trees = _trees_of(node, "class", len(labels), x)
    if len(labels) == 2 and len(weighted) == 1:
        return _of_one_score(node, trees, x, labels, transform)
    base = _base(node, len(labels))
    scores = _checked(node, trees, x, "SUM")
    scores = scores if base is None else scores + base
    chosen = xp.argmax(scores, 1)
    return [labeled(node, chosen, labels), transformed(scores, transform)]


def _of_one_score(
    node: Node, trees: Trees, x: Tensor, labels: Sequence[int], transform: str
) -> list[Tensor]:
    """Return class and scores where all weights are those of one of two classes."""
    base = _list(node, "base_values")
    is_probability = not (trees.weights < 0).any()
    trees.weights = np.nansum(trees.weights, 1, keepdims=True)
    score = _checked(node, trees, x, "SUM")
    if base:
        score = score + node.literal(np.array(base[-1:], F32))
    border = 0.5 if is_probability else 0.0
    chosen = (score.reshape(score.shape[0]) > border).astype(np.int64)
    scores = binary_scores(score, transform, is_probability)
    return [labeled(node, chosen, labels), scores]


@onnx_op("TreeEnsemble", since=5, domains=ML)
def tree_ensemble(node: Node) -> Tensor:
    """As the regressor, with leaves of their own"""
    x, targets = _input(node), node.integer("n_targets")
    number = node.integer("aggregate_function")
    transform = node.integer("post_transform")
    if not 0 <= number < len(AGGREGATES) or not 0 <= transform < 4:
        node.refuse(f"aggregate_function={number} and post_transform={transform}")
    trees = _trees_with_leaves(node, targets, x)
    aggregate = ("AVERAGE", "SUM", "MIN", "MAX")[number]
    scores = _checked(node, trees, x, aggregate, x.dtype)
    # ONNX Runtime counts so; ONNX has SOFTMAX before LOGISTIC.
    kinds = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
    return transformed(scores, kinds[transform]).astype(node.input(0).dtype)


def _trees_with_leaves(node: Node, columns: int, x: Tensor) -> Trees:
    """Return the trees of TreeEnsemble-5, whose leaves have numbers of their own."""
    modes = [int(mode) for mode in node.tensor("nodes_modes").reshape(-1)]
    if MEMBER in modes:
        node.refuse("tests of membership in sets")
    if node.has("membership_values"):
        node.ignore("membership_values")
    node.ignore("nodes_hitrates")
    count, leaves = len(modes), list(node.integers("leaf_targetids") or ())
    weights = np.full((count + len(leaves), columns), np.nan)
    given = node.tensor("leaf_weights").reshape(-1)
    for leaf, (target, weight) in enumerate(zip(leaves, given, strict=True)):
        if not 0 <= target < columns:
            node.invalid(f"expected a target below {columns}, got {target}")
        weights[count + leaf, target] = weight
    tracks = node.integers("nodes_missing_value_tracks_true") or (0,) * count
    itself = np.arange(count, count + len(leaves))
    sides: list[NodeNumbers] = []
    for side in ("true", "false"):
        ids = np.array(node.integers(f"nodes_{side}nodeids") or (), np.int64)
        ends = np.array(node.integers(f"nodes_{side}leafs") or (), np.int64) != 0
        if len(ids) != count or len(ends) != count:
            node.invalid(f"expected {count} nodes_{side}nodeids and nodes_{side}leafs")
        limits = np.where(ends, len(leaves), count)
        if ((ids < 0) | (ids >= limits)).any():
            node.invalid(f"expected nodes_{side}nodeids of nodes and leaves")
        sides.append(np.append(np.where(ends, ids + count, ids), itself))
    names = [f"BRANCH_{_MODES[m]}" if 0 <= m < 6 else str(m) for m in modes]
    features = list(node.integers("nodes_featureids") or ())
    node.check_entries("nodes_featureids", features, count)
    _check_modes(node, names, features, x)
    values = node.tensor("nodes_splits").reshape(-1).astype(np.float64)
    node.check_entries("nodes_splits", list(values), count)
    roots = list(node.integers("tree_roots") or ())
    if not roots or not all(0 <= root < count for root in roots):
        node.invalid(f"expected tree_roots below {count}, got {roots}")
    nothing = [0] * len(leaves)
    return Trees(
        roots,
        [*names, *[LEAF] * len(leaves)],
        np.array([*features, *nothing], np.int64),
        np.append(values, nothing),
        sides[0],
        sides[1],
        np.array([*tracks, *nothing]) != 0,
        weights,
    )
