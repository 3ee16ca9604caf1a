"""Classic models, of domain ai.onnx.ml, beside ONNX Runtime."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
import pytest
from classic_models.cases import CASES, HOLES, TWO, WHOLE
from classic_models.parameters import X, machine, reals, single
from classic_models.refused import REFUSED
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper

import glow
from glow.support.class_names import classes_of_text

Array = NDArray[Any]
FAST = ("trees of a score", "linear classifier LOGISTIC", "normalizer L2", "imputer")


@lru_cache(maxsize=1)
def model_and_runs(name: str) -> tuple[ModelProto, dict[str, Array], list[Array]]:
    """Return a model, its inputs, and what ONNX Runtime gives for them."""
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
    return model, feeds, expected


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param(name, target, marks=() if is_fast else pytest.mark.slow)
        for name in CASES
        for target, is_fast in (("reference", True), ("cpu", name in FAST))
    ],
)
def test_models_compute_what_onnx_runtime_does(name: str, target: str) -> None:
    model, feeds, expected = model_and_runs(name)
    outputs = glow.compile(model, target=target).run(feeds)
    for array, wanted in zip(outputs.values(), expected, strict=True):
        assert array.dtype == wanted.dtype
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", REFUSED)
def test_models_that_cannot_be_are_refused(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(glow.GlowError) as refused:
        glow.load(make())
    assert message in str(refused.value)


def zipped(**names: Any) -> ModelProto:
    """Return a classifier whose scores are put into dictionaries."""
    (key, labels), *_ = names.items()
    model = single(
        "LinearClassifier",
        {"x": X},
        "y z",
        **{key.replace("64", ""): labels},
        coefficients=reals(3, 5),
        intercepts=reals(3),
    )
    node = model.graph.node.add(
        op_type="ZipMap", domain="ai.onnx.ml", input=["z"], output=["p"]
    )
    node.attribute.append(helper.make_attribute(key, labels))
    kind = TensorProto.STRING if isinstance(labels[0], str) else TensorProto.INT64
    model.graph.output[0].type.tensor_type.elem_type = kind
    model.graph.output[1].name = "p"
    return model


@pytest.mark.parametrize(
    ("key", "labels"),
    [
        ("classlabels_int64s", [4, 2, 8]),
        ("classlabels_strings", ["elm", "ash", "oak"]),
    ],
)
def test_scores_are_a_matrix_where_onnx_has_dictionaries(
    key: str, labels: list[Any]
) -> None:
    """Labels that are strings are numbers of classes; the signature has the names."""
    import onnxruntime

    model = zipped(**{key: labels})
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected, scores = session.run(None, {"x": X})
    net = glow.compile(model)
    found, matrix = net.run({"x": X}).values()
    label, columns = net.signature.outputs
    assert list(columns.classes) == labels
    if isinstance(labels[0], str):
        assert list(label.classes) == labels
    assert np.array_equal(label.labeled(found), expected)
    rows: Any = scores
    wanted = [[row[label] for label in labels] for row in rows]
    np.testing.assert_allclose(matrix, wanted, rtol=1e-5)


@pytest.mark.parametrize("rows", [3, "rows"])
@pytest.mark.parametrize(
    ("key", "labels"),
    [
        ("classlabels_int64s", [4, -2, 8]),
        ("classlabels_strings", ["elm", "ash", "oak"]),
        ("classlabels_strings", ["0", "a|b", '"']),
        ("classlabels_strings", ["", "-", "1.5"]),
    ],
)
def test_sessions_give_the_labels_that_onnx_runtime_gives(
    key: str, labels: list[Any], rows: int | str
) -> None:
    import onnxruntime

    model = zipped(**{key: labels})
    extent = model.graph.input[0].type.tensor_type.shape.dim[0]
    if isinstance(rows, str):
        extent.dim_param = rows
    theirs = onnxruntime.InferenceSession(model.SerializeToString())
    ours = glow.InferenceSession(model)
    assert [o.type for o in ours.get_outputs()] == [
        o.type for o in theirs.get_outputs()
    ]
    expected, wanted = cast(Any, theirs.run(None, {"x": X}))
    found, scores = ours.run(None, {"x": X})
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)
    assert len(scores) == len(wanted)
    for row, other in zip(scores, wanted, strict=True):
        assert row == pytest.approx(other, rel=1e-5, abs=1e-6)
    binding = ours.io_binding()
    binding.bind_cpu_input("x", X)
    ours.run_with_iobinding(binding)
    assert np.array_equal(binding.copy_outputs_to_cpu()[0], expected)


@pytest.mark.parametrize("axis", ["", "N", "DATA_BATCH"])
def test_other_meanings_of_axes_are_no_classes(axis: str) -> None:
    assert classes_of_text(axis) == ()


def taken(labels: list[str]) -> ModelProto:
    """Return a model that takes its labels from a table of strings."""
    model = single("ArrayFeatureExtractor", {"i": np.array([2, 0])}, "y")
    node = model.graph.node[0]
    node.input[:] = ["labels", "i"]
    table = helper.make_tensor("labels", TensorProto.STRING, [len(labels)], labels)
    model.graph.initializer.append(table)
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.STRING
    return model


def test_labels_from_a_table_are_their_numbers() -> None:
    net = glow.compile(taken(["elm", "ash", "oak"]))
    found = net.run([np.array([2, 0])])
    assert found["y"].tolist() == [[2, 0]]
    assert net.signature.labeled(found)["y"].tolist() == [["oak", "elm"]]


def test_labels_are_those_of_one_list() -> None:
    model = zipped(classlabels_strings=["elm", "ash", "oak"])
    other = taken(["fir"]).graph
    model.graph.node.extend(other.node)
    model.graph.initializer.extend(other.initializer)
    model.graph.input.extend(other.input)
    model.graph.node[-1].output[0] = "w"
    model.graph.output.add(name="w").type.tensor_type.elem_type = TensorProto.STRING
    with pytest.raises(glow.GlowError, match="labels are strings of several lists"):
        glow.load(model)


@pytest.mark.slow
def test_probabilities_of_two_classes_are_what_the_iteration_nears() -> None:
    import onnxruntime

    given = machine(2, "RBF", prob_a=[-1.5], prob_b=[0.3])
    model = single("SVMClassifier", {"x": X}, "y z", **given)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    labels, scores = session.run(None, {"x": X})
    outputs = glow.compile(model).run({"x": X})
    assert np.array_equal(outputs["y"], labels)
    np.testing.assert_allclose(outputs["z"], scores, atol=5e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trees_of_version_5_give_elements_of_their_input(dtype: Any) -> None:
    weights = np.array([5.23, 12.12, -12.23, 7.21], dtype)
    nodes = {
        "tree_roots": [0],
        "nodes_modes": numpy_helper.from_array(np.zeros(3, np.uint8), "modes"),
        "nodes_featureids": [0, 0, 0],
        "nodes_splits": numpy_helper.from_array(np.array([3, 1, 4], dtype), "splits"),
        "nodes_truenodeids": [1, 0, 2],
        "nodes_trueleafs": [0, 1, 1],
        "nodes_falsenodeids": [2, 1, 3],
        "nodes_falseleafs": [0, 1, 1],
        "leaf_targetids": [0, 1, 0, 1],
        "leaf_weights": numpy_helper.from_array(weights, "weights"),
    }
    each = helper.make_node(
        "TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", n_targets=2, **nodes
    )
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    ends = [helper.make_tensor_value_info(n, kind, [3, 2]) for n in ("x", "y")]
    graph = helper.make_graph([each], "trees", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("ai.onnx.ml", 5), helper.make_opsetid("", 21)]
    net = glow.compile(helper.make_model(graph, opset_imports=opsets))
    found = net(np.array([[1.2, 0], [-0.12, 0], [4.14, 0]], dtype))
    assert found.dtype == dtype
    expected = np.zeros((3, 2), dtype)
    expected[[0, 1, 2], [1, 0, 1]] = weights[[1, 0, 3]]
    np.testing.assert_array_equal(found, expected)


ANY = [-np.inf, -1.0, -0.0, 0.0, 0.5, np.inf, np.nan]
TESTS: dict[str, Any] = {
    "BRANCH_LEQ": np.less_equal,
    "BRANCH_LT": np.less,
    "BRANCH_GTE": np.greater_equal,
    "BRANCH_GT": np.greater,
    "BRANCH_EQ": np.equal,
    "BRANCH_NEQ": np.not_equal,
}


@pytest.mark.parametrize("tracked", ["none", "all", "some"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_is_compared_with_any_other(dtype: Any, tracked: str) -> None:
    """One tree for each comparison and value; absent values go where nodes say."""
    found: list[tuple[str, float, bool]] = []
    for mode in TESTS:
        for i, value in enumerate(ANY):
            found.append(
                (mode, value, tracked == "all" or (tracked == "some" and i % 2))
            )
    count = len(found)
    at = np.repeat(np.arange(count), 3)
    nodes: dict[str, Any] = {
        "nodes_treeids": at,
        "nodes_nodeids": [0, 1, 2] * count,
        "nodes_modes": [m for mode, _, _ in found for m in (mode, "LEAF", "LEAF")],
        "nodes_featureids": [0] * 3 * count,
        "nodes_truenodeids": [1, 0, 0] * count,
        "nodes_falsenodeids": [2, 0, 0] * count,
        "nodes_values": [v for _, value, _ in found for v in (value, 0.0, 0.0)],
        "nodes_missing_value_tracks_true": [
            t for _, _, tracks in found for t in (int(tracks), 0, 0)
        ],
        "target_treeids": np.arange(count),
        "target_nodeids": [1] * count,
        "target_ids": np.arange(count),
        "target_weights": [1.0] * count,
    }
    x = np.array(ANY, dtype).reshape(-1, 1)
    proto = single("TreeEnsembleRegressor", {"x": x}, "y", n_targets=count, **nodes)
    wanted = np.stack(
        [
            TESTS[mode](x[:, 0], dtype(value)) | (np.isnan(x[:, 0]) & bool(tracks))
            for mode, value, tracks in found
        ],
        axis=1,
    )
    np.testing.assert_array_equal(glow.compile(proto)(x), wanted)
