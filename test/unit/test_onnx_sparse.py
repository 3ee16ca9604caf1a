"""Sparse weights and constants: dense arrays in IR, or refused in one line."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, SparseTensorProto, TensorProto, helper, numpy_helper
from small_onnx import info, model, node

import glow
from glow.formats.onnx import import_model
from glow.support.errors import GlowError, InvalidModelError, UnsupportedModelError

SHAPE = (3, 4)
PLACES = [1, 6, 11]
VALUES = np.array([1.5, -2, 3], np.float32)
DENSE = np.zeros(12, np.float32)
DENSE[PLACES] = VALUES
DENSE = DENSE.reshape(SHAPE)


def sparse(
    indices: Any, shape: Sequence[int] = SHAPE, values: Any = VALUES, name: str = "w"
) -> SparseTensorProto:
    return helper.make_sparse_tensor(
        numpy_helper.from_array(np.asarray(values), name),
        numpy_helper.from_array(np.asarray(indices), "indices"),
        shape,
    )


def sum_with(weight: SparseTensorProto, dense: bool = False) -> ModelProto:
    weights = {"v": np.ones(SHAPE, np.float32)} if dense else None
    nodes = [node("Add", "x v" if dense else "x w", "h"), node("Add", "h w", "y")]
    found = model(nodes, {"x": SHAPE}, ["y"], weights)
    found.graph.sparse_initializer.append(weight)
    return found


def result_of(source: ModelProto) -> np.ndarray[Any, Any]:
    net = glow.compile(source, target="reference")
    return net.run({"x": np.zeros(SHAPE, np.float32)})["y"]


@pytest.mark.parametrize(
    "indices",
    [np.array(PLACES), np.array([[0, 1], [1, 2], [2, 3]])],
    ids=["flat", "by axis"],
)
def test_weights_become_dense(indices: Any) -> None:
    np.testing.assert_array_equal(result_of(sum_with(sparse(indices))), 2 * DENSE)
    mixed = result_of(sum_with(sparse(indices), dense=True))
    np.testing.assert_array_equal(mixed, DENSE + 1)


def test_a_weight_of_nothing_is_zero() -> None:
    none = np.zeros(0, np.int64), np.zeros(0, np.float32)
    assert not result_of(sum_with(sparse(none[0], values=none[1]))).any()
    pairs = sparse(np.zeros((0, 2), np.int64), values=none[1])
    assert not result_of(sum_with(pairs)).any()


def test_a_weight_that_older_files_list_among_the_inputs() -> None:
    source = sum_with(sparse(np.array(PLACES)))
    source.graph.input.append(info("w", SHAPE))
    np.testing.assert_array_equal(result_of(source), 2 * DENSE)


def test_a_constant_becomes_dense() -> None:
    nodes = [
        node("Constant", "", "c", sparse_value=sparse(np.array(PLACES))),
        node("Add", "x c", "y"),
    ]
    found = result_of(model(nodes, {"x": SHAPE}, ["y"]))
    np.testing.assert_array_equal(found, DENSE)


REFUSED: dict[str, tuple[SparseTensorProto, type[GlowError], str]] = {
    "index type": (
        sparse(np.array(PLACES, np.int32)),
        InvalidModelError,
        "has indices int32[3], expected int64[3] or int64[3, 2]",
    ),
    "index count": (
        sparse(np.array([1, 2])),
        InvalidModelError,
        "has indices int64[2], expected int64[3] or int64[3, 2]",
    ),
    "index axes": (
        sparse(np.zeros((3, 3), np.int64)),
        InvalidModelError,
        "has indices int64[3, 3]",
    ),
    "outside": (
        sparse(np.array([1, 2, 12])),
        InvalidModelError,
        "has indices outside of [3, 4]",
    ),
    "negative": (
        sparse(np.array([-1, 2, 3])),
        InvalidModelError,
        "has indices outside of [3, 4]",
    ),
    "outside one axis": (
        sparse(np.array([[0, 0], [0, 4], [1, 0]])),
        InvalidModelError,
        "has indices outside of [3, 4]",
    ),
    "order": (
        sparse(np.array([2, 1, 3])),
        InvalidModelError,
        "has indices that do not ascend",
    ),
    "twice": (
        sparse(np.array([[0, 1], [0, 1], [1, 0]])),
        InvalidModelError,
        "has indices that do not ascend",
    ),
    "value axes": (
        sparse(np.array(PLACES), values=VALUES.reshape(3, 1)),
        InvalidModelError,
        "has 2 axes of values and 2 axes itself, expected 1 and at least 1",
    ),
    "no axes": (
        sparse(np.zeros(1, np.int64), (), VALUES[:1]),
        InvalidModelError,
        "has 1 axes of values and 0 axes itself",
    ),
    "too large": (
        sparse(np.array(PLACES), (1 << 16, 1 << 16)),
        UnsupportedModelError,
        "a sparse tensor of shape [65536, 65536]",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_sparse_tensor_is_refused(name: str) -> None:
    weight, error, message = REFUSED[name]
    with pytest.raises(error) as caught:
        import_model(sum_with(weight))
    assert message in str(caught.value)
    assert 'initializer "w"' in str(caught.value)


def test_two_weights_of_one_name_are_refused() -> None:
    source = sum_with(sparse(np.array(PLACES)))
    source.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [0], []))
    with pytest.raises(InvalidModelError, match='two initializers named "w"'):
        import_model(source)
