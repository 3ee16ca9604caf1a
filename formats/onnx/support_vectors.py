"""Support vector machines of ai.onnx.ml."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.linear_models import (
    ML,
    binary_scores,
    floats,
    labeled,
    labels_of,
    rows_of,
    sigmoid,
    transform_of,
    transformed,
)
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op
from glow.support.arrays import Array

F32 = np.dtype(np.float32)
_LEAST = 1e-7  # a probability of a pair, as in libsvm
_SPREAD = 16.0  # the largest term of a vector where exponents are products
_FAR = 1e18  # where squares are finite, and infinity would make products NaN


def _kernels(node: Node, x: Tensor, vectors: Array) -> Tensor:
    """Return the kernel of each row of `x` with each of `vectors`."""
    kind = node.choice("kernel_type", "LINEAR", "POLY", "RBF", "SIGMOID")
    gamma, offset, degree = 0.0, 0.0, 0.0
    if kind == "LINEAR":
        node.ignore("kernel_params")
    else:
        parameters = floats(node, "kernel_params")
        node.check_entries("kernel_params", parameters, 3)
        gamma, offset, degree = parameters
    if kind == "RBF":
        return _radial(node, x, vectors, gamma)
    product = x @ node.literal(np.ascontiguousarray(vectors.T))
    match kind:
        case "POLY":
            return xp.pow(gamma * product + offset, degree)
        case "SIGMOID":
            return xp.tanh(gamma * product + offset)
        case _:
            return product


def _radial(node: Node, x: Tensor, vectors: Array, gamma: float) -> Tensor:
    """
    Return exp(-gamma |a - b|^2).

    |a|^2 + |b|^2 - 2 a b needs one product, but cancels: an exponent is off by some
    2^-24 of its three terms. Relative to the mean of the vectors, their terms are
    small, and results are off by 1e-5 at most: a row whose term is much larger is far
    from all vectors, and its result is 0.
    """
    center = vectors.mean(axis=0, dtype=np.float64).astype(F32)
    moved = (vectors - center).astype(np.float64)
    squares = gamma * np.sum(moved * moved, axis=1)
    if not 0 <= squares.max(initial=0) <= _SPREAD:
        apart = x.reshape(x.shape[0], 1, x.shape[1]) - node.literal(vectors)
        return xp.exp(-gamma * xp.sum(apart * apart, axis=2))
    x = xp.clip(x - node.literal(center), -_FAR, _FAR)
    product = x @ node.literal(np.ascontiguousarray(2 * gamma * moved.T), F32)
    own = gamma * xp.sum(x * x, axis=1, keepdims=True)
    return xp.exp(xp.minimum(product - node.literal(squares, F32) - own, 0))


def _vectors(node: Node, x: Tensor, count: int) -> Array:
    given = np.array(floats(node, "support_vectors"), F32)
    if given.size != count * x.shape[1]:
        node.invalid(
            f"expected {count} x {x.shape[1]} support_vectors, got {given.size}"
        )
    return given.reshape(count, x.shape[1])


@onnx_op("SVMRegressor", domains=ML)
def svm_regressor(node: Node) -> Tensor:
    """Kernels by coefficients, plus rho; with one_class 1 where that is positive"""
    x = rows_of(node).astype(F32)
    count = node.integer("n_supports")
    coefficients = np.array(floats(node, "coefficients"), F32)
    if count:
        vectors = _vectors(node, x, count)
    else:  # a linear model: the coefficients are the only vector
        vectors, coefficients = coefficients.reshape(1, -1), np.ones(1, F32)
        node.ignore("support_vectors")
    node.check_entries("coefficients", list(coefficients), max(count, 1))
    rho = floats(node, "rho")
    node.check_entries("rho", rho, 1)
    sums = _kernels(node, x, vectors) @ node.literal(coefficients.reshape(-1, 1))
    score = sums + rho[0]
    if node.flag("one_class"):
        return xp.where(score > 0, node.literal(1, F32), -1)
    return transformed(score, transform_of(node))


@onnx_op("SVMClassifier", domains=ML)
def svm_classifier(node: Node) -> list[Tensor]:
    """The class with most votes of pairs, or the likeliest, and scores"""
    labels = labels_of(node, "classlabels_strings", "classlabels_ints")
    x, transform = rows_of(node).astype(F32), transform_of(node)
    sizes = node.integers("vectors_per_class") or ()
    if not sizes:
        return _linear(node, x, labels, transform)
    node.check_entries("vectors_per_class", sizes, len(labels))
    pairs = _pairs(node, x, sizes)
    if node.has("prob_a") and floats(node, "prob_a"):
        return _of_probabilities(node, pairs, labels, transform)
    node.ignore("prob_a", "prob_b")
    scores = transformed(pairs, transform)
    if len(labels) == 2:
        scores = binary_scores(pairs, transform, is_probability=False)
    return [_voted(node, pairs, labels), scores]


def _pairs(node: Node, x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Return a score for each pair of classes, above 0 for the first."""
    total, classes = sum(sizes), len(sizes)
    rows = list(combinations(range(classes), 2))
    coefficients = np.array(floats(node, "coefficients"), F32)
    rho = floats(node, "rho")
    node.check_entries("coefficients", list(coefficients), (classes - 1) * total)
    node.check_entries("rho", rho, len(rows))
    table = coefficients.reshape(classes - 1, total)
    starts = np.cumsum([0, *sizes])
    # Of each pair, the vectors of one class have coefficients against the other.
    by_pair = np.zeros((total, len(rows)), F32)
    for column, (i, j) in enumerate(rows):
        own, other = (slice(starts[k], starts[k + 1]) for k in (i, j))
        by_pair[own, column] = table[j - 1, own]
        by_pair[other, column] = table[i, other]
    kernels = _kernels(node, x, _vectors(node, x, total))
    return kernels @ node.literal(by_pair) + node.literal(rho, F32)


