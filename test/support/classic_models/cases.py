"""A model for each operator of ai.onnx.ml, and for each way to use it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.numpy_helper import from_array as tensor_of

from classic_models.parameters import (
    FEATURES,
    RNG,
    ROWS,
    X,
    classifier,
    machine,
    reals,
    regressor,
    single,
)

HOLES = X.copy()
HOLES[::2, ::2] = np.nan
WHOLE = RNG.integers(-2, 3, (ROWS, FEATURES))
THREE = {"classlabels_int64s": [3, 1, 7]}
TWO = {"classlabels_int64s": [5, 9]}
ALL_MODES = [
    "BRANCH_LEQ",
    "BRANCH_LT",
    "BRANCH_GTE",
    "BRANCH_GT",
    "BRANCH_EQ",
    "BRANCH_NEQ",
]

CASES: dict[str, ModelProto | Any] = {
    "scaler": lambda: single("Scaler", {"x": X}, "y", offset=reals(5), scale=reals(5)),
    "scaler of one": lambda: single("Scaler", {"x": X}, "y", offset=[0.5], scale=[2.0]),
    "scaler of integers": lambda: single(
        "Scaler", {"x": WHOLE}, "y", offset=[0.5], scale=[2.0]
    ),
    "imputer": lambda: single(
        "Imputer",
        {"x": HOLES},
        "y",
        imputed_value_floats=reals(5),
        replaced_value_float=np.nan,
    ),
    "imputer of a number": lambda: single(
        "Imputer",
        {"x": WHOLE.astype(np.float32)},
        "y",
        imputed_value_floats=[9.0],
        replaced_value_float=1.0,
    ),
    "imputer of integers": lambda: single(
        "Imputer", {"x": WHOLE}, "y", imputed_value_int64s=[9], replaced_value_int64=-2
    ),
    "binarizer": lambda: single("Binarizer", {"x": X}, "y", threshold=0.25),
    "vectorizer": lambda: single(
        "FeatureVectorizer", {"x": X, "z": X[:, :2]}, "y", inputdimensions=[5, 2]
    ),
    "extractor": lambda: single(
        "ArrayFeatureExtractor", {"x": X, "i": np.array([3, 0, 3])}, "y"
    ),
    "extractor of a row": lambda: single(
        "ArrayFeatureExtractor", {"x": X[0], "i": np.array([3, 0])}, "y"
    ),
    "one hot": lambda: single(
        "OneHotEncoder", {"x": WHOLE}, "y", cats_int64s=[1, -2, 7]
    ),
    "label of integers": lambda: single(
        "LabelEncoder",
        {"x": WHOLE},
        "y",
        keys_int64s=[1, -2, 0],
        values_int64s=[10, 20, 30],
        default_int64=-7,
    ),
    "label of floats": lambda: single(
        "LabelEncoder",
        {"x": WHOLE},
        "y",
        keys_int64s=[2, -1],
        values_floats=[0.5, 1.5],
        default_float=9.0,
    ),
    **{
        f"normalizer {norm}": lambda norm=norm: single(
            "Normalizer",
            {"x": np.abs(X) * (np.arange(ROWS) > 0)[:, None].astype(np.float32)},
            "y",
            norm=norm,
        )
        for norm in ("MAX", "L1", "L2")
    },
    **{
        f"linear regressor {post}": lambda post=post: single(
            "LinearRegressor",
            {"x": X},
            "y",
            targets=3,
            coefficients=reals(3, 5),
            intercepts=reals(3),
            post_transform=post,
        )
        for post in ("NONE", "SOFTMAX", "LOGISTIC")
    },
    **{
        f"linear classifier {post}": lambda post=post: single(
            "LinearClassifier",
            {"x": X},
            "y z",
            classlabels_ints=[4, 2, 8],
            coefficients=reals(3, 5),
            intercepts=reals(3),
            post_transform=post,
        )
        for post in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    },
    **{
        f"linear classifier of one score {post}": lambda post=post: single(
            "LinearClassifier",
            {"x": X},
            "y z",
            classlabels_ints=[0, 1],
            coefficients=reals(5),
            intercepts=reals(1),
            post_transform=post,
        )
        for post in ("NONE", "LOGISTIC")
    },
    **{
        f"support vectors {classes} {kernel}": lambda classes=classes, kernel=kernel: (
            single("SVMClassifier", {"x": X}, "y z", **machine(classes, kernel))
        )
        for classes, kernel in (
            (2, "RBF"),
            (3, "RBF"),
            (4, "LINEAR"),
            (3, "POLY"),
            (2, "SIGMOID"),
        )
    },
    **{
        f"support vector regressor {kernel}": lambda kernel=kernel: single(
            "SVMRegressor",
            {"x": X},
            "y",
            kernel_type=kernel,
            kernel_params=[0.3, 0.2, 2.0],
            n_supports=4,
            support_vectors=reals(4, 5),
            coefficients=reals(4),
            rho=reals(1),
        )
        for kernel in ("RBF", "LINEAR", "POLY", "SIGMOID")
    },
    "one class": lambda: single(
        "SVMRegressor",
        {"x": X},
        "y",
        kernel_type="LINEAR",
        kernel_params=[0.3, 0.2, 2.0],
        n_supports=4,
        support_vectors=reals(4, 5),
        coefficients=reals(4),
        rho=reals(1),
        one_class=1,
    ),
    "trees of three classes": lambda: single(
        "TreeEnsembleClassifier", {"x": X}, "y z", **classifier([0, 1, 2]), **THREE
    ),
    "trees with softmax": lambda: single(
        "TreeEnsembleClassifier",
        {"x": X},
        "y z",
        **classifier([0, 1, 2], post_transform="SOFTMAX", base_values=reals(3)),
        **THREE,
    ),
    "trees of two weights": lambda: single(
        "TreeEnsembleClassifier", {"x": X}, "y z", **classifier([0, 1]), **TWO
    ),
    "trees of a probability": lambda: single(
        "TreeEnsembleClassifier", {"x": X}, "y z", **classifier([0]), **TWO
    ),
    "trees of a score": lambda: single(
        "TreeEnsembleClassifier",
        {"x": X},
        "y z",
        **classifier([0], positive=False),
        **TWO,
    ),
    "trees of a logistic score": lambda: single(
        "TreeEnsembleClassifier",
        {"x": X},
        "y z",
        **classifier(
            [0], positive=False, post_transform="LOGISTIC", base_values=[0.25]
        ),
        **TWO,
    ),
    "trees of doubles": lambda: single(
        "TreeEnsembleClassifier",
        {"x": X.astype(np.float64)},
        "y z",
        **classifier([0, 1, 2]),
        **THREE,
    ),
    "trees with absent values": lambda: single(
        "TreeEnsembleClassifier", {"x": HOLES}, "y z", **classifier([0, 1, 2]), **THREE
    ),
    **{
        f"trees of {mode}": lambda mode=mode: single(
            "TreeEnsembleClassifier",
            {"x": X},
            "y z",
            **classifier([0, 1, 2], modes=[mode]),
            **THREE,
        )
        for mode in ALL_MODES
    },
    "trees of all modes": lambda: single(
        "TreeEnsembleClassifier",
        {"x": X},
        "y z",
        **classifier([0, 1, 2], modes=ALL_MODES),
        **THREE,
    ),
    **{
        f"regression {aggregate}": lambda aggregate=aggregate: single(
            "TreeEnsembleRegressor",
            {"x": X},
            "y",
            **regressor(1, aggregate_function=aggregate, base_values=reals(1)),
        )
        for aggregate in ("SUM", "AVERAGE", "MIN", "MAX")
    },
    "regression of several targets": lambda: single(
        "TreeEnsembleRegressor", {"x": X}, "y", **regressor(3)
    ),
}


def newest(aggregate: int, transform: int) -> ModelProto:
    """Return two trees in the form of TreeEnsemble-5: of two levels, and of one."""
    return single(
        "TreeEnsemble",
        {"x": X},
        "y",
        version=5,
        n_targets=2,
        aggregate_function=aggregate,
        post_transform=transform,
        tree_roots=[0, 2],
        nodes_modes=tensor_of(np.array([0, 1, 3], np.uint8)),
        nodes_featureids=[1, 3, 0],
        nodes_splits=tensor_of(np.array([0.1, -0.2, 0.3], np.float32)),
        nodes_truenodeids=[1, 0, 3],
        nodes_trueleafs=[0, 1, 1],
        nodes_falsenodeids=[1, 2, 4],
        nodes_falseleafs=[1, 1, 1],
        leaf_targetids=[0, 1, 0, 1, 0],
        leaf_weights=tensor_of(np.array([1.5, -2, 3, 0.5, 7], np.float32)),
    )


for aggregate, transform in ((0, 0), (2, 0), (3, 0), (1, 0), (1, 1), (1, 2)):
    CASES[f"newest trees {aggregate} {transform}"] = partial(
        newest, aggregate, transform
    )
