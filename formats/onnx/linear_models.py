"""Linear models of ai.onnx.ml, and the scores and labels of models of that domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.activation import SigmoidOp
from glow.dialects.graph.along_axis import SoftmaxOp
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

ML = ("ai.onnx.ml",)
"""The domain of classic models."""

_NOTHING = 1e-7  # SOFTMAX_ZERO takes scores up to this for 0


def floats(node: Node, name: str) -> Sequence[float]:
    """Return a list of floats, empty where the model does not set it."""
    return node.value(name) if node.has(name) else ()


def rows_of(node: Node) -> Tensor:
    """Return input 0 as rows of features."""
    x = node.input(0)
    if x.ndim not in (1, 2):
        node.invalid(f"expected one row or a matrix, got {list(x.shape)}")
    return x if x.ndim == 2 else x.reshape(1, x.shape[0])


def sigmoid(x: Tensor) -> Tensor:
    return emit(SigmoidOp, x)


def _softmax(x: Tensor) -> Tensor:
    return emit(SoftmaxOp, x, axis=1)


def _softmax_zero(x: Tensor) -> Tensor:
    """Softmax of the scores that are not 0; zeros stay."""
    top = xp.max(x, axis=1, keepdims=True)
    is_there = xp.abs(x) > _NOTHING
    powers = emit(WhereOp, is_there, xp.exp(x - top), x * xp.exp(-top))
    total = xp.sum(powers, axis=1, keepdims=True)
    return powers / total


_TRANSFORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "NONE": lambda x: x,
    "LOGISTIC": sigmoid,
    "SOFTMAX": _softmax,
    "SOFTMAX_ZERO": _softmax_zero,
}


def transform_of(node: Node) -> str:
    """Return what is done with scores at the end."""
    return node.choice("post_transform", *_TRANSFORMS)


def transformed(scores: Tensor, transform: str) -> Tensor:
    return _TRANSFORMS[transform](scores)


def binary_scores(score: Tensor, transform: str, is_probability: bool) -> Tensor:
    """
    Return the scores of both classes; the model computes that of the second.

    Those of the first are `1 - score` where the score is a probability, else `-score`.
    Source: `write_scores` of ONNX Runtime.
    """
    if is_probability:
        return xp.concat([1 - score, score], axis=1)
    if transform == "LOGISTIC":
        return xp.concat([sigmoid(-score), sigmoid(score)], axis=1)
    return xp.concat([-score, score], axis=1)


def labels_of(node: Node, *names: str) -> list[int]:
    """Return the labels of classes; for strings, their numbers."""
    *of_strings, integers = names
    for name in of_strings:
        if node.has(name) and node.value(name):
            node.ignore(integers)
            return list(range(len(node.value(name))))
    labels = node.integers(integers)
    if not labels:
        node.invalid(f"expected labels in {integers}")
    return list(labels)


def labeled(node: Node, indices: Tensor, labels: Sequence[int]) -> Tensor:
    """Return the label of each class in `indices`."""
    if list(labels) == list(range(len(labels))):
        return indices
    return xp.take(node.literal(labels, np.dtype(np.int64)), indices)


@onnx_op("LinearRegressor", domains=ML)
def linear_regressor(node: Node) -> Tensor:
    """x @ coefficients^T + intercepts"""
    targets = node.integer("targets")
    return transformed(_linear(node, targets), transform_of(node))


@onnx_op("LinearClassifier", domains=ML)
def linear_classifier(node: Node) -> list[Tensor]:
    """The class of the largest score, and the scores"""
    labels = labels_of(node, "classlabels_strings", "classlabels_ints")
    node.ignore("multi_class")
    transform = transform_of(node)
    features = rows_of(node).shape[1]
    count = len(floats(node, "coefficients")) // max(features, 1)
    scores = _linear(node, count)
    if count == 1 and len(labels) == 2:
        chosen = (scores.reshape(scores.shape[0]) > 0).astype(np.int64)
        scores = binary_scores(scores, transform, transform != "LOGISTIC")
        return [labeled(node, chosen, labels), scores]
    if count != len(labels):
        node.invalid(f"expected coefficients of {len(labels)} classes, got {count}")
    chosen = xp.argmax(scores, 1)
    return [labeled(node, chosen, labels), transformed(scores, transform)]


def _linear(node: Node, count: int) -> Tensor:
    x = rows_of(node).astype(np.float32)
    coefficients = np.array(floats(node, "coefficients"), np.float32)
    if coefficients.size != count * x.shape[1]:
        node.invalid(
            f"expected {count} x {x.shape[1]} coefficients, got {coefficients.size}"
        )
    product = x @ node.literal(coefficients.reshape(count, -1).T)
    intercepts = floats(node, "intercepts")
    if not intercepts:
        return product
    node.check_entries("intercepts", intercepts, count)
    return product + node.literal(intercepts, np.dtype(np.float32))


@onnx_op("ZipMap", domains=ML)
def zip_map(node: Node) -> Tensor:
    """The scores: a matrix with a column for each class, in place of dictionaries."""
    node.ignore("classlabels_int64s", "classlabels_strings")
    return node.input(0)
