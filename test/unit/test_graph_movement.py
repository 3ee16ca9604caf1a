"""Ops that move elements put each where ONNX does."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ExpandOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.slicing import PadOp, SliceOp, resolve_slice

DTYPES = [np.float32, np.float64, np.int32, np.int64, np.bool_]


def counting(*shape: int, dtype: Any = np.float32) -> Any:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_element_type_moves(
    dtype: Any, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = counting(2, 3, 4, dtype=dtype)
    cases = [
        (
            run_onnx("Transpose", x, perm=[2, 0, 1]),
            evaluate(TransposeOp, x, permutation=(2, 0, 1)),
        ),
        (run_onnx("Reshape", x, ints(4, 6)), evaluate(ReshapeOp, x, shape=(4, 6))),
        (run_onnx("Concat", x, x, axis=-2), evaluate(ConcatOp, [x, x], axis=-2)),
        (
            run_onnx("Expand", x, ints(5, 1, 1, 1)),
            evaluate(ExpandOp, x, shape=(5, 1, 1, 1)),
        ),
        (run_onnx("Tile", x, ints(1, 2, 3)), evaluate(TileOp, x, repeats=(1, 2, 3))),
    ]
    for expected, found in cases:
        assert_close(found[0], expected[0])


def test_scalars_move(evaluate: Any, assert_close: Any) -> None:
    x = np.array(3.0, np.float32)
    assert_close(evaluate(TransposeOp, x, permutation=())[0], x)
    assert_close(evaluate(ReshapeOp, x, shape=(1, 1))[0], x.reshape(1, 1))
    assert_close(evaluate(ExpandOp, x, shape=(2,))[0], np.full(2, x))
    assert_close(evaluate(TileOp, x, repeats=())[0], x)
    assert_close(evaluate(PadOp, x, None, pads=())[0], x)
    assert_close(evaluate(SliceOp, x, starts=(), sizes=(), steps=())[0], x)


@pytest.mark.parametrize("sizes", [(4,), (1, 3), (3, 0, 1), (2, 1, 1)])
@pytest.mark.parametrize("axis", [1, -1])
def test_split(
    sizes: Any, axis: int, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = counting(2, 4)
    expected = run_onnx("Split", x, ints(*sizes), axis=axis, outputs=len(sizes))
    found = evaluate(SplitOp, x, axis=axis, sizes=sizes)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other)


BOUNDS = [-100, -6, -5, -4, -1, 0, 1, 3, 4, 5, 6, 100]


@pytest.mark.parametrize("step", [1, 2, 7, -1, -2, -7])
def test_slice_bounds_are_clamped(
    step: int, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = counting(5)
    for start, end in product(BOUNDS, BOUNDS):
        (expected,) = run_onnx("Slice", x, ints(start), ints(end), ints(0), ints(step))
        starts, sizes, steps = resolve_slice((5,), [start], [end], [0], [step])
        (found,) = evaluate(SliceOp, x, starts=starts, sizes=sizes, steps=steps)
        assert_close(found, expected)


def test_slice_of_some_axes(evaluate: Any, run_onnx: Any, assert_close: Any) -> None:
    x = counting(4, 5, 6)
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    for starts, ends, axes, steps in (
        ((1,), (3,), (1,), (1,)),
        ((highest, 1), (lowest, highest), (-1, 0), (-1, 2)),
        ((0, 0, 0), (2, 0, 6), (0, 1, 2), (1, 1, 3)),
    ):
        (expected,) = run_onnx(
            "Slice", x, ints(*starts), ints(*ends), ints(*axes), ints(*steps)
        )
        bounds = resolve_slice(x.shape, starts, ends, axes, steps)
        named = dict(zip(("starts", "sizes", "steps"), bounds, strict=True))
        (found,) = evaluate(SliceOp, x, **named)
        assert_close(found, expected)
    assert resolve_slice((0,), [5], [-9], [0], [-1]) == ((0,), (0,), (-1,))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2]), "expected starts, ends, axes and steps of one length"),
        (([0, 0], [1, 1], [0, -2]), "expected distinct axes"),
        (([0], [1], [2]), "expected an axis in"),
        (([0], [1], [0], [0]), "expected a step other than 0"),
    ],
)
def test_slice_bounds_that_mean_nothing(arguments: Any, message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        resolve_slice((4, 4), *arguments)


PADS = [
    (1, 0, 0, 2),
    (0, 1, 3, 2),
    (-1, 0, 0, -2),
    (-1, 1, 2, -1),
    (2, -2, -1, 1),
    (0, 0, 0, 0),
]


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize("pads", PADS)
def test_pad(
    mode: str, pads: Any, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    x = counting(5, 4)
    (expected,) = run_onnx("Pad", x, ints(*pads), mode=mode)
    (found,) = evaluate(PadOp, x, None, pads=pads, mode=mode)
    assert_close(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad_value(dtype: Any, evaluate: Any, run_onnx: Any, assert_close: Any) -> None:
    x, value = counting(2, 3, dtype=dtype), np.array(1, dtype)
    (expected,) = run_onnx("Pad", x, ints(1, 0, 0, 2), value)
    for scalar in (value, value.reshape(1)):
        (found,) = evaluate(PadOp, x, scalar, pads=(1, 0, 0, 2))
        assert_close(found, expected)


def test_wrapping_goes_round_more_than_once(evaluate: Any, assert_close: Any) -> None:
    x = counting(3)
    (found,) = evaluate(PadOp, x, None, pads=(7, 5), mode="wrap")
    assert_close(found, np.take(x, np.arange(-7, 8) % 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block_size", [1, 2])
def test_blocks(
    block_size: int, dtype: Any, evaluate: Any, run_onnx: Any, assert_close: Any
) -> None:
    deep, wide = counting(2, 8, 2, 3, dtype=dtype), counting(2, 3, 4, 6, dtype=dtype)
    for mode in ("DCR", "CRD"):
        (expected,) = run_onnx("DepthToSpace", deep, blocksize=block_size, mode=mode)
        (found,) = evaluate(DepthToSpaceOp, deep, block_size=block_size, mode=mode)
        assert_close(found, expected)
    (expected,) = run_onnx("SpaceToDepth", wide, blocksize=block_size)
    (found,) = evaluate(SpaceToDepthOp, wide, block_size=block_size)
    assert_close(found, expected)
    (back,) = evaluate(DepthToSpaceOp, found, block_size=block_size)
    assert_close(back, wide)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("indices", [1, [0, -1, 1], [[1, -2], [0, 0]], []])
def test_gather(
    axis: int,
    dtype: Any,
    indices: Any,
    evaluate: Any,
    run_onnx: Any,
    assert_close: Any,
) -> None:
    x, places = counting(2, 3, 4), np.array(indices, dtype)
    (expected,) = run_onnx("Gather", x, places, axis=axis)
    (found,) = evaluate(GatherOp, x, places, axis=axis)
    assert_close(found, expected)


@pytest.mark.parametrize("index", [3, -4])
def test_gather_outside_the_data(index: int, evaluate: Any) -> None:
    with pytest.raises(IndexError, match=rf"an index in \[-3, 2\], got {index}"):
        evaluate(GatherOp, counting(3), ints(0, index))
