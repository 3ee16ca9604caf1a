"""Models with open dimensions as ONNX: one model that is right for all extents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from grids import slow_but
from operators.oracle import run_onnxruntime
from small_onnx import info, model, node

import glow

F32 = np.float32
WEIGHTS = np.random.default_rng(0).standard_normal((4, 8)).astype(F32)


@glow.composite
def halves(x: Any) -> Any:
    return x.reshape(2 * x.shape[0], -1)


@glow.composite
def swish(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def shapes(x: Any, y: Any) -> Any:
    """Use extents in all ways that a model can say."""
    batch, length, _ = x.shape
    rows = np.maximum(x @ WEIGHTS, 0).reshape(batch * length, 8)
    return {
        "rows": rows,
        "mean": rows.sum(0) / batch,
        "joined": np.concatenate([x.reshape(batch, -1), y], axis=1),
        "rest": x[:, 1:],
        "halves": halves(rows),
        "filled": np.zeros((batch, 3), F32) + x[:, 0, :3],
        "looped": glow.fori_loop(
            0, 3, lambda _, s: s + np.ones((batch, length), F32), x[..., 0]
        ),
        "swish": swish(y),
    }


def exported(f: Callable[..., Any], path: Path, *shapes: tuple[int | str, ...]) -> Any:
    """Export a function of arrays of these shapes, and return the model."""
    traced = glow.trace(f, *(glow.ShapeDtype(shape, F32) for shape in shapes))
    traced.export(path / "net.onnx")
    proto = onnx.load(path / "net.onnx")
    onnx.checker.check_model(proto, full_check=True)
    return proto


@pytest.mark.slow
def test_one_model_is_right_for_all_extents(tmp_path: Path) -> None:
    proto = exported(shapes, tmp_path, ("batch", "length", 4), ("batch", 5))
    dims = [d.dim_param or d.dim_value for d in _dims(proto.graph.input[0])]
    assert dims == ["batch", "length", 4]
    texts = [d.dim_param for out in proto.graph.output for d in _dims(out)]
    assert {"batch*length", "4*length + 5", "length - 1", "2*batch*length"} <= {*texts}
    net = glow.compile(tmp_path / "net.onnx", target="reference")
    rng = np.random.default_rng(0)
    for batch, length in ((1, 1), (2, 3), (5, 2)):
        x = rng.standard_normal((batch, length, 4)).astype(F32)
        y = rng.standard_normal((batch, 5)).astype(F32)
        expected = shapes(x, y).values()
        found = run_onnxruntime(proto, {"x": x, "y": y})
        for several in (found, net(x, y)):
            for each, wanted in zip(several, expected, strict=True):
                np.testing.assert_allclose(each, wanted, rtol=1e-5, atol=1e-5)


def _dims(info: Any) -> Any:
    return info.type.tensor_type.shape.dim


def test_composites_stay_whole_unless_extents_are_in_them(tmp_path: Path) -> None:
    proto = exported(lambda x: swish(x), tmp_path, ("n", 3))
    assert [f.name for f in proto.functions] == ["swish"]
    proto = exported(lambda x: halves(swish(x)), tmp_path, ("n", 4))
    assert not proto.functions


def test_multiples_of_16_are_tried_where_others_do_not_fit(tmp_path: Path) -> None:
    def blocks(x: Any) -> Any:
        return x.reshape(-1, 8).sum(axis=1) * 2

    proto = exported(blocks, tmp_path, ("n",))
    x = np.arange(32, dtype=F32)
    (found,) = run_onnxruntime(proto, {"x": x})
    np.testing.assert_array_equal(found, blocks(x))


def test_a_model_that_was_read_is_written_with_its_dimensions(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "n"),
        node("Concat", "n two", "wanted", axis=0),
        node("Reshape", "x wanted", "y"),
    ]
    weights = {"zero": np.array([0]), "two": np.array([2, 2])}
    loaded = glow.load(model(nodes, {"x": ("n", 4)}, [info("y", ("n", 2, 2))], weights))
    loaded.export(tmp_path / "net.onnx")
    proto = onnx.load(tmp_path / "net.onnx")
    x = np.arange(12, dtype=F32).reshape(3, 4)
    (found,) = run_onnxruntime(proto, {"x": x})
    np.testing.assert_array_equal(found, x.reshape(3, 2, 2))


def test_older_opsets_are_written_too(tmp_path: Path) -> None:
    traced = glow.trace(lambda x: x.reshape(-1), glow.ShapeDtype(("n", 4), F32))
    traced.export(tmp_path / "net.onnx", opset=13)
    x = np.ones((3, 4), F32)
    (found,) = run_onnxruntime(onnx.load(tmp_path / "net.onnx"), {"x": x})
    assert found.shape == (12,)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "a sequence": (
        lambda x: x + np.arange(x.shape[0], dtype=F32)[:, None],
        "a constant of another shape for other extents",
    ),
    "a quotient": (
        lambda x: x.sum(0) * np.float32(1 / x.shape[0]),
        "a constant that is not a sum of products of dimensions",
    ),
    "a loop of Python": (
        lambda x: sum(x[i] for i in range(x.shape[0])),
        "other nodes for other extents",
    ),
    "a matrix": (
        lambda x: x @ np.full((4, 4), [*range(3), x.shape[0]], F32),
        "another constant for other extents",
    ),
}


@pytest.mark.parametrize(
    "name", slow_but(REFUSED, *({*REFUSED} - {"a loop of Python"}))
)
def test_what_a_model_cannot_say_is_named(name: str, tmp_path: Path) -> None:
    function, message = REFUSED[name]
    expected = rf"open dimensions n: {message} \(.*\); specialize gives them extents"
    with pytest.raises(glow.UnsupportedModelError, match=expected):
        exported(function, tmp_path, ("n", 4))


def test_at_most_four_dimensions_are_open(tmp_path: Path) -> None:
    with pytest.raises(
        glow.UnsupportedModelError, match=r"at most 4 open dim.*a, b, c"
    ):
        exported(lambda x, y: (x, y), tmp_path, ("a", "b", "c", "d"), ("e",))


def test_dimensions_that_follow_from_others_are_written(tmp_path: Path) -> None:
    state = glow.Variable(np.zeros(3, F32), "state")

    def network(x: Any) -> Any:
        return x.sum() + state

    proto = exported(network, tmp_path, ("m + 1", "m"))
    assert [d.dim_param for d in _dims(proto.graph.input[0])] == ["m + 1", "m"]
    found = run_onnxruntime(
        proto, {"x": np.ones((3, 2), F32), "state": np.ones(3, F32)}
    )
    np.testing.assert_array_equal(found[0], [7, 7, 7])
