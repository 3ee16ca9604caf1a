"""Classic models, of domain ai.onnx.ml, beside ONNX Runtime."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper
from onnx.numpy_helper import from_array as tensor_of

import glow

Array = NDArray[Any]

ROWS, FEATURES = 7, 5
RNG = np.random.default_rng(0)
X = RNG.standard_normal((ROWS, FEATURES)).astype(np.float32)
ONNX_TYPES = {"float32": "FLOAT", "int64": "INT64", "float64": "DOUBLE"}


def reals(*shape: int) -> list[float]:
    return RNG.standard_normal(shape).astype(np.float32).reshape(-1).tolist()


def single(
    op: str, inputs: dict[str, Array], outputs: str, version: int = 3, **given: Any
) -> ModelProto:
    """Return a model of one node."""
    names = outputs.split()
    graph = helper.make_graph(
        [helper.make_node(op, [*inputs], names, "n", domain="ai.onnx.ml", **given)],
        "g",
        [
            helper.make_tensor_value_info(
                name, TensorProto.DataType.Value(ONNX_TYPES[a.dtype.name]), a.shape
            )
            for name, a in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(name) for name in names],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def trees(count: int, depth: int, modes: list[str], **given: Any) -> dict[str, Any]:
    """Return the attributes of random full trees; leaves at `depth`, some before."""
    rows: list[tuple[Any, ...]] = []
    leaves: list[tuple[int, int]] = []
    for tree in range(count):
        level = [0]
        fresh = 1
        for step in range(depth + 1):
            following: list[int] = []
            for number in level:
                if step == depth or (step > 1 and RNG.random() < 0.2):
                    rows.append((tree, number, "LEAF", 0, 0.0, 0, 0, 0))
                    leaves.append((tree, number))
                    continue
                mode = modes[RNG.integers(len(modes))]
                value = float(X[RNG.integers(ROWS), feature := RNG.integers(FEATURES)])
                ends = (fresh, fresh + 1)
                fresh += 2
                tracks = int(RNG.integers(2))
                rows.append((tree, number, mode, int(feature), value, *ends, tracks))
                following += ends
            level = following
    names = ("treeids", "nodeids", "modes", "featureids", "values", "truenodeids")
    names += ("falsenodeids", "missing_value_tracks_true")
    columns = zip(*rows, strict=True)
    lists = {f"nodes_{n}": list(c) for n, c in zip(names, columns, strict=True)}
    return lists | given | {"leaves": leaves}


def classifier(
    classes: list[int],
    positive: bool = True,
    modes: Any = ("BRANCH_LEQ",),
    **given: Any,
) -> dict[str, Any]:
    attributes = trees(6, 4, list(modes), **given)
    leaves = attributes.pop("leaves")
    several = [(tree, node, c) for tree, node in leaves for c in classes]
    weights = (
        RNG.random(len(several)) if positive else RNG.standard_normal(len(several))
    )
    columns = zip(*several, strict=True)
    names = ("class_treeids", "class_nodeids", "class_ids")
    lists = {n: list(c) for n, c in zip(names, columns, strict=True)}
    scale = 1 / 6 if positive else 1.0
    weights = (weights * scale).astype(np.float32).tolist()
    return attributes | lists | {"class_weights": weights}


def regressor(targets: int, **given: Any) -> dict[str, Any]:
    attributes = trees(5, 3, ["BRANCH_LEQ", "BRANCH_GT"], n_targets=targets, **given)
    leaves = attributes.pop("leaves")
    return attributes | {
        "target_treeids": [tree for tree, _ in leaves],
        "target_nodeids": [node for _, node in leaves],
        "target_ids": RNG.integers(targets, size=len(leaves)).tolist(),
        "target_weights": reals(len(leaves)),
    }


def machine(classes: int, kernel: str, **given: Any) -> dict[str, Any]:
    """Return the attributes of a classifier by support vectors."""
    sizes = list(range(2, 2 + classes))
    return {
        "vectors_per_class": sizes,
        "support_vectors": reals(sum(sizes), FEATURES),
        "coefficients": reals(classes - 1, sum(sizes)),
        "rho": reals(classes * (classes - 1) // 2),
        "classlabels_ints": list(range(10, 10 + classes)),
        "kernel_type": kernel,
        "kernel_params": [0.3, 0.2, 2.0],
    } | given


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


@pytest.mark.parametrize("name", CASES)
def test_models_compute_what_onnx_runtime_does(name: str) -> None:
    import onnxruntime

    model = CASES[name]()
    session = onnxruntime.InferenceSession(model.SerializeToString())
    rng = np.random.default_rng(len(name))
    feeds: dict[str, Array] = {}
    for info in session.get_inputs():
        kind = info.type.removeprefix("tensor(").removesuffix(")")
        shape = tuple(info.shape)
        if info.name == "i":
            feeds["i"] = np.array([3, 0, 3][: shape[0]])
        elif kind == "int64":
            feeds[info.name] = WHOLE
        else:
            feeds[info.name] = rng.standard_normal(shape).astype(
                {"float": np.float32, "double": np.float64}[kind]
            )
    if "absent" in name or name == "imputer":
        feeds["x"] = HOLES
    expected = session.run(None, feeds)
    if name == "trees of two weights":  # its labels are not those of the model
        expected[0] = np.array(TWO["classlabels_int64s"])[expected[1].argmax(1)]
    for target in ("cpu", "reference"):
        outputs = glow.compile(model, target=target).run(feeds)
        for array, wanted in zip(outputs.values(), expected, strict=True):
            assert array.dtype == wanted.dtype
            np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-5)


REFUSED: dict[str, tuple[Any, str]] = {
    "strings": (
        lambda: single(
            "LinearClassifier",
            {"x": X},
            "y z",
            classlabels_strings=["a", "b"],
            coefficients=reals(2, 5),
        ),
        "LinearClassifier with labels that are strings; export the model with integers",
    ),
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
        "expected trees, got nodes that go in circles",
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


@pytest.mark.parametrize("name", REFUSED)
def test_models_that_cannot_be_are_refused(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(glow.GlowError) as refused:
        glow.load(make())
    assert message in str(refused.value)


def test_scores_are_a_matrix_where_onnx_has_dictionaries() -> None:
    import onnxruntime

    model = single(
        "LinearClassifier",
        {"x": X},
        "y z",
        classlabels_ints=[4, 2, 8],
        coefficients=reals(3, 5),
        intercepts=reals(3),
    )
    model.graph.node.add(
        op_type="ZipMap", domain="ai.onnx.ml", input=["z"], output=["p"]
    ).attribute.append(helper.make_attribute("classlabels_int64s", [4, 2, 8]))
    model.graph.output[1].name = "p"
    session = onnxruntime.InferenceSession(model.SerializeToString())
    labels, scores = session.run(None, {"x": X})
    outputs = glow.compile(model).run({"x": X})
    assert np.array_equal(outputs["y"], labels)
    rows: Any = scores
    wanted = [[row[label] for label in (4, 2, 8)] for row in rows]
    np.testing.assert_allclose(outputs["p"], wanted, rtol=1e-5)


def test_probabilities_of_two_classes_are_what_the_iteration_nears() -> None:
    import onnxruntime

    given = machine(2, "RBF", prob_a=[-1.5], prob_b=[0.3])
    model = single("SVMClassifier", {"x": X}, "y z", **given)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    labels, scores = session.run(None, {"x": X})
    outputs = glow.compile(model).run({"x": X})
    assert np.array_equal(outputs["y"], labels)
    np.testing.assert_allclose(outputs["z"], scores, atol=5e-3)
