"""Tensors to compute with: what operators, functions and indices write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.tensors import GraphWriter, SourceOp, Tensor, emit
from glow.dialects.graph.unary import ErfOp

Array = np.ndarray[Any, Any]


class Evaluated(GraphWriter):
    """Computes each op where it is written."""

    def __init__(self) -> None:
        self.arrays: dict[SSAValue, Array] = {}
        self.ops: list[str] = []

    def insert(self, op: SourceOp) -> tuple[SSAValue, ...]:
        if isinstance(op, LiteralOp):
            self.arrays[op.result] = op.array
        else:
            assert isinstance(op, GraphOp)
            op.verify()
            self.ops.append(op.name.removeprefix("graph."))
            found = op.evaluate([self.arrays[value] for value in op.operands])
            self.arrays |= zip(op.results, found, strict=True)
        return tuple(op.results)


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(0).uniform(-5, 5, shape).astype(dtype)


X, Y = numbers(2, 3), numbers(3) + np.float32(0.5)
N, M = numbers(2, 3, dtype=np.int32), np.array([1, 2, -3], np.int32)
B, C = X > 0, np.array([True, False, True])

BINARY: dict[str, tuple[Callable[[Any, Any], Any], tuple[Any, Any]]] = {
    "add": (lambda x, y: x + y, (X, Y)),
    "subtract a number": (lambda x, _: x - 2, (X, Y)),
    "subtract from a number": (lambda x, _: 2 - x, (X, Y)),
    "multiply by an array": (lambda x, _: Y * x, (X, Y)),
    "divide": (lambda x, y: x / y, (X, Y)),
    "divide a number": (lambda x, _: 1 / x, (X, Y)),
    "power": (lambda x, _: abs(x) ** 1.5, (X, Y)),
    "power of a number": (lambda x, _: 2**x, (X, Y)),
    "remainder of floats": (lambda x, y: x % y, (X, Y)),
    "remainder of integers": (lambda x, y: x % y, (N, M)),
    "remainder of a number": (lambda x, y: 7 % y, (N, M)),
    "matrix product": (lambda x, y: x @ y, (X, Y)),
    "integers and a number": (lambda x, _: 3 * x + 1, (N, M)),
    "negative": (lambda x, _: -x + +x, (X, Y)),
    "less": (lambda x, y: (x < y) | (x >= 4), (X, Y)),
    "greater": (lambda x, y: (x > y) & (x <= 4), (X, Y)),
    "equal": (lambda x, y: (x == y) ^ (x != 1), (N, M)),
    "not": (lambda x, y: ~x | y, (B, C)),
    "bits": (lambda x, y: (x & 3 | y) ^ ~x, (N, M)),
    "transpose": (lambda x, y: x.T, (X, Y)),
    "reshape": (lambda x, _: x.reshape(3, -1), (X, Y)),
    "astype": (lambda x, _: x.astype(np.int32), (X, Y)),
}


@pytest.mark.parametrize("name", BINARY)
def test_operators_are_those_of_numpy(name: str) -> None:
    function, arrays = BINARY[name]
    writer = Evaluated()
    result = function(*map(writer.tensor, arrays))
    expected = function(*arrays)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(writer.arrays[result.value], expected, rtol=1e-6)


INDICES: dict[str, Any] = {
    "an integer": 1,
    "from the end": (-1, -2),
    "a slice": slice(1, None),
    "the last axis": (..., slice(0, 2)),
    "steps": (slice(None), slice(None, None, 2)),
    "backwards": (slice(None), slice(None, None, -2)),
    "new axes": (None, ..., None, 0),
    "nothing": (slice(2, 1), slice(5, 9)),
    "all": ...,
}


@pytest.mark.parametrize("name", INDICES)
def test_indices_are_those_of_numpy(name: str) -> None:
    writer, array = Evaluated(), numbers(3, 4, 5)
    result, expected = writer.tensor(array)[INDICES[name]], array[INDICES[name]]
    assert result.shape == expected.shape
    np.testing.assert_array_equal(writer.arrays[result.value], expected)


def test_rows_are_iterated() -> None:
    writer, array = Evaluated(), numbers(3, 2)
    rows = [writer.arrays[row.value] for row in writer.tensor(array)]
    np.testing.assert_array_equal(rows, array)


ONE = """
    abs ceil cos cosh exp floor isinf isnan log logical_not negative reciprocal round
    sign sin sinh sqrt tan tanh atan asinh
