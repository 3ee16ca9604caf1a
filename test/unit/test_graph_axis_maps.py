"""What ops that move elements say about their axes, and which say nothing."""

from typing import Any

import numpy as np
import pytest
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.along_axis import CumsumOp, TopKOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.embedding import EmbeddingOp
from glow.dialects.graph.indexing import (
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    OneHotOp,
)
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.movement import (
    ExpandOp,
    ReshapeOp,
    SpaceToDepthOp,
    TileOp,
    TransposeOp,
)
from glow.dialects.graph.pooling import MaxPoolOp
from glow.dialects.graph.resize import ResizeOp
from glow.dialects.graph.scattering import (
    ScatterElementsOp,
    ScatterNdOp,
    TensorScatterOp,
)
from glow.dialects.graph.slicing import PadOp, SliceOp, TriluOp
from glow.support.types import element_type_of, tensor


def value(*shape: int, dtype: Any = np.float32) -> Any:
    return create_ssa_value(tensor(element_type_of(np.dtype(dtype)), shape))


MAPS = [
    (TransposeOp(value(2, 3, 4), permutation=(2, 0, 1)), [(2, 0, 1)]),
    (ExpandOp(value(3, 1, 4), shape=(2, 3, 5, 4)), [(None, 0, None, 2)]),
    (ConcatOp([value(2, 3), value(2, 1)], axis=1), [(0, 1), (0, 1)]),
    (SliceOp(value(4, 5), starts=(0, 4), sizes=(2, 2), steps=(2, -2)), [(0, 1)]),
    (PadOp(value(4, 5), value(), pads=(0, 1, 0, 1)), [(0, 1), None]),
    (TileOp(value(2, 3), repeats=(2, 1)), [(0, 1)]),
    (
        GatherOp(value(2, 3, 4), value(5, 6, dtype=np.int64), axis=1),
        [(0, None, None, 2), (None, 0, 1, None)],
    ),
    (
        EmbeddingOp(value(9, 4), value(5, 6, dtype=np.int64)),
        [(None, None, 1), (0, 1, None)],
    ),
    (
        GatherElementsOp(value(2, 3), value(1, 5, dtype=np.int64), axis=1),
        [(0, 1), (0, 1)],
    ),
    (
        GatherNdOp(value(2, 3, 4, 5), value(2, 6, 7, 1, dtype=np.int64), batch_dims=1),
        [(0, None, None, 2, 3), (0, 1, 2, None, None)],
    ),
    (
        ScatterElementsOp(
            value(2, 3), value(1, 5, dtype=np.int64), value(1, 5), axis=1
        ),
        [(0, 1), (0, 1), (0, 1)],
    ),
    (
        ScatterNdOp(value(2, 3, 4), value(6, 7, 1, dtype=np.int64), value(6, 7, 3, 4)),
        [(0, 1, 2), (None, None, None), (None, 2, 3)],
    ),
    (
        OneHotOp(value(2, 3, dtype=np.int64), value(2), depth=5, axis=1),
        [(0, None, 1), (None, None, None)],
    ),
    (TopKOp(value(2, 3), k=2), [(0, 1)]),
    (
        ResizeOp(
            value(2, 3),
            value(2),
            sizes=(5,),
            axes=(1,),
            coordinate_transformation_mode="tf_crop_and_resize",
        ),
        [(0, 1), None],
    ),
    (CumsumOp(value(2, 3), axis=1), [(0, 1)]),
    (TriluOp(value(2, 3), value(dtype=np.int64)), [(0, 1), (None, None)]),
    (
        TensorScatterOp(value(2, 8, 4), value(2, 1, 4), value(2, dtype=np.int64)),
        [(0, 1, 2), (0, 1, 2), (0, None, None)],
    ),
]


@pytest.mark.parametrize(("op", "maps"), MAPS, ids=lambda x: getattr(x, "name", ""))
def test_axis_maps(op: Any, maps: list[Any]) -> None:
    assert [op.axis_map(index) for index in range(len(op.operands))] == maps


def test_each_result_of_split_follows_the_input() -> None:
    op = SplitOp(value(4, 2), axis=0, sizes=(1, 3))
    assert [op.axis_map(0, result) for result in (0, 1)] == [(0, 1), (0, 1)]


@pytest.mark.parametrize(
    "op",
    [
        ConvOp(value(1, 2, 4, 4), value(2, 2, 1, 1)),
        MaxPoolOp(value(1, 2, 4, 4), kernel_shape=(2, 2)),
        ReshapeOp(value(2, 3), shape=(6,)),
        SpaceToDepthOp(value(1, 2, 4, 4), block_size=2),
    ],
    ids=lambda op: op.name,
)
def test_others_need_a_layout_of_their_own(op: Any) -> None:
    assert op.axis_map(0) is None
