"""Models written in Python: ops, layers, weights, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from operators.oracle import run_onnxruntime
from repository import ROOT
from small_onnx import model as onnx_model
from small_onnx import node

import glow
from glow import initializers
from glow.dialects.graph.storage import ConstantOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.registry import UNIVERSE
from glow.runtime.comparison import error_of

Array = np.ndarray[Any, Any]


def constants_of(model: glow.Model) -> dict[str, Array]:
    found = (op for op in model.module.ops if isinstance(op, ConstantOp))
    return {op.sym_name.data: op.array for op in found if op.array is not None}


def run(b: glow.Builder, *arrays: Array) -> Any:
    return glow.compile(b.model(), "reference")(*arrays)


def image(*shape: int) -> Array:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_layers_are_those_of_onnx_runtime(target: str) -> None:
    b = glow.Builder()
    x = b.input("x", (1, 4, 9, 8))
    y = b.relu(b.batch_norm(b.conv(x, 6, kernel=(3, 5), stride=2, groups=2)))
    b.output("y", b.linear(b.layer_norm(y, axis=-1), 7))
    model = b.model()
    nodes = [
        node("Conv", "x f b", "c", auto_pad="SAME_UPPER", strides=[2, 2], group=2),
        node("BatchNormalization", "c s t m v", "n"),
        node("Relu", "n", "r"),
        node("LayerNormalization", "r ls lb", "l"),
        node("MatMul", "l w", "p"),
        node("Add", "p wb", "y"),
    ]
    names = {"f": "conv.filter", "b": "conv.bias", "w": "linear.weight"}
    names |= {"ls": "layer_norm.scale", "lb": "layer_norm.bias", "wb": "linear.bias"}
    slots = {"s": "scale", "t": "bias", "m": "mean", "v": "variance"}
    names |= {key: f"batch_norm.{slot}" for key, slot in slots.items()}
    made = constants_of(model)
    weights = {key: made[name] for key, name in names.items()}
    source = onnx_model(nodes, {"x": (1, 4, 9, 8)}, ["y"], weights)
    feeds = {"x": image(1, 4, 9, 8)}
    found = glow.compile(model, target)(feeds["x"])
    assert error_of(np.asarray(found), run_onnxruntime(source, feeds)[0]) <= 1e-5


@pytest.mark.parametrize(
    ("kind", "onnx_name", "gates"), [("lstm", "LSTM", 4), ("gru", "GRU", 3)]
)
def test_recurrent_layers(kind: str, onnx_name: str, gates: int) -> None:
    b = glow.Builder()
    x = b.input("x", (5, 2, 3))
    options: dict[str, Any] = {"with_y_h": False}
    if kind == "lstm":
        options["with_y_c"] = False
    layer = getattr(b, kind)
    b.output("y", layer(x, 4, direction="bidirectional", **options))
    made = constants_of(b.model())
    assert made[f"{kind}.weights"].shape == (2, gates * 4, 3)
    weights = {key: made[f"{kind}.{key}"] for key in ("weights", "recurrence", "bias")}
    each = node(
        onnx_name, "x weights recurrence bias", "y",
        direction="bidirectional", hidden_size=4,
    )  # fmt: skip
    source = onnx_model([each], {"x": (5, 2, 3)}, ["y"], weights)
    feeds = {"x": image(5, 2, 3)}
    expected = run_onnxruntime(source, feeds)[0]
    assert error_of(np.asarray(run(b, feeds["x"])), expected) <= 1e-5


def test_a_plain_recurrent_layer_and_an_embedding() -> None:
    b = glow.Builder()
    rows = b.embedding(b.input("i", (5, 2), np.int64), 11, 3)
    y, y_h = b.rnn(rows, 4, bias=False)
    b.output("y", y)
    b.output("h", y_h)
    indices = np.arange(10).reshape(5, 2)
    found = run(b, indices)
    made = constants_of(b.model())
    x, h = made["embedding.table"][indices], np.zeros((2, 4), np.float32)
    for step in range(5):
        h = np.tanh(
            x[step] @ made["rnn.weights"][0].T + h @ made["rnn.recurrence"][0].T
        )
        np.testing.assert_allclose(found[0][step, 0], h, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1][0], h, rtol=1e-5, atol=1e-6)


def test_every_op_is_a_call() -> None:
    b = glow.Builder()
    for op in UNIVERSE.all_dialects["graph"]().operations:
        kind = op.name.partition(".")[2]
        if hasattr(op, "compute"):
            assert kind in dir(b)
            assert callable(getattr(b, kind))


def test_operands_by_name_numbers_and_several() -> None:
    b = glow.Builder()
    x = b.input("x", (2, 3))
    doubled = b.mul(x, 2)
    joined = b.concat([doubled, x, np.zeros((2, 1), np.float32)], axis=1)
    b.output("y", b.clip(joined, max=1.5))
    values, indices = b.top_k(joined, k=2, largest=True)
    b.output("v", values)
    b.output("i", indices)
    x = image(2, 3)
    y, v, i = run(b, x)
    expected = np.concatenate([2 * x, x, np.zeros((2, 1))], 1)
    np.testing.assert_array_equal(y, np.minimum(expected, 1.5).astype(np.float32))
    np.testing.assert_array_equal(np.take_along_axis(expected, i, 1), v)


def test_values_have_operators_and_indices() -> None:
    b = glow.Builder()
    x = b.input("x", (2, 3))
    assert (x.shape, x.dtype, x.ndim) == ((2, 3), np.dtype(np.float32), 2)
    y = (1 - x[:, :2]) @ np.ones((2, 3), np.float32) / 2 + b.relu(x) % 2
    b.output("y", y)
    array = image(2, 3)
    expected = (1 - array[:, :2]) @ np.ones((2, 3), np.float32) / 2
    expected += np.maximum(array, 0) % 2
    np.testing.assert_allclose(run(b, array), expected, rtol=1e-6)
    other = glow.Builder("other").input("z", (2, 3))
    with pytest.raises(ValueError, match='expected a value of builder "model"'):
        x + other
    with pytest.raises(glow.InvalidModelError, match=r'graph.matmul "matmul_1": lhs'):
        x @ x
    with pytest.raises(glow.InvalidModelError, match="expected a number of type i64"):
        b.input("i", (2,), np.int64) * 0.5


def test_ops_of_another_package_have_their_dialect() -> None:
    b = glow.Builder()
    x = b.input("x", (2,))
    b.output("y", b.op("graph.neg", x))
    np.testing.assert_array_equal(run(b, np.float32([1, 2])), [-1, -2])


def test_a_model_stays_as_it_was_when_more_is_added() -> None:
    b = glow.Builder("net")
    x = b.input("x", (2,))
    b.output("y", b.neg(x))
    first = b.model()
    text = str(first)
    b.output("z", b.abs(x))
    assert str(first) == text
    assert len(glow.compile(b.model(), "reference").outputs) == 2
    assert first.name == "net"


def test_constants_are_copied() -> None:
    b = glow.Builder()
    array = np.ones(100, np.float32)
    b.output("y", b.add(b.input("x", (100,)), b.constant(array)))
    array[...] = 7
    assert run(b, np.zeros(100, np.float32)).max() == 1


def test_ops_and_weights_carry_their_names() -> None:
    b = glow.Builder()
    x = b.input("x", (2, 4))
    b.output("y", b.linear(b.linear(x, 3), 3, name="head"))
    text = str(b.model())
    for name in ("linear.weight", "linear.bias", "head.weight", "head.bias"):
        assert f"graph.constant @{name} " in text
    places = {str(op.location) for op in b.model().module.walk() if op.results}
    assert {'loc("linear")', 'loc("head")', 'loc("x")'} <= places


REFUSED: dict[str, tuple[Callable[[glow.Builder, Any], object], Any, str]] = {
    "an op": (
        lambda b, x: b.rellu(x),
        AttributeError,
        'expected the name of an op on tensors, got "rellu", did you mean relu or',
    ),
    "an op of a dialect": (
        lambda b, x: b.op("layout.relu", x),
        ValueError,
        'expected the name of an op on tensors, got "layout.relu"',
    ),
    "an op by a number": (
        lambda b, _: b.op(3),
        TypeError,
        "expected the name of an op on tensors, got 3",
    ),
    "sizes": (
        lambda b, _: b.conv(b.input("z", (1, 3, 8, 8)), 4, kernel=(3, 3, 3)),
        ValueError,
        "expected one size, or one for each of 2 axes, got (3, 3, 3)",
    ),
    "an extent": (
        lambda b, x: b.linear(x, -1),
        ValueError,
        "linear: expected an integer from 0 on as features, got -1",
    ),
    "an extent of a weight": (
        lambda b, x: b.weight("w", (3, -1), initializers.ones()),
        ValueError,
        'expected extents from 0 on of "w", got [3, -1]',
    ),
    "a parameter": (
        lambda b, x: b.relu(x, slope=1),
        TypeError,
        "graph.relu: got an unexpected keyword argument 'slope'",
    ),
    "a parameter that is missing": (
        lambda b, x: b.transpose(x),
        TypeError,
        "graph.transpose: missing a required argument: 'permutation'",
    ),
    "operands": (
        lambda b, x: b.relu(x, x),
        TypeError,
        "graph.relu: expected at most 1 operands, got 2",
    ),
    "shapes": (
        lambda b, x: b.matmul(x, np.zeros((5, 2), np.float32), name="fc"),
        glow.InvalidModelError,
        'graph.matmul "fc": lhs has 3 columns but rhs has 5 rows',
    ),
    "padding": (
        lambda b, x: b.conv(b.reshape(x, shape=(1, 1, 2, 3)), 2, 3, padding="full"),
        ValueError,
        'expected padding "same", "valid" or numbers, got \'full\'',
    ),
    "an input's name": (
        lambda b, x: b.input("x", (1,)),
        ValueError,
        'expected a name that is not taken, got "x"',
    ),
    "an output's name": (
        lambda b, x: b.output("x", x),
        ValueError,
        'expected a name that is not taken, got "x"',
    ),
    "no output": (
        lambda b, x: b.model(),
        ValueError,
        'expected an output of model "model", got none',
    ),
    "fans": (
        lambda b, x: b.weight("w", (2, 3), initializers.he()),
        ValueError,
        'weight "w": expected the fans that he_normal scales by, got none',
    ),
    "a deviation": (
        lambda b, x: b.weight("w", (2, 3), initializers.normal(std="a")),  # pyright: ignore
        ValueError,
        "weight \"w\": normal(mean=0.0, std='a', seed=0): could not convert string to",
    ),
    "a distribution": (
        lambda b, x: initializers.glorot(distribution="even"),  # pyright: ignore
        ValueError,
        "expected a distribution out of normal, uniform, got 'even'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused(name: str) -> None:
    make, error, message = REFUSED[name]
    b = glow.Builder()
    x = b.input("x", (2, 3))
    with pytest.raises(error) as caught:
        make(b, x)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("init", "text", "mean", "deviation"),
    [
        (initializers.zeros(), "zeros()", 0, 0),
        (initializers.ones(), "ones()", 1, 0),
        (initializers.constant(2.5), "constant(value=2.5)", 2.5, 0),
        (initializers.normal(1, 2), "normal(mean=1, std=2, seed=0)", 1, 2),
        (initializers.uniform(0, 6), "uniform(low=0, high=6, seed=0)", 3, 3**0.5),
        (
            initializers.he(7),
            "he_normal(seed=7, fan_in=200, fan_out=300)",
            0,
            (2 / 200) ** 0.5,
        ),
        (
            initializers.he(distribution="uniform"),
            "he_uniform(seed=0, fan_in=200, fan_out=300)",
            0,
            (2 / 200) ** 0.5,
        ),
        (
            initializers.glorot(),
            "glorot_uniform(seed=0, fan_in=200, fan_out=300)",
            0,
            (2 / 500) ** 0.5,
        ),
        (
            initializers.glorot(distribution="normal"),
            "glorot_normal(seed=0, fan_in=200, fan_out=300)",
            0,
            (2 / 500) ** 0.5,
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, initializers.Initializer) else "",
)
def test_weights_start_as_their_text_says(
    init: initializers.Initializer, text: str, mean: float, deviation: float
) -> None:
    b = glow.Builder()
    b.output("y", b.linear(b.input("x", (1, 200)), 300, init=init))
    model = b.model()
    drawn = constants_of(model)["linear.weight"]
    assert drawn.dtype == np.float32
    assert abs(drawn.mean() - mean) <= 0.02 * deviation
    assert abs(drawn.std() - deviation) <= 0.01 * deviation
    if "uniform" in text:
        assert np.abs(drawn - mean).max() <= 3**0.5 * deviation * 1.0001
    assert f'{{init = "{text}"}}' in str(model)
    again = parse_text(context(), str(model), "again")
    assert str(again) == str(model)


def test_weights_depend_on_name_and_seed_and_on_nothing_else() -> None:
    def weights(order: str, seed: int = 0) -> dict[str, Array]:
        b = glow.Builder()
        x = b.input("x", (1, 8))
        for name in order:
            b.output(f"y{name}", b.linear(x, 8, init=initializers.he(seed), name=name))
        return constants_of(b.model())

    one, other = weights("ab"), weights("ba")
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert not np.array_equal(one["a.weight"], one["b.weight"])
    assert not np.array_equal(one["a.weight"], weights("ab", 1)["a.weight"])


@pytest.mark.slow
def test_every_process_draws_the_same() -> None:
    program = ROOT / "examples" / "build_network.py"
    texts = [
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import build_network; print(build_network.network())",
            ],
            cwd=program.parent,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1]
    assert "he_normal(seed=1, fan_in=75, fan_out=400)" in texts[0]


@pytest.mark.slow
def test_the_example_runs() -> None:
    done = subprocess.run(
        [sys.executable, "build_network.py"],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("image ") == 4
