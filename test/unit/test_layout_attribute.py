"""Layouts on types: which ones are kept, what strides and maps they give."""

from __future__ import annotations

from itertools import product

import pytest
from xdsl.dialects.builtin import (
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    f32,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.layout.attribute import (
    LayoutAttr,
    layout_of,
    physical_shape_of,
    same_bytes,
    strides_of,
    with_layout,
)
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import address, parse_layout, physical_strides
from glow.support.types import tensor

NHWC = parse_layout("NHWC")


def test_a_layout_that_changes_no_byte_is_not_kept() -> None:
    for shape in ((4, 1, 5, 5), (4, 8, 1, 1)):
        assert with_layout(tensor(f32, shape), NHWC) == tensor(f32, shape)
    kept = with_layout(tensor(f32, (1, 8, 2, 2)), NHWC)
    assert layout_of(kept) == NHWC
    assert with_layout(kept, None) == tensor(f32, (1, 8, 2, 2))


def test_layouts_are_compared_by_bytes() -> None:
    assert same_bytes(NHWC, None, tensor(f32, (4, 1, 5, 5)))
    assert not same_bytes(NHWC, None, tensor(f32, (4, 2, 5, 5)))
    assert same_bytes(NHWC, parse_layout("NWHC"), tensor(f32, (4, 2, 1, 5)))


def test_the_affine_map_leads_into_the_physical_array() -> None:
    layout, shape = parse_layout("NCHW4c, halo = [0, 0, 1, 2:0]"), (1, 6, 2, 3)
    map_ = LayoutAttr(layout).get_affine_map()
    strides = physical_strides(layout, shape)
    for index in product(*(range(extent) for extent in shape)):
        places = zip(map_.eval(index, ()), strides, strict=True)
        assert sum(i * s for i, s in places) == address(layout, shape, index)


def test_strides_are_read_off_every_kind_of_layout() -> None:
    shape = (1, 3, 4, 5)
    assert strides_of(NoneAttr(), shape) == ((60, 20, 5, 1), 0)
    assert strides_of(LayoutAttr(NHWC), shape) == ((60, 1, 15, 3), 0)
    assert strides_of(LayoutAttr(parse_layout("NCHW2c")), shape) is None
    view = StridedLayoutAttr([60, 20, 5, 1], 7)
    assert strides_of(view, shape) == ((60, 20, 5, 1), 7)
    aligned = LayoutAttr(parse_layout("NCH[a=32]W"))
    assert strides_of(aligned, shape, 4) == ((96, 32, 8, 1), 0)


@pytest.mark.parametrize(
    "layout",
    [StridedLayoutAttr([None], 0), StridedLayoutAttr([1], None), StringAttr("a")],
)
def test_unknown_strides_are_refused(layout: StridedLayoutAttr | StringAttr) -> None:
    with pytest.raises(VerifyException, match="expected"):
        strides_of(layout, (3,))


def test_physical_shapes_of_types() -> None:
    layout = LayoutAttr(parse_layout("OHWI16o"))
    assert physical_shape_of(TensorType(f32, (20, 3, 1, 1), layout)) == (2, 1, 1, 3, 16)
    assert physical_shape_of(MemRefType(f32, (20, 3))) == (20, 3)


def test_a_layout_needs_the_rank_of_its_type() -> None:
    with pytest.raises(VerifyException, match="expected a layout of rank 2, got"):
        layout_of(TensorType(f32, (2, 3), LayoutAttr(NHWC)))
    with pytest.raises(VerifyException, match="expected a tensor or a memref, got f32"):
        layout_of(f32)


def test_transform_is_built_to_a_layout() -> None:
    op = TransformOp(create_ssa_value(tensor(f32, (1, 3, 4, 5))), NHWC)
    op.verify()
    assert layout_of(op.result) == NHWC
    back = TransformOp(op.result, None)
    assert layout_of(back.result) is None