def _votes(node: Node, pairs: Tensor, classes: int) -> Tensor:
    """Return how many pairs each class has won."""
    first, second = np.zeros((2, pairs.shape[1], classes), F32)
    for row, (i, j) in enumerate(combinations(range(classes), 2)):
        first[row, i] = second[row, j] = 1
    won = (pairs > 0).astype(F32)
    return won @ node.literal(first) + (1 - won) @ node.literal(second)


def _of_probabilities(
    node: Node, pairs: Tensor, labels: list[int], transform: str
) -> list[Tensor]:
    """
    Return class and probabilities of two classes.

    ONNX Runtime stops the iteration of libsvm at differences of 0.0025 from these.
    """
    if len(labels) > 2:
        node.refuse(f"probabilities of {len(labels)} classes")
    a, b = (node.literal(floats(node, name), F32) for name in ("prob_a", "prob_b"))
    likely = xp.clip(1 - sigmoid(pairs * a + b), _LEAST, 1 - _LEAST)
    scores = xp.concat([likely, 1 - likely], axis=1)
    return [_voted(node, pairs, labels), transformed(scores, transform)]


def _voted(node: Node, pairs: Tensor, labels: list[int]) -> Tensor:
    """Return the label with most votes of pairs."""
    return labeled(node, xp.argmax(_votes(node, pairs, len(labels)), 1), labels)


def _linear(node: Node, x: Tensor, labels: list[int], transform: str) -> list[Tensor]:
    """Return class and scores of coefficients for each class."""
    coefficients = np.array(floats(node, "coefficients"), F32)
    if coefficients.size != len(labels) * x.shape[1]:
        node.invalid(
            f"expected {len(labels)} x {x.shape[1]} coefficients, "
            f"got {coefficients.size}"
        )
    node.ignore("support_vectors", "prob_a", "prob_b", "vectors_per_class")
    rho = floats(node, "rho")
    kernels = _kernels(node, x, coefficients.reshape(len(labels), -1))
    scores = kernels + (rho[0] if rho else 0.0)
    chosen = xp.argmax(scores, 1)
    return [labeled(node, chosen, labels), transformed(scores, transform)]
