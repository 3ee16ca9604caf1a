"""Machine code of gathers and scatters by tuples against the meaning of graph ops."""

from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph import indexing as graph
from glow.dialects.graph import scattering

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:sse2")


def add_gather_nd(
    code: MemoryCode, data: Array, indices: Array, batch: int
) -> tuple[Array, Array]:
    want = graph.GatherNdOp.compute(data, indices, batch_dims=batch)
    out = np.zeros(want.shape, data.dtype)
    code.apply(graph.GatherNdOp, [data, indices], [out], batch_dims=batch)
    return out, want


def tuples(rng: Any, shape: tuple[int, ...], extents: tuple[int, ...]) -> Array:
    return np.stack([rng.integers(-n, n, shape) for n in extents], -1)


@pytest.mark.parametrize("target", TARGETS)
def test_gather_nd(target: str) -> None:
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    data = np.arange(3 * 5 * 4 * 37, dtype=np.float32).reshape(3, 5, 4, 37)
    flipped = data[::-1, :, :, 30:3:-2]
    for x in (data, data[:, 1:, ::2], np.moveaxis(data, -1, 1), flipped):
        for batch in range(3):
            for count in range(1, 5 - batch):
                shape = (*x.shape[:batch], 2, 3)
                indices = tuples(rng, shape, x.shape[batch : batch + count])
                cases.append(add_gather_nd(code, x, indices, batch))
    line = tuples(rng, (3, 2), (5,))[:, 1]
    cases.append(add_gather_nd(code, data, line, 1))
    narrow = tuples(rng, (5,), (3, 5)).astype(np.int32)[::-1]
    cases.append(add_gather_nd(code, data, narrow, 0))
    apart = np.moveaxis(np.ascontiguousarray(np.moveaxis(narrow, -1, 0)), 0, -1)
    cases.append(add_gather_nd(code, data, apart, 0))
    cases.append(add_gather_nd(code, data, np.zeros((0, 2), np.int64), 0))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.bool_])
def test_gather_nd_of_every_type(dtype: Any) -> None:
    rng, code = np.random.default_rng(0), MemoryCode()
    data = (np.arange(9 * 35) % 3).astype(dtype).reshape(9, 35)
    cases = [
        add_gather_nd(code, data, tuples(rng, (6,), data.shape[:count]), 0)
        for count in (1, 2)
    ]
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize(
    ("axis", "index"), [(0, 5), (1, -3), (1, 2**40), (0, -(2**62))]
)
def test_an_index_out_of_range_is_a_fault(axis: int, index: int) -> None:
    data, out = np.arange(30.0).reshape(5, 2, 3), np.zeros((3, 3))
    indices = np.array([[4, 1], [-5, -2], [2, 0]])
    indices[1, axis] = index
    code = MemoryCode()
    code.apply(graph.GatherNdOp, [data, indices], [out])
    run = code.compile()
    message = ("expected an index in [-5, 4]", "expected an index in [-2, 1]")[axis]
    assert message in run()
    indices[1, axis] = 1
    assert run() is None
    np.testing.assert_array_equal(out, data[tuple(indices.T)])


def add_elements(code: MemoryCode, data: Array, indices: Array) -> tuple[Array, Array]:
    """Add a call that picks along the last axis, by an index for each element."""
    want = np.take_along_axis(data, indices, -1)
    out = np.zeros(want.shape, data.dtype)
    code.apply(graph.GatherElementsOp, [data, indices], [out], axis=-1)
    return out, want


