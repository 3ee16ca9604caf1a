"""Ops on transposed operands: what they say of themselves against what they compute."""

from typing import Any

import numpy as np
import pytest
from grids import examples
from hypothesis import given
from hypothesis import strategies as st
from reordered_ops import builder_of, value
from xdsl.dialects.builtin import TensorType, f32, i1, i64
from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.embedding import EmbeddingBagOp, SparseLengthsSumOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.linear import EinsumOp, MatMulOp
from glow.dialects.graph.loss import (
    CrossEntropyLossOp,
    NegativeLogLikelihoodLossOp,
)
from glow.dialects.graph.movement import (
    DepthToSpaceOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.pooling import (
    AvgPoolOp,
    GlobalAvgPoolOp,
    GlobalLpPoolOp,
    GlobalMaxPoolOp,
    LpPoolOp,
    MaxPoolOp,
)
from glow.dialects.graph.reordering import Placement
from glow.dialects.graph.slicing import PadOp
from glow.registry import UNIVERSE
from glow.support.types import element_type_of, shape_of

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

OPS = sorted(
    (
        op
        for op in UNIVERSE.all_dialects["graph"]().operations
        if issubclass(op, GraphOp)
    ),
    key=lambda op: op.name,
)
# What these read where is told by position: no axis may move.
FIXED_MODULES = (
    "attention",
    "detection",
    "recurrent",
    "rotary_embedding",
    "tree_ensemble",
)
FIXED = {
    ConvOp,
    ConvTransposeOp,
    MaxPoolOp,
    AvgPoolOp,
    LpPoolOp,
    GlobalAvgPoolOp,
    GlobalMaxPoolOp,
    GlobalLpPoolOp,
    SpaceToDepthOp,
    DepthToSpaceOp,
    MatMulOp,
    EinsumOp,
    TransposeOp,
    NegativeLogLikelihoodLossOp,
    CrossEntropyLossOp,
    EmbeddingBagOp,
    SparseLengthsSumOp,
    *(op for op in OPS if op.__module__.rpartition(".")[2] in FIXED_MODULES),
}


def array_of(operand: SSAValue) -> Array:
    """Return distinct numbers of the operand's type; those of i64 are indices."""
    assert isinstance(operand.type, TensorType)
    shape = shape_of(operand)
    if operand.type.element_type == i64:
        return np.zeros(shape, np.int64)
    numbers = np.random.default_rng(sum(shape)).permutation(np.prod(shape, dtype=int))
    if operand.type.element_type == i1:
        return (numbers % 2 == 0).reshape(shape)
    dtype = np.float32 if operand.type.element_type == f32 else np.int32
    return (numbers % 50 + 1).astype(dtype).reshape(shape)


def placed(array: Array, places: Placement) -> Array:
    """Return `array` with its axes, and new ones, where `places` says."""
    kept = [axis for axis in places if axis is not None]
    new = [i for i, axis in enumerate(places) if axis is None]
    return np.expand_dims(array.transpose(kept), tuple(new))


def same_type(array: Array, result: SSAValue) -> bool:
    found = TensorType(element_type_of(array.dtype), array.shape)
    return found == result.type


@pytest.mark.parametrize("cls", OPS, ids=lambda cls: cls.name)
def test_every_op_that_carries_layouts_reorders(cls: type[GraphOp]) -> None:
    says = cls.reordered is not GraphOp.reordered
    carries = cls.axis_map is not GraphOp.axis_map
    if cls in FIXED:
        assert not says
        return
    assert says
    assert carries or cls is ReshapeOp


@pytest.mark.parametrize(
    "cls", [cls for cls in OPS if cls not in FIXED], ids=lambda cls: cls.name
)
@examples(12)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_reordered_op_computes_the_same(
    cls: type[GraphOp], shape: list[int], data: st.DataObject
) -> None:
    op = builder_of(cls)(cls, tuple(shape), data.draw)
    operand = data.draw(st.integers(0, len(op.operands) - 1))
    rank = len(shape_of(op.operands[operand]))
    order = tuple(data.draw(st.permutations(range(rank))))
    reordering = op.reordered(operand, order)
    if reordering is None:
        return
    arrays = [array_of(v) for v in op.operands]
    assert reordering.operands[operand] == order or arrays[operand].size == 1
    moved = [placed(a, p) for a, p in zip(arrays, reordering.operands, strict=True)]
    operands = [value(element_type_of(a.dtype), a.shape) for a in moved]
    new = op.rebuilt(operands, reordering.parameters)
    new.verify()
    found = zip(op.evaluate(arrays), new.evaluate(moved), strict=True)
    for index, (old, transposed) in enumerate(found):
        assert same_type(transposed, new.results[index])
        wanted = old.transpose(reordering.results[index])
        np.testing.assert_allclose(transposed, wanted, rtol=1e-5, atol=1e-5)
        check_axis_map(op, operand, index, order, reordering.results[index])


def check_axis_map(
    op: GraphOp, operand: int, result: int, order: Shape, found: Shape
) -> None:
    """Raise unless axes of the result come in the order of those they run along."""
    axes = op.axis_map(operand, result)
    if axes is None:
        return
    followed = [axes[axis] for axis in found if axes[axis] is not None]
    assert followed == [axis for axis in order if axis in followed]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cls", [cls for cls in OPS if cls not in FIXED], ids=lambda cls: cls.name
)
@examples(12)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_reordering_for_a_result_gives_that_order(
    cls: type[GraphOp], shape: list[int], data: st.DataObject
) -> None:
    op = builder_of(cls)(cls, tuple(shape), data.draw)
    result = data.draw(st.integers(0, len(op.results) - 1))
    rank = len(shape_of(op.results[result]))
    order = tuple(data.draw(st.permutations(range(rank))))
    found = op.reordered_for(result, order)
    assert found is None or found.results[result] == order
    whole = identity_maps(op, result)
    free = issubclass(cls, ElementwiseOp) or cls in (ConcatOp, SplitOp, PadOp, TileOp)
    assert found is not None or not (whole and free)


def identity_maps(op: GraphOp, result: int) -> bool:
    axes = op.axis_map(0, result)
    return axes == tuple(range(len(shape_of(op.operands[0]))))
