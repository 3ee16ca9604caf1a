"""The layout algebra: laws that hold for every layout, and what text may say."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from math import prod
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import factored, laid_out, layouts

from glow.support.layout import (
    Layout,
    LayoutError,
    address,
    equivalent,
    pack,
    parse_layout,
    permuted,
    physical_shape,
    print_layout,
    relabeled,
    reshaped,
    row_major,
    size_of,
    strides_of,
    unblocked,
    unpack,
)
from glow.support.layout.pack import runs


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(1, 1 + prod(shape), dtype=np.int32).reshape(shape)


def every_address(layout: Layout, shape: tuple[int, ...]) -> list[int]:
    indices = product(*(range(extent) for extent in shape))
    return [address(layout, shape, index, 4) for index in indices]


@pytest.mark.slow
@given(laid_out())
def test_addresses_are_injective_and_within_the_size(
    case: tuple[Layout, tuple[int, ...]],
) -> None:
    layout, shape = case
    found = every_address(layout, shape)
    assert len(set(found)) == prod(shape)
    assert all(0 <= place < size_of(layout, shape, 4) for place in found)


@given(laid_out())
def test_pack_puts_elements_at_their_addresses_and_zero_elsewhere(
    case: tuple[Layout, tuple[int, ...]],
) -> None:
    layout, shape = case
    stored = pack(layout, numbered(shape))
    assert stored.shape == physical_shape(layout, shape, 4)
    assert stored.nbytes == 4 * size_of(layout, shape, 4)
    expected = np.zeros(stored.size, np.int32)
    expected[every_address(layout, shape)] = numbered(shape).reshape(-1)
    np.testing.assert_array_equal(stored.reshape(-1), expected)


@given(laid_out())
def test_unpack_is_the_inverse_of_pack(case: tuple[Layout, tuple[int, ...]]) -> None:
    layout, shape = case
    array = numbered(shape)
    np.testing.assert_array_equal(unpack(layout, pack(layout, array), shape), array)


@given(laid_out(), st.integers(1, 40), st.sampled_from([4, 8, 2048]))
def test_pieces_are_packed_where_the_whole_is(
    case: tuple[Layout, tuple[int, ...]], piece_bytes: int, sets_bytes: int
) -> None:
    layout, shape = case
    array = numbered(shape)
    module = import_module("glow.support.layout.pack")
    sizes = {"_PIECE_BYTES": piece_bytes, "_CACHE_SETS_BYTES": sets_bytes}
    with patch.multiple(module, **sizes):
        found = pack(layout, array)
    np.testing.assert_array_equal(found, pack(layout, array))


@given(st.lists(st.integers(1, 4), max_size=4), st.data())
def test_runs_are_the_numbers_in_order(extents: list[int], data: Any) -> None:
    size = prod(extents)
    start = data.draw(st.integers(0, size))
    count = data.draw(st.integers(0, size - start))
    longest = data.draw(st.none() | st.integers(0, size))
    numbers = np.arange(size).reshape(extents)
    found = list(runs(extents, start, count, longest))
    values = [numbers[(*box, ...)].reshape(-1) for _, box in found]
    assert [v for part in values for v in part] == list(range(start, start + count))
    places = [place for source, _ in found for place in range(count)[source]]
    assert places == list(range(count))


@given(laid_out())
def test_strides_address_every_element(case: tuple[Layout, tuple[int, ...]]) -> None:
    layout, shape = case
    found = strides_of(layout, shape, 4)
    if found is None:
        return
    strides, offset = found
    for index in product(*(range(extent) for extent in shape)):
        place = offset + sum(i * s for i, s in zip(index, strides, strict=True))
        assert place == address(layout, shape, index, 4)


@given(laid_out(), st.data())
def test_transposed_layout_of_the_transposed_array_has_the_same_bytes(
    case: tuple[Layout, tuple[int, ...]], data: st.DataObject
) -> None:
    layout, shape = case
    permutation = data.draw(st.permutations(range(layout.rank)))
    array = numbered(shape)
    np.testing.assert_array_equal(
        pack(layout.transposed(permutation), array.transpose(permutation)),
        pack(layout, array),
    )


@pytest.mark.slow
@given(st.data(), st.booleans())
def test_reshaped_layout_has_the_same_bytes(data: st.DataObject, padded: bool) -> None:
    shape = data.draw(factored(data.draw(st.sampled_from([1, 12, 24, 36]))))
    layout = data.draw(layouts(rank=len(shape), padded=padded, aligned=False))
    new_shape = data.draw(factored(prod(shape)))
    found = reshaped(layout, shape, new_shape)
    if found is None:
        return
    array = numbered(shape)
    np.testing.assert_array_equal(
        pack(found, array.reshape(new_shape)).reshape(-1),
        pack(layout, array).reshape(-1),
    )


@given(st.data())
def test_a_dense_permutation_survives_every_merge(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    layout = permuted(data.draw(st.permutations(range(len(shape)))))
    merged = reshaped(layout, shape, (prod(shape),))
    assert merged is not None
    back = reshaped(merged, (prod(shape),), shape)
    assert back is not None
    assert equivalent(back, layout, shape)


@given(st.data(), st.booleans())
def test_equivalence_is_equality_of_bytes(data: st.DataObject, padded: bool) -> None:
    rank = data.draw(st.integers(0, 3))
    shape = tuple(data.draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank)))
    one = data.draw(layouts(rank=rank, padded=padded, aligned=padded))
    other = data.draw(layouts(rank=rank, padded=padded, aligned=padded))
    array = numbered(shape)
    same = np.array_equal(pack(one, array).reshape(-1), pack(other, array).reshape(-1))
    found = equivalent(one, other, shape, 4)
    assert same or not found
    if size_of(one, shape, 4) == array.size:
        assert found == same


def test_examples_of_shapes_and_strides() -> None:
    nhwc, shape = parse_layout("NHWC"), (2, 3, 5, 7)
    assert physical_shape(nhwc, shape) == (2, 5, 7, 3)
    assert strides_of(nhwc, shape) == ((105, 1, 21, 3), 0)
    halo = nhwc.with_halo([(0, 0), (0, 0), (1, 1), (1, 2)])
    assert strides_of(halo, shape) == ((210, 1, 30, 3), 33)
    panels = parse_layout("OHWI16o")
    assert physical_shape(panels, (40, 3, 7, 7)) == (3, 7, 7, 3, 16)
    assert strides_of(panels, (40, 3, 7, 7)) is None
    assert physical_shape(parse_layout("N[a=64]HWC"), shape, 4) == (2, 16, 7, 3)


def test_a_block_as_long_as_its_axis_has_strides() -> None:
    assert strides_of(parse_layout("NCHW8c"), (1, 8, 2, 3)) == ((48, 1, 24, 8), 0)


def test_flattening_channels_last_is_representable() -> None:
    found = reshaped(parse_layout("NHWC"), (1, 64, 7, 7), (1, 3136))
    assert found is not None
    assert print_layout(found) == "[0, 1:49, 1:?:49]"


def test_flattening_one_pixel_is_row_major() -> None:
    found = reshaped(parse_layout("NHWC"), (1, 64, 1, 1), (1, 64))
    assert found is not None
    assert found.is_row_major


def test_row_major_stays_row_major_however_axes_are_cut() -> None:
    assert reshaped(row_major(3), (2, 3, 4), (4, 6)) == row_major(2)


def test_no_reshape_merges_padding_or_cuts_blocks() -> None:
    assert reshaped(parse_layout("NCHW8c"), (2, 12, 2, 2), (96,)) is None
    assert reshaped(parse_layout("NC8c"), (4, 24), (4, 2, 12)) is None
    halo = parse_layout("NHWC, halo = [0, 0, 1, 0]")
    assert reshaped(halo, (1, 4, 2, 2), (1, 16)) is None
    assert reshaped(parse_layout("N[a=64]HWC"), (1, 4, 2, 2), (1, 16)) is None


def test_aligned_layouts_need_the_size_of_an_element() -> None:
    with pytest.raises(LayoutError, match="needs the size of an element"):
        physical_shape(parse_layout("N[a=64]HWC"), (1, 2, 3, 4))


def test_misfits_are_refused() -> None:
    with pytest.raises(LayoutError, match="expected a layout of rank 2, got rank 4"):
        physical_shape(parse_layout("NHWC"), (2, 3))
    with pytest.raises(LayoutError, match=r"expected an index into \[2, 3\]"):
        address(row_major(2), (2, 3), (2, 0))
    with pytest.raises(LayoutError, match="expected a permutation of 2 axes"):
        row_major(2).transposed([0, 0])
    with pytest.raises(LayoutError, match=r"expected \[2, 3\] stored elements"):
        unpack(row_major(2), np.zeros(5, np.float32), (2, 3))
    with pytest.raises(LayoutError, match="expected each axis once"):
        permuted([0, 2])
    with pytest.raises(LayoutError, match="expected a halo of at least 0"):
        row_major(1).with_halo([(-1, 0)])


@pytest.mark.slow
@given(laid_out(), st.data())
def test_relabeling_by_a_permutation_is_transposing(
    case: tuple[Layout, tuple[int, ...]], data: st.DataObject
) -> None:
    layout, _ = case
    permutation = tuple(data.draw(st.permutations(range(layout.rank))))
    assert relabeled(layout, permutation) == layout.transposed(permutation)


def test_axes_are_left_out_and_added_by_relabeling() -> None:
    nhwc = parse_layout("NHWC")
    assert relabeled(nhwc, (1, 2, 3)) == permuted((1, 2, 0))
    assert relabeled(nhwc, (None, 0, 1, 2, 3)) == permuted((0, 1, 3, 4, 2))
    assert relabeled(nhwc, (0, None, 2, 3)) == permuted((1, 0, 2, 3))
    assert relabeled(parse_layout("NHW[a=64]C"), (0, 2, 3)) == row_major(3)
    with pytest.raises(LayoutError, match="expected distinct axes out of 4"):
        relabeled(nhwc, (0, 0))


def test_unblocking_keeps_the_order_of_the_finest_digits() -> None:
    assert unblocked(parse_layout("NCHW8c, halo = [0, 0, 1, 1]")) == permuted(
        (0, 2, 3, 1)
    )
    assert unblocked(parse_layout("[0, 1:7, 1:?:7]")) == row_major(2)


@pytest.mark.slow
@given(laid_out(extended=True), st.data())
def test_extensions_move_no_byte_and_follow_their_dims(
    case: tuple[Layout, tuple[int, ...]], data: st.DataObject
) -> None:
    layout, shape = case
    plain = layout.without_extensions()
    assert not plain.has_extensions
    assert equivalent(layout, plain, shape, 4)
    np.testing.assert_array_equal(
        pack(layout, numbered(shape)).reshape(-1),
        pack(plain, numbered(shape)).reshape(-1),
    )
    permutation = data.draw(st.permutations(range(layout.rank)))
    turned = layout.transposed(permutation)
    assert [d.extensions for d in turned.dims] == [d.extensions for d in layout.dims]
    assert turned.transposed(np.argsort(permutation).tolist()) == layout
    if not layout.is_aligned:
        found = reshaped(layout, shape, shape)
        assert found is None or equivalent(found, layout, shape)


def test_extensions_do_not_change_what_alignment_adds() -> None:
    for text in ("[0:?:9[a=8], 0:3:3, 0:3]", "[0:?:9[a=8], 0:3:3, 0:3[n:1]]"):
        layout = parse_layout(text)
        assert physical_shape(layout, (10,), 4) == (2, 4, 3)
        assert parse_layout(print_layout(layout)) == layout


def test_extensions_stay_with_dims_that_stay_whole() -> None:
    image, shape = parse_layout("N[n:1]H[h:2]W[w:3]C[c:4]"), (2, 8, 3, 5)
    assert reshaped(image, shape, shape) == image
    merged = reshaped(image, shape, (2, 120))
    assert merged == parse_layout("[0[n:1], 1:3:5[h:2], 1:5[w:3], 1:?:15[c:4]]")
    assert reshaped(merged, (2, 120), shape) == image
    split = reshaped(image, shape, (2, 4, 2, 3, 5))
    assert split == parse_layout("[0[n:1], 3[h:2], 4[w:3], 1, 2]")
    single = parse_layout("N[n:1]HWC")
    assert reshaped(single, (1, 8, 3, 5), (1, 8, 15)) == parse_layout(
        "[0[n:1], 2:?:5, 2:5, 1]"
    )
    assert reshaped(single, (1, 8, 3, 5), (8, 15)) == parse_layout("N5nK")
    assert relabeled(image, (0, 1, None)) == parse_layout("[2, 0[n:1], 1[c:4]]")
    assert not unblocked(image).has_extensions
