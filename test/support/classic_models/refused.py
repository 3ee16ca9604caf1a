"""Models of ai.onnx.ml that cannot be, and what is said of them."""

from __future__ import annotations

from typing import Any

from classic_models.parameters import X, machine, reals, regressor, single

REFUSED: dict[str, tuple[Any, str]] = {
    "no labels": (
        lambda: single("LinearClassifier", {"x": X}, "y z", coefficients=reals(2, 5)),
        "expected labels in classlabels_ints",
    ),
    "coefficients": (
        lambda: single("LinearRegressor", {"x": X}, "y", coefficients=reals(4)),
        "expected 1 x 5 coefficients, got 4",
    ),
    "scales": (
        lambda: single("Scaler", {"x": X}, "y", offset=[1.0], scale=[1.0, 2.0]),
        "expected scale of 1 or 5, got 2",
    ),
    "probabilities": (
        lambda: single(
            "SVMClassifier",
            {"x": X},
            "y z",
            **machine(3, "RBF", prob_a=reals(3), prob_b=reals(3)),
        ),
        "SVMClassifier with probabilities of 3 classes",
    ),
    "vectors": (
        lambda: single(
            "SVMClassifier", {"x": X}, "y z", **machine(2, "RBF", support_vectors=[1.0])
        ),
        "expected 5 x 5 support_vectors, got 1",
    ),
    "a circle": (
        lambda: single(
            "TreeEnsembleRegressor",
            {"x": X},
            "y",
            **regressor(1) | {"nodes_modes": ["BRANCH_LEQ"] * 3, **loop_of_nodes()},
        ),
        "expected trees, got nodes that form a cycle",
    ),
    "a child": (
        lambda: single(
            "TreeEnsembleRegressor",
            {"x": X},
            "y",
            **regressor(1) | loop_of_nodes() | {"nodes_truenodeids": [1, 2, 9]},
        ),
        "tree 0 has no node 9",
    ),
    "a feature": (
        lambda: single(
            "TreeEnsembleRegressor",
            {"x": X},
            "y",
            **regressor(1) | loop_of_nodes() | {"nodes_featureids": [0, 5, 0]},
        ),
        "expected a feature below 5, got 5",
    ),
    "a mode": (
        lambda: single(
            "TreeEnsembleRegressor",
            {"x": X},
            "y",
            **regressor(1) | loop_of_nodes() | {"nodes_modes": ["ODD"] * 3},
        ),
        "TreeEnsembleRegressor with nodes of mode 'ODD'",
    ),
}


def loop_of_nodes() -> dict[str, Any]:
    """Return three nodes, of which the last leads back to the second."""
    return {
        "nodes_treeids": [0] * 3,
        "nodes_nodeids": [0, 1, 2],
        "nodes_modes": ["BRANCH_LEQ"] * 3,
        "nodes_featureids": [0] * 3,
        "nodes_values": [0.0] * 3,
        "nodes_truenodeids": [1, 2, 1],
        "nodes_falsenodeids": [1, 2, 1],
        "nodes_missing_value_tracks_true": [0] * 3,
        "target_treeids": [0],
        "target_nodeids": [0],
        "target_ids": [0],
        "target_weights": [1.0],
    }
