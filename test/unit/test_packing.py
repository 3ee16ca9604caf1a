"""The rules that kernels are chosen by, and the forms in which weights reach them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from convolutions import packing
from hypothesis import given
from hypothesis import strategies as st
from products import seeded
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, f64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from glow.lowering.convolution.algorithm import Algorithm, ConvShape, choose_algorithm
from glow.lowering.convolution.filters import (
    filter_layout,
    filter_panels,
    packed_filter,
)
from glow.lowering.convolution.winograd import (
    F2,
    F4,
    FORMS,
    Form,
    winograd_blocks,
    winograd_filter,
    winograd_form,
    winograd_panel,
    winograd_room,
    winograd_scratch_elements,
    winograd_stride,
)
from glow.lowering.memory_to_loops.kernels.microkernel import Tile, tiles_of
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.rows import OffsetTable, offsets_of
from glow.lowering.memory_to_loops.storage import Storage
from glow.lowering.tiles import (
    image_panel,
    most_rows,
    panel_cost,
    panel_for,
    tile_rows,
)
from glow.support.layout import pack
from glow.support.targets import target_of

AVX2 = target_of("cpu:avx2")
AVX512 = replace(target_of("cpu:avx512"), tile_rows=12, narrow_lanes=0)
"""Of no core in particular."""


@pytest.mark.parametrize(
    ("expected", "change"),
    [
        ("winograd", {}),
        ("direct", {"is_constant": False}),
        ("direct", {"strides": (2, 2)}),
        ("direct", {"dilations": (1, 2)}),
        ("direct", {"filter": (64, 64, 1, 1)}),
        ("direct", {"filter": (64, 64, 3, 1)}),
        ("direct", {"filter": (40, 64, 3, 3)}),
        ("direct", {"filter": (64, 32, 3, 3), "group": 2}),
        ("direct", {"result": (1, 64, 4, 4)}),
        ("depthwise", {"filter": (64, 1, 3, 3), "group": 64}),
        ("depthwise", {"filter": (128, 1, 3, 3), "group": 64}),
        ("direct", {"filter": (1024, 1, 3, 3), "group": 64}),
        ("generic", {"element": f64}),
    ],
)
def test_algorithm_follows_from_the_shapes(
    expected: str, change: dict[str, Any]
) -> None:
    case: dict[str, Any] = {
        "element": f32,
        "input": (1, 64, 28, 28),
        "filter": (64, 64, 3, 3),
        "result": (1, 64, 28, 28),
        "strides": (1, 1),
        "pads": (1, 1, 1, 1),
        "dilations": (1, 1),
        "group": 1,
        "is_constant": True,
    }
    assert choose_algorithm(ConvShape(**(case | change)), AVX2).name == expected


def test_large_filters_of_few_tiles_are_not_worth_a_transform() -> None:
    image, ones = (1, 512, 3, 3), (1, 1)
    conv = ConvShape(
        f32, image, (512, 512, 3, 3), image, ones, (1,) * 4, ones, 1, is_constant=True
    )
    assert choose_algorithm(conv, AVX512).name == "direct"


def test_panels_are_those_of_the_layout_where_one_says_it() -> None:
    array = seeded((37, 5, 3, 2), 0)
    expected = pack(filter_panels(2, 16), array)
    np.testing.assert_array_equal(packing("direct", 1, 16)(array)[0], expected)


def test_pairs_of_channels_are_innermost() -> None:
    array = seeded((37, 6, 3, 2), 0)
    algorithm = Algorithm("pairs", 16)
    layout = filter_layout(algorithm, array.shape, 1)
    assert layout == filter_panels(2, 16, in_pairs=True)
    expected = pack(layout, array)
    found = packed_filter(algorithm, array, None, array.shape, 1)
    np.testing.assert_array_equal(found[0], expected)
    found = packed_filter(algorithm, expected, layout, array.shape, 1)
    np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize(
    ("expected", "element", "depth"),
    [("pairs", bf16, 64), ("direct", bf16, 3), ("direct", f16, 64), ("direct", f32, 6)],
)
def test_pairs_are_for_even_depths_of_bf16(
    expected: str, element: Attribute, depth: int
) -> None:
    image, filter, ones = (1, depth, 8, 8), (40, depth, 3, 3), (1, 1)
    target = replace(AVX512, multiplies_bf16=True)
    conv = ConvShape(
        element, image, filter, (1, 40, 6, 6), ones, (0,) * 4, ones, 1, is_constant=True
    )
    assert choose_algorithm(conv, target).name == expected
    without = replace(AVX512, multiplies_bf16=False)
    assert choose_algorithm(conv, without).name == "direct"


@pytest.mark.parametrize(
    ("channels", "itemsize", "expected"),
    [(64, 4, F4), (64, 2, F4), (256, 4, F4), (256, 2, F2)],
)
def test_large_filters_of_16_bits_are_not_transformed_to_f32(
    channels: int, itemsize: int, expected: Form
) -> None:
    filter, result = (channels, channels, 3, 3), (1, channels, 28, 28)
    assert winograd_form(AVX512.costs, filter, result, itemsize) == expected
    taps = np.ones(filter, np.float16 if itemsize == 2 else np.float32)
    packed = winograd_filter(taps, 16, expected)
    assert packed.dtype == (np.float32 if expected == F4 else taps.dtype)


def test_panels_do_not_span_groups() -> None:
    array = seeded((12, 2, 3), 0)
    found = packing("direct", 3, 8)(array)
    assert found.shape == (3, 1, 3, 2, 8)
    np.testing.assert_array_equal(found[1, 0, 2, 1, :4], array[4:8, 1, 2])
    assert not found[..., 4:].any()


def test_depthwise_filters_have_channels_innermost() -> None:
    array = seeded((6, 1, 3, 2), 0)
    np.testing.assert_array_equal(
        packing("depthwise", 6)(array)[2, 1], array[:, 0, 2, 1]
    )


def test_winograd_filter_is_the_transform_of_each_channel() -> None:
    array = np.zeros((3, 2, 3, 3), np.float32)
    array[2, 1] = np.outer([1, 2, 4], [3, 0, 1])
    found = winograd_filter(array, AVX2.panel_width, F4)
    assert found.shape == (36, 1, 2, AVX2.panel_width)
    places = found[:, 0, 1, 2].reshape(6, 6)
    # By the points of the transform: 0, +-sqrt(1/2), +-sqrt(2) and infinity.
    root = np.sqrt(2)
    down = np.array([1, -root - 2 / 3, -root + 2 / 3, 3, 3, 4])
    down[3:5] += np.array([2, -2]) * root / 3
    across = np.array([3, -7 * root / 6, -7 * root / 6, 5 / 3, 5 / 3, 1])
    np.testing.assert_allclose(places, np.outer(down, across), rtol=1e-6)
    assert np.count_nonzero(found) == np.count_nonzero(places)


@given(
    st.integers(1, 600),
    st.sampled_from([16, 64, 256, 512]),
    st.sampled_from(FORMS),
    st.booleans(),
)
def test_blocks_of_tiles_fit_the_scratch(
    side: int, channels: int, form: Form, shared: bool
) -> None:
    """Whether one thread transforms them or several, and whoever does what."""
    shape = (1, channels, side, side)
    block, in_parts = winograd_blocks(AVX512, form, shape, shape, shared=shared)
    assert 1 <= block <= form.tiles(shape)
    stride = winograd_stride(block, channels)
    assert stride >= block * channels
    assert stride // 16 % 2 == 1
    scratch = winograd_scratch_elements(AVX512, form, shape, shape)
    for in_turn in {False, not in_parts}:
        room = winograd_room(form, block, (channels, channels), in_turn=in_turn)
        starts = room.transforms, room.products
        assert max(starts) + form.places * stride == room.elements <= scratch


@given(st.integers(8, 600), st.sampled_from([16, 64, 256]), st.sampled_from(FORMS))
def test_sixteen_threads_share_whole_blocks_evenly(
    side: int, channels: int, form: Form
) -> None:
    shape = (1, channels, side, side)
    block, in_parts = winograd_blocks(AVX512, form, shape, shape, shared=True)
    blocks = -(-form.tiles(shape) // block)
    assert in_parts or -(-blocks // 16) * 16 <= 1.1 * blocks


def test_few_channels_are_transformed_where_they_are_multiplied() -> None:
    """Others are multiplied by all threads: each reads a part of the weights."""
    for channels, side, expected in ((32, 56, False), (64, 56, False), (256, 28, True)):
        shape = (1, channels, side, side)
        found = winograd_blocks(AVX512, F4, shape, shape, shared=True)
        assert found.in_parts is expected


@given(st.integers(1, 5000), st.sampled_from([AVX2, AVX512]), st.sampled_from([0, 64]))
def test_tiles_waste_few_rows(rows: int, target: Any, wide: int) -> None:
    target = replace(target, wide_panel=wide)
    panel = target.panel_widths[0]
    height = tile_rows(target, rows, panel)
    assert 1 <= height <= min(rows, target.tile_rows)
    whole = -(-rows // height) * height
    assert whole - rows < height
    more = panel_cost(target, rows + 1, panel)
    # Tiles that begin where those of wide panels do may cost 2 % more.
    most = 1.02 * more if wide else more + 1
    assert panel_cost(target, rows, panel) <= most


def test_rows_that_compete_for_cache_lines_make_lower_tiles() -> None:
    """What 12 x 32 tiles of rows 4 KB apart lose is a third of their speed."""
    target = replace(AVX512, l1_ways=8)
    heights = [tile_rows(target, 512, 32, stride) for stride in (0, 2048, 2112)]
    assert heights == [12, 12, 12]
    for stride in (4096, 8192, 12288):
        assert tile_rows(target, 512, 32, stride) == 8
        assert tile_rows(target, 49, 32, stride) == 7
        assert tile_rows(AVX2, 512, 16, stride) == tile_rows(AVX2, 512, 16) == 6


def test_tiles_begin_where_those_of_wide_panels_do_if_they_take_as_long() -> None:
    """Those of 64 columns have 6 rows; 17 tiles of 12 cost 1 % more than 20 of 10."""
    wide, narrow = (replace(AVX512, wide_panel=width) for width in (64, 0))
    assert tile_rows(wide, 197, 64) == 6
    assert tile_rows(wide, 197, 32) == 12
    assert tile_rows(narrow, 197, 32) == 10
    assert tile_rows(wide, 50, 32) == 10  # 5 tiles of 12 would cost a fifth more


def test_tiles_divide_rows_if_they_take_as_long() -> None:
    """28 tiles of 7 cost as much as 20 of 10, and 7 of 7 as 5 of 10."""
    for target in (AVX512, replace(AVX512, wide_panel=64)):
        assert tile_rows(target, 196, 32) == 7
        assert tile_rows(target, 49, 32) == 7
        assert tile_rows(target, 784, 32) == 12  # 112 tiles of 7 cost 2 % more


def test_tiles_of_what_panels_leave_end_where_theirs_do() -> None:
    assert tile_rows(AVX512, 196, 16) == 8
    assert tile_rows(AVX512, 196, 16, whole=7) == 7
    assert tile_rows(AVX512, 196, 16, whole=4) == 8  # each ends with two of 4
    assert tile_rows(AVX512, 784, 16, whole=12) == 8  # for want of registers


@pytest.mark.parametrize(
    ("image", "columns", "expected"),
    [
        ((14, 14), 384, 32),  # 7 x 32 meets lines 14 times, 6 x 64 5 times
        ((14, 14), 32, 32),  # no wide panel is full
        ((28, 28), 384, 64),  # 6 x 64 meets lines 10 times
        ((12, 12), 384, 64),  # 6 x 64 does at every line
        ((13, 13), 384, 64),  # neither does often
        ((7, 7), 384, 64),  # 7 x 32 does 7 times only
        ((196,), 384, 64),  # one line
        ((0, 14), 384, 64),
    ],
)
def test_tiles_of_images_meet_their_lines(
    image: tuple[int, ...], columns: int, expected: int
) -> None:
    target = replace(AVX512, wide_panel=64)
    assert image_panel(target, columns, image) == expected


def test_wide_panels_leave_few_columns_without_use() -> None:
    target = replace(AVX512, wide_panel=64)
    columns = (24, 32, 33, 64, 96, 97, 992, 1000, 1056)
    widths = [panel_for(target, n) for n in columns]
    assert widths == [32, 32, 64, 64, 32, 64, 32, 64, 64]
    assert panel_for(replace(target, wide_panel=0), 64) == 32
    columns = (16, 20, 24, 64, 96, 128, 160, 256, 512)
    widths = [panel_for(AVX2, n) for n in columns]
    assert widths == [16, 24, 24, 16, 24, 16, 16, 24, 24]


def test_wide_panels_have_as_many_sums_in_lower_tiles() -> None:
    """Registers hold as many sums in each form, or rows as there are addresses."""
    target = replace(AVX512, wide_panel=64)
    assert [most_rows(target, panel) for panel in (16, 32, 64)] == [8, 12, 6]
    assert [most_rows(AVX2, panel) for panel in (8, 16, 24)] == [6, 6, 4]
    assert tiles_of(AVX2, 24, 60, 4) == [Tile(4, 3, 8), Tile(4, 1, 16, masked=True)]
    assert tiles_of(AVX2, 24, 20, 4) == [Tile(4, 3, 8, masked=True)]


def test_images_of_few_tiles_have_usual_panels() -> None:
    target = replace(AVX512, wide_panel=64)
    sides = (28, 14)
    widths = [winograd_panel(target, F4, (9, 64, n, n)) for n in sides]
    assert widths == [64, 32]


def test_winograd_has_wide_panels_that_divide_channels() -> None:
    widths = [winograd_panel(AVX2, F4, (1, n, 28, 28)) for n in (96, 120, 128, 256)]
    assert widths == [24, 24, 16, 16]


@given(st.integers(1, 200), st.sampled_from([AVX2, AVX512]))
def test_the_last_panel_is_no_wider_than_it_must(columns: int, target: Any) -> None:
    panel = target.panel_widths[0]
    tiles = tiles_of(target, panel, columns, 4)
    rest = columns % panel
    assert len(tiles) == (columns >= panel) + (rest > 0)
    if rest:
        tail = tiles[-1]
        assert rest <= tail.columns <= panel
        assert tail.columns < 2 * max(rest, target.f32_lanes)
        assert tail.masked == (tail.columns != rest)


@pytest.mark.parametrize(
    ("columns", "lanes", "vectors", "rows"),
    [(3, 8, 1, 8), (8, 8, 1, 8), (9, 16, 1, 8), (24, 8, 3, 8), (25, 16, 2, 12)],
)
def test_narrow_vectors_are_taken_where_they_are_fewer(
    columns: int, lanes: int, vectors: int, rows: int
) -> None:
    """And registers hold the sums of as many rows as they have room for."""
    target = replace(AVX512, narrow_lanes=8)
    (tail,) = tiles_of(target, 32, columns)
    assert (tail.lanes, tail.vectors) == (lanes, vectors)
    assert most_rows(target, tail.columns) == rows
    (usual,) = tiles_of(replace(target, narrow_lanes=0), 32, columns)
    assert usual.lanes == 16


def test_offsets_are_in_row_major_order() -> None:
    assert offsets_of((2, 3), (10, -1), 5).tolist() == [5, 4, 3, 15, 14, 13]


def test_equal_parts_of_a_table_are_stored_once() -> None:
    table = OffsetTable()
    places = [table.add(np.array(part)) for part in ([1, 2], [3], [1, 2])]
    assert places == [0, 2, 0]
    assert table.array().tolist() == [1, 2, 3]


def test_offsets_beyond_32_bits_are_refused() -> None:
    with pytest.raises(
        PassFailedException, match=r"an unknown place: .* an offset of 2147483648"
    ):
        Main(target_of("cpu"), Storage(ModuleOp([]))).offsets(np.array([0, 1 << 31]))