@pytest.mark.parametrize("target", TARGETS)
def test_elements_by_lines_of_indices(target: str) -> None:
    """Along and across the axis; lines that vectors and unrolled loops leave over."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    data = np.arange(3 * 40 * 37, dtype=np.float32).reshape(3, 40, 37)
    for x in (data, data[::-1, :, ::-2], np.moveaxis(data, 1, 2), data[0, 0]):
        for count in (16, 31, 37, 70):
            indices = rng.integers(-x.shape[-1], x.shape[-1], (*x.shape[:-1], count))
            cases.append(add_elements(code, x, indices))
            cases.append(add_elements(code, x, indices.astype(np.int32)))
    for dtype in (np.float64, np.int64, np.bool_):
        indices = rng.integers(-37, 37, (3, 40, 33))
        cases.append(add_elements(code, data.astype(dtype), indices))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_one_index_of_a_line_out_of_range_is_a_fault(target: str, dtype: Any) -> None:
    """Wherever it stands: in a vector, in what is left over, in another line."""
    code, indices = MemoryCode(target), np.tile(np.arange(45) % 5, (2, 1)).astype(dtype)
    data = np.arange(10.0).reshape(2, 5)
    out, want = add_elements(code, data, indices)
    run, limits = code.compile(), np.iinfo(dtype)
    for at in ((0, 0), (1, 17), (1, 43), (0, 44)):
        old = indices[at]
        for wrong in (5, -6, limits.max, limits.min):
            indices[at] = wrong
            assert "expected an index in [-5, 4]" in run()
            picked = data[at[0], 0]
            assert out[at] == picked
        indices[at] = old
        for right in (-5, 4):
            indices[at] = right
            assert run() is None
        indices[at] = old
    assert run() is None
    np.testing.assert_array_equal(out, want)


def test_nothing_can_be_picked_of_nothing() -> None:
    code = MemoryCode()
    data, indices, out = np.zeros((0, 3)), np.zeros((2, 1), np.int64), np.zeros((2, 3))
    code.apply(graph.GatherNdOp, [data, indices], [out])
    assert "expected an index in [0, -1]" in (code.run() or "")
    assert not out.any()


def add_scatter_nd(
    code: MemoryCode, data: Array, indices: Array, kind: str
) -> tuple[Array, Array]:
    shape = (*indices.shape[:-1], *data.shape[indices.shape[-1] :])
    updates = np.random.default_rng(1).integers(-9, 9, shape).astype(data.dtype)
    want = graph_scatter(data, indices, updates, kind)
    op = scattering.ScatterNdOp
    code.apply(op, [indices, updates], [], inout=data, reduction=kind)
    return data, want


def graph_scatter(data: Array, indices: Array, updates: Array, kind: str) -> Array:
    return scattering.ScatterNdOp.compute(data, indices, updates, reduction=kind)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", scattering.ScatterNdOp.declared()["reduction"].words)
def test_scatter_nd(target: str, kind: str) -> None:
    """Slices that are written several times get the updates in row-major order."""
    rng = np.random.default_rng(0)
    code, cases = MemoryCode(target), []
    for dtype in (np.float32, np.int64):
        for count in (1, 2, 3):
            data = rng.integers(-9, 9, (3, 5, 37)).astype(dtype)
            indices = tuples(rng, (4, 3), data.shape[:count])
            cases.append(add_scatter_nd(code, data, indices, kind))
            data = np.moveaxis(data.copy(), -1, 0)
            indices = tuples(rng, (4, 3), data.shape[:count])[:, ::-1]
            cases.append(add_scatter_nd(code, data, indices, kind))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


def test_scatter_per_batch() -> None:
    data, updates = np.zeros((4, 5)), np.arange(1.0, 13).reshape(4, 3)
    ins, code = [np.array([[0, 0, -1]] * 4), updates], MemoryCode()
    code.apply(scattering.ScatterElementsOp, ins, [], inout=data, axis=1)
    assert code.run() is None
    np.testing.assert_array_equal(data[:, [0, -1]], updates[:, 1:])


def test_a_scatter_out_of_range_is_a_fault() -> None:
    data, updates = np.zeros((5, 2)), np.ones((2, 2))
    indices = np.array([[1], [-6]])
    code = MemoryCode()
    code.apply(scattering.ScatterNdOp, [indices, updates], [], inout=data)
    assert "expected an index in [-5, 4]" in (code.run() or "")
    assert not data[2:].any()


def test_nothing_can_be_written_into_nothing() -> None:
    data, updates = np.zeros((0, 2)), np.ones((1, 2))
    code, ins = MemoryCode(), [np.zeros((1, 1), np.int64), updates]
    code.apply(scattering.ScatterNdOp, ins, [], inout=data)
    assert "expected an index in [0, -1]" in (code.run() or "")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", scattering.TensorScatterOp.declared()["mode"].words)
def test_tensor_scatter(target: str, mode: str) -> None:
    code, cases = MemoryCode(target), []
    whole = np.arange(2 * 3 * 7 * 37, dtype=np.float32).reshape(2, 3, 7, 37)
    for axis in (1, 2, 3):
        for starts in ([0, 2], [1, 0], [6, -5] if mode == "circular" else [2, 1]):
            for data in (whole.copy(), np.moveaxis(whole.copy(), 1, -1)):
                room = data.shape[axis]
                updates = -np.take(data, range(min(room, 5) - 2), axis)
                places = np.array(starts)
                op, named = scattering.TensorScatterOp, {"axis": axis, "mode": mode}
                want = op.compute(data, updates, places, **named)
                code.apply(op, [updates, places], [], inout=data, **named)
                cases.append((data, want))
    assert code.run() is None
    for out, want in cases:
        np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("start", [3, -1, 2**62])
def test_a_write_index_without_room_is_a_fault(start: int) -> None:
    data, updates, starts = np.zeros((2, 5)), np.ones((2, 3)), np.array([2, start])
    code = MemoryCode()
    op = scattering.TensorScatterOp
    code.apply(op, [updates, starts], [], inout=data, axis=1)
    run = code.compile()
    assert "expected a write index in [0, 2]" in run()
    starts[1] = 0
    assert run() is None
    np.testing.assert_array_equal(data[1], [1, 1, 1, 0, 0])