"""


@pytest.mark.parametrize("name", ONE.split())
def test_functions_of_one_tensor(name: str) -> None:
    array = B if name == "logical_not" else np.abs(X)
    writer = Evaluated()
    result = getattr(xp, name)(writer.tensor(array))
    expected = getattr(np, name)(array)
    np.testing.assert_allclose(writer.arrays[result.value], expected, rtol=1e-6)


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda xp, x: xp.where(x > 0, 0.5, x),
    "where, numbers last": lambda xp, x: xp.where(x > 0, x, -1),
    "maximum": lambda xp, x: xp.maximum(xp.minimum(x, 2), 0),
    "divide": lambda xp, x: xp.divide(1, x) + xp.remainder(x, 3),
    "not equal": lambda xp, x: xp.not_equal(x, x),
    "clip": lambda xp, x: xp.clip(x, -1, 1),
    "permute": lambda xp, x: xp.permute_dims(x, (1, 2, 0)),
    "matrix transpose": lambda xp, x: xp.matrix_transpose(x),
    "broadcast": lambda xp, x: xp.broadcast_to(x, (3, 2, 3, 4)),
    "expand": lambda xp, x: xp.expand_dims(x, axis=-1),
    "squeeze": lambda xp, x: xp.squeeze(xp.reshape(x, (2, 1, 12, 1)), axis=(1, -1)),
    "concat": lambda xp, x: xp.concat([x, x, x], axis=1),
    "stack": lambda xp, x: xp.stack([x, x], axis=-1),
    "tile": lambda xp, x: xp.tile(x, (1, 2, 1)),
    "take": lambda xp, x: xp.take(x, np.array([2, 0]), axis=1),
    "sums": lambda xp, x: xp.sum(x, axis=(0, -1)) + xp.sum(x),
    "mean": lambda xp, x: xp.mean(x, axis=1, keepdims=True),
    "extremes": lambda xp, x: xp.max(x, axis=0) - xp.min(x, axis=0) + xp.prod(x),
    "arguments": lambda xp, x: xp.argmax(x, axis=1) - xp.argmin(x, axis=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_are_those_of_numpy(name: str) -> None:
    array, writer = numbers(2, 3, 4), Evaluated()
    result = CALLS[name](xp, writer.tensor(array))
    expected = CALLS[name](np, array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    found = writer.arrays[result.value]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_elements_by_index_and_running_sums() -> None:
    array, indices, writer = numbers(2, 3), np.array([[2], [0]]), Evaluated()
    x = writer.tensor(array)
    taken, sums = xp.take_along_axis(x, indices), xp.cumulative_sum(x)
    np.testing.assert_array_equal(
        writer.arrays[taken.value], np.take_along_axis(array, indices, -1)
    )
    np.testing.assert_allclose(writer.arrays[sums.value], np.cumsum(array, -1))


def test_nothing_is_written_for_what_changes_nothing() -> None:
    writer = Evaluated()
    x = writer.tensor(X)
    same = [x.reshape(2, 3), x.transpose(0, 1), x.astype("float32"), x[...], x[:2]]
    same += [xp.broadcast_to(x, (2, 3)), xp.concat([x])]
    assert all(each is x for each in same)
    assert not writer.ops


def test_any_op_is_emitted() -> None:
    writer = Evaluated()
    assert emit(ErfOp, writer.tensor(X)).shape == (2, 3)
    assert writer.ops == ["erf"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x, y, i: x + x.T, "cannot broadcast"),
        (lambda x, y, i: x + i, "expected one element type, got f32, i32"),
        (lambda x, y, i: i + 0.5, "expected a number of type i32, got 0.5"),
        (lambda x, y, i: i + (1 << 40), "expected a number of type i32, got 1099"),
        (lambda x, y, i: (i > 0) & 2, "expected a number of type i1, got 2"),
        (lambda x, y, i: i / 2, "expected a float element type, got i32"),
        (lambda x, y, i: x.reshape(4, 2), "expected a shape of 6 elements"),
        (lambda x, y, i: xp.squeeze(x, 0), "expected a shape of 6 elements"),
    ],
)
def test_types_that_disagree(
    function: Callable[[Tensor, Tensor, Tensor], Tensor], message: str
) -> None:
    writer = Evaluated()
    with pytest.raises(VerifyException, match=message):
        function(*map(writer.tensor, (X, Y, N)))


def test_what_is_no_operand_or_index() -> None:
    x = Evaluated().tensor(X)
    assert x.type.element_type != i32
    with pytest.raises(TypeError, match="unsupported operand"):
        x + "1"
    with pytest.raises(TypeError, match="expected a truth value, got a tensor"):
        bool(x == x)
    with pytest.raises(TypeError, match=r"expected integers, slices, None or \.\.\."):
        x["a"]
    with pytest.raises(IndexError, match="expected at most 2 indices"):
        x[0, 0, 0]
    with pytest.raises(TypeError, match="expected a tensor among the operands"):
        xp.add(1, 2)
