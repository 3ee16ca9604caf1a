"""Gradients of imported models, and what `Model.gradient` refuses."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import glow
from glow.model import Model

Weights = dict[str, np.ndarray]

RNG = np.random.default_rng(0)
WEIGHTS = {
    "w": RNG.standard_normal((4, 3)),
    "b": np.zeros(4),  # uniform constants stand in the code
}
IMAGE, LABELS = RNG.standard_normal((5, 3)), np.array([0, 1, 2, 3, 1])


def classifier(weights: Weights, nodes: list[object] | None = None) -> Model:
    default = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"], transB=1),
        helper.make_node("Tanh", ["h"], ["scores"]),
        helper.make_node("SoftmaxCrossEntropyLoss", ["scores", "t"], ["loss"]),
    ]
    graph = helper.make_graph(
        nodes or default,
        "classifier",
        [
            helper.make_tensor_value_info("x", TensorProto.DOUBLE, (5, 3)),
            helper.make_tensor_value_info("t", TensorProto.INT64, (5,)),
        ],
        [
            helper.make_tensor_value_info("scores", TensorProto.DOUBLE, (5, 4)),
            helper.make_tensor_value_info("loss", TensorProto.DOUBLE, ()),
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    return glow.load(helper.make_model(graph, opset_imports=opsets))


def loss_at(weights: Weights, image: np.ndarray) -> float:
    run = glow.compile(classifier(weights), target="reference")
    return run.run({"x": image, "t": LABELS})["loss"].item()


@pytest.mark.parametrize("target", ["reference", "cpu"])
def test_gradients_are_outputs_beside_those_of_the_model(target: str) -> None:
    model = classifier(WEIGHTS).gradient(["w", "b", "x"], loss="loss")
    found = glow.compile(model, target=target).run({"x": IMAGE, "t": LABELS})
    assert list(found) == ["scores", "loss", "w_gradient", "b_gradient", "x_gradient"]
    for name in ("w", "b", "x"):
        given = {**WEIGHTS, "x": IMAGE}
        line = RNG.standard_normal(given[name].shape)
        sides = []
        for step in (1e-6, -1e-6):
            moved = {**given, name: given[name] + step * line}
            image = moved.pop("x")
            sides.append(loss_at(moved, image))
        slope = (found[f"{name}_gradient"] * line).sum()
        assert slope == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6)


def test_the_model_itself_stays() -> None:
    model = classifier(WEIGHTS)
    text = str(model)
    model.gradient(["w"], loss="loss")
    assert str(model) == text


@pytest.mark.parametrize(
    ("of", "loss", "message"),
    [
        (["v"], "loss", 'no gradient of "v", expected inputs or constants of floats'),
        (["t"], "loss", 'of floats out of "x", "w", "b"$'),
        (["w"], None, 'expected a loss out of the outputs "scores", "loss", got none'),
        (["w"], "lost", 'out of the outputs "scores", "loss", got "lost"'),
        (
            ["w"],
            "scores",
            "expected a loss that is one number of floats, got tensor<5x4",
        ),
    ],
)
def test_wrong_names(of: list[str], loss: str | None, message: str) -> None:
    with pytest.raises(glow.BindingError, match=message):
        classifier(WEIGHTS).gradient(of, loss)


def test_what_the_loss_does_not_depend_on() -> None:
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["scores"], transB=1),
        helper.make_node("ReduceSum", ["x"], ["loss"], keepdims=0),
    ]
    with pytest.raises(glow.BindingError, match='the loss does not depend on "w"'):
        classifier(WEIGHTS, nodes).gradient(["w"], "loss")


def test_an_op_without_a_gradient_is_named_with_the_way_from_it() -> None:
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["scores"], transB=1),
        helper.make_node("Pad", ["x", "widths"], ["square"]),
        helper.make_node("MatMul", ["square", "v"], ["wide"]),
        helper.make_node("Det", ["wide"], ["volume"], name="Volume"),
        helper.make_node("Neg", ["volume"], ["loss"], name="Sign"),
    ]
    weights = {
        **WEIGHTS,
        "v": RNG.standard_normal((3, 9)),
        "widths": np.array([0, 0, 4, 0]),
    }
    with pytest.raises(glow.UnsupportedModelError) as caught:
        classifier(weights, nodes).gradient(["x"], "loss")
    assert str(caught.value) == (
        "cannot differentiate graph.det: a matrix of 9 rows has too many minors, "
        "expected at most 8; the way from it to the results is graph.det (Volume) -> "
        "graph.neg (Sign)"
    )


def test_open_dimensions_and_later_levels_are_refused() -> None:
    shape = helper.make_tensor_value_info("x", TensorProto.FLOAT, ("n",))
    end = helper.make_tensor_value_info("loss", TensorProto.FLOAT, ())
    node = helper.make_node("ReduceSum", ["x"], ["loss"], keepdims=0)
    graph = helper.make_graph([node], "sum", [shape], [end])
    opsets = [helper.make_opsetid("", 17)]
    model = glow.load(helper.make_model(graph, opset_imports=opsets))
    with pytest.raises(ValueError, match="got open ones: n"):
        model.gradient(["x"])


def test_constants_become_inputs_and_are_bound_again() -> None:
    model = classifier(WEIGHTS)
    freed, values = model.free(["b", "w"])
    assert {name: array.tolist() for name, array in values.items()} == {
        name: WEIGHTS[name].tolist() for name in ("b", "w")
    }
    given = {"x": IMAGE, "t": LABELS}
    expected = glow.compile(model).run(given)["loss"]
    doubled = {name: 2 * array for name, array in values.items()}
    assert glow.compile(freed).run(given | values)["loss"] == pytest.approx(expected)
    assert glow.compile(freed).run(given | doubled)["loss"] != pytest.approx(expected)
    assert glow.compile(freed.bind(values)).run(given)["loss"] == expected
    with pytest.raises(glow.BindingError, match='no parameter is called "x", expected'):
        model.free(["x"])
