"""Machine code of copies and of halos against NumPy."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from grids import cross
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_code import Array, MemoryCode
from xdsl.dialects.func import CallOp

from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.elementwise import CopyOp, ZeroHaloOp
from glow.support.layout import pack, parse_layout, strides_of

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:avx2", "cpu:sse2")
DTYPES = (np.float32, np.float64, np.int16, np.uint8, np.bool_)


def numbers(dtype: Any, *shape: int) -> Array:
    values = np.arange(1, 1 + int(np.prod(shape)))
    return (values % 2 if dtype is np.bool_ else values).astype(dtype).reshape(shape)


def add_copy(code: MemoryCode, source: Array, result: Array) -> None:
    code.add(CopyOp(code.buffer(source), code.buffer(result)))


@pytest.mark.parametrize(("target", "dtype"), cross(TARGETS, DTYPES))
def test_every_order_of_axes(target: str, dtype: Any) -> None:
    code, cases = MemoryCode(target), []
    for shape in ((3, 5, 33), (17, 2, 40), (4, 67, 4), (64, 70, 1)):
        x = numbers(dtype, *shape)
        for order in permutations(range(3)):
            want = x.transpose(order)
            got = np.zeros(want.shape, dtype)
            add_copy(code, want, got)
            cases.append((got, want))
    assert code.run() is None
    for got, want in cases:
        np.testing.assert_array_equal(got, want)


EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 70)


@pytest.mark.parametrize(
    ("target", "dtype"), cross(TARGETS, [np.float32, np.float64, np.int16, np.bool_])
)
def test_every_length_of_lines_and_sides_of_squares(target: str, dtype: Any) -> None:
    """Ends of lines and corners of planes, and nothing beyond them."""
    code, cases = MemoryCode(target), []
    for rows in EXTENTS:
        for columns in EXTENTS:
            x = numbers(dtype, rows, columns)
            for want in (x, x.T):
                whole = np.zeros(tuple(n + 2 for n in want.shape), dtype)
                add_copy(code, want, whole[1:-1, 1:-1])
                cases.append((whole, np.pad(want, 1)))
    assert code.run() is None
    for got, want in cases:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("target", "dtype"), cross(TARGETS, DTYPES))
def test_filters_to_panels(target: str, dtype: Any) -> None:
    """Neighbors in the source lie anywhere in the result; an odd rest is left."""
    code, cases = MemoryCode(target), []
    for panels, width, inputs, taps in (
        *((2, 16, 8, 9), (1, 32, 7, 3), (3, 16, 1021, 2)),
        *((1, 21, 400, 9), (2, 16, 3, 5)),
    ):
        x = numbers(dtype, panels, width, inputs, taps)
        want = x.transpose(0, 3, 2, 1)
        whole = np.zeros(tuple(n + 1 for n in want.shape), dtype)
        add_copy(code, want, whole[:-1, :-1, :-1, :-1])
        cases.append((whole, np.pad(want, [(0, 1)] * 4)))
    assert code.run() is None
    for got, want in cases:
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("stride", [512, 1024, 2048, 24, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
def test_planes_of_more_than_a_block(dtype: Any, stride: int) -> None:
    """Rows that are a power of two apart go in other blocks than others do."""
    code, x = MemoryCode(), numbers(dtype, 300, 90)
    whole = np.zeros((90, max(stride, 300)), dtype)
    add_copy(code, x.T, whole[:, :300])
    assert code.run() is None
    np.testing.assert_array_equal(whole[:, :300], x.T)
    assert not whole[:, 300:].any()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("extents", [(128, 48), (300, 33), (1024, 90), (129, 65)])
def test_lines_that_compete_on_both_sides(
    target: str, extents: tuple[int, int]
) -> None:
    """Blocks go by way of the stack; the last ones begin early."""
    code, (rows, columns) = MemoryCode(target), extents
    x = numbers(np.float32, 2, rows, 1024)[..., :columns]
    whole = np.zeros((2, columns, 1024), np.float32)
    add_copy(code, x.transpose(0, 2, 1), whole[..., :rows])
    assert code.run() is None
    np.testing.assert_array_equal(whole[..., :rows], x.transpose(0, 2, 1))
    assert not whole[..., rows:].any()


@pytest.mark.parametrize("target", TARGETS)
def test_views_on_both_sides(target: str) -> None:
    """Slices, reversals, repetitions and parts of a whole; the rest stays."""
    code = MemoryCode(target)
    x, whole = numbers(np.float32, 6, 50), np.zeros((12, 50), np.float32)
    add_copy(code, x[::-1, ::-1], whole[:6])
    add_copy(code, x[:, 10:43], whole[6:, 5:38])
    repeated = np.zeros((4, 6, 50), np.float32)
    add_copy(code, np.broadcast_to(x, (4, 6, 50)), repeated)
    column = np.zeros((6, 7), np.float32)
    add_copy(code, np.broadcast_to(x[:, 3:4], (6, 7)), column)
    empty = np.zeros((0, 5), np.float32)
    add_copy(code, np.zeros((0, 5), np.float32), empty)
    one = np.zeros((), np.float32)
    add_copy(code, np.array(7, np.float32), one)
    assert code.run() is None
    want = np.zeros_like(whole)
    want[:6], want[6:, 5:38] = x[::-1, ::-1], x[:, 10:43]
    np.testing.assert_array_equal(whole, want)
    np.testing.assert_array_equal(repeated, np.broadcast_to(x, (4, 6, 50)))
    np.testing.assert_array_equal(column, np.broadcast_to(x[:, 3:4], (6, 7)))
    assert one == 7


LAYOUTS: list[tuple[str, tuple[int, ...]]] = [
    ("NHWC", (2, 19, 5, 6)),
    ("NHWC", (1, 3, 8, 40)),
    ("NCHW8c", (2, 16, 3, 5)),
    ("NCHW8c", (2, 19, 3, 5)),
    ("OHWI16o", (40, 3, 3, 2)),
    ("OHWI32o", (64, 5, 1, 1)),
    ("[1:?:16, 0, 1:16]", (33, 48)),
    ("[1:?:16, 0, 1:16]", (33, 50)),
    ("[0, 1:49, 1:?:49]", (2, 98)),
    ("[0:?:4, 1:?:8, 0:4, 1:8]", (10, 17)),
    ("NHWC, halo = [0, 0, 1, 2]", (2, 3, 4, 5)),
    ("NCHW8c", (2, 1, 3, 5)),
    ("NCHW8c", (1, 19, 1, 1)),
    ("OIHW16i16o", (33, 35, 3, 3)),
    ("OIHW4o8i2o", (13, 9, 2, 1)),
    ("NCHW8c, halo = [0, 0, 1, 2:0]", (2, 19, 3, 4)),
    ("NCHW8c, halo = [0, 3:2, 1, 0]", (2, 19, 3, 4)),
    ("N[a=64]HWC", (3, 5, 2, 3)),
    ("NH[a=32]W[a=16]C", (2, 3, 2, 5)),
    ("NC[a=64]HW[a=64]4c", (2, 6, 3, 3)),
    ("N[a=64]HWC, halo = [0, 0, 1, 1]", (2, 3, 3, 3)),
    ("NCHW8c", (0, 5, 2, 2)),
    ("NCHW8c", (2, 0, 2, 2)),
    ("[0:?:4, 0:4]", (7,)),
    ("[]", ()),
]


@pytest.mark.parametrize(("target", "dtype"), cross(TARGETS, DTYPES))
def test_to_and_from_layouts_with_zero_padding(target: str, dtype: Any) -> None:
    """Blocks are padded by the copy, what lies around strides by `zero_halo`."""
    code, cases = MemoryCode(target), []
    for text, shape in LAYOUTS:
        layout = parse_layout(text)
        x = numbers(dtype, *shape)
        stored = pack(layout, x)
        packed = np.full_like(stored, 77)
        unpacked = np.zeros_like(x)
        attribute = LayoutAttr(layout)
        result = code.blocked(packed, shape, attribute)
        if strides_of(layout, shape, x.itemsize) is not None:
            code.add(ZeroHaloOp(result))
        code.add(CopyOp(code.buffer(x), result))
        code.add(CopyOp(code.blocked(stored, shape, attribute), code.buffer(unpacked)))
        cases += [(packed, stored), (unpacked, x)]
    assert code.run() is None
    for got, want in cases:
        np.testing.assert_array_equal(got, want)


def test_packing_of_a_transposed_operand() -> None:
    layout = parse_layout("[1:?:16, 0, 1:16]")
    x = numbers(np.float32, 50, 33)
    packed = np.full(pack(layout, x.T).shape, -1, np.float32)
    code = MemoryCode()
    result = code.blocked(packed, (33, 50), LayoutAttr(layout))
    code.add(CopyOp(code.buffer(x.T), result))
    assert code.run() is None
    np.testing.assert_array_equal(packed, pack(layout, x.T))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("NCHW8c", "NCHW4c"),
        ("NCHW8c", "NHWC"),
        ("NCHW6c", "NCHW4c"),
        ("NCHW8c", "OHWI16o"),
    ],
)
def test_between_blocked_layouts(one: str, other: str) -> None:
    first, second = parse_layout(one), parse_layout(other)
    x = numbers(np.float32, 35, 26, 3, 4)
    packed = np.full_like(pack(second, x), -1)
    code = MemoryCode()
    code.add(
        CopyOp(
            code.blocked(pack(first, x), x.shape, LayoutAttr(first)),
            code.blocked(packed, x.shape, LayoutAttr(second)),
        )
    )
    assert code.run() is None
    np.testing.assert_array_equal(packed, pack(second, x))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("NHWC, halo = [0, 0, 1, 1]", (1, 5, 7, 7)),
        ("NHWC, halo = [0, 0, 1:2, 0:3]", (3, 4, 5, 6)),
        ("NCHW, halo = [0, 0, 2, 0]", (2, 3, 4, 5)),
        ("NCHW8c, halo = [0, 0, 1, 1]", (1, 16, 3, 3)),
        ("N[a=64]HWC", (2, 3, 5, 5)),
        ("NCH[a=64]W", (2, 3, 4, 5)),
        ("N[a=256]H[a=64]WC, halo = [0, 0, 1, 1]", (2, 3, 4, 5)),
        ("NC[a=64]HW4c", (2, 6, 3, 3)),
        ("NCHW[a=64]4c", (2, 6, 3, 3)),
        ("N[a=1024]C[a=256]HW[a=64]4c, halo = [0, 2:2, 1, 0:3]", (2, 6, 3, 3)),
        ("NHWC", (1, 2, 3, 4)),
        ("NHWC, halo = [1, 0, 0, 2:1]", (2, 3, 4, 5)),
        ("[0, 1, 2], halo = [0, 0, 2:1]", (3, 2, 5)),
        ("[0, 2, 3, 4, 1], halo = [0, 0, 1:2, 1, 0:3]", (2, 5, 3, 1, 4)),
        ("[0], halo = [2:1]", (4,)),
    ],
)
def test_a_halo_is_zeroed_and_no_more(
    target: str, text: str, shape: tuple[int, ...]
) -> None:
    layout = parse_layout(text)
    inside = pack(layout, np.ones(shape, np.float32))
    stored = np.full_like(inside, 7)
    code = MemoryCode(target)
    code.add(ZeroHaloOp(code.blocked(stored, shape, LayoutAttr(layout))))
    assert code.run() is None
    np.testing.assert_array_equal(stored, 7 * inside)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_views(data: st.DataObject) -> None:
    """Random slices, permutations and repetitions of up to five axes."""
    rank = data.draw(st.integers(0, 5))
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(rank))
    code, x = MemoryCode("cpu:avx2"), numbers(np.float32, *shape)
    steps = [data.draw(st.sampled_from([1, 1, 2, -1])) for _ in shape]
    view = x[(..., *(slice(None, None, step) for step in steps))]
    view = view.transpose(data.draw(st.permutations(range(rank))))
    out = np.zeros(tuple(2 * n for n in view.shape), np.float32)
    part = out[(..., *(slice(n // 2, n // 2 + n) for n in view.shape))]
    add_copy(code, view, part)
    assert code.run() is None
    np.testing.assert_array_equal(part, view)
    assert np.count_nonzero(out) == view.size


def kernels_of(code: MemoryCode) -> list[str]:
    """Return the kernels that are called, in order, without their digests."""
    calls = [op for op in code.loops().walk() if isinstance(op, CallOp)]
    return [op.callee.string_value().rpartition("_")[0] for op in calls]


def column_major(rows: int, columns: int, dtype: Any = np.float32) -> Array:
    return np.zeros((columns, rows), dtype).T


IMAGE, PLANES = np.zeros((1, 7, 7, 16), np.float32), np.zeros((1, 7, 7, 3), np.float32)


@pytest.mark.parametrize(
    ("source", "result", "kernel"),
    [
        (np.zeros((4, 32)), np.zeros((4, 40))[:, 8:], "runs"),
        (np.zeros((1, 16, 7, 7), np.float32), np.moveaxis(IMAGE, -1, 1), "transpose"),
        (np.zeros((1, 3, 7, 7), np.float32), np.moveaxis(PLANES, -1, 1), "interleave"),
        (np.moveaxis(PLANES, -1, 1), np.zeros((1, 3, 7, 7), np.float32), "separate"),
        (column_major(40, 6), np.zeros((40, 6), np.float32), "transpose"),
        (column_major(40, 40, np.bool_), np.zeros((40, 40), np.bool_), "transpose"),
        # Lines of both sides a multiple of 4096 bytes apart: by way of the stack.
        (column_major(1024, 1024), np.zeros((1024, 1024), np.float32), "block"),
        (column_major(1000, 1024), np.zeros((1000, 1024), np.float32), "transpose"),
        (column_major(1024, 64), np.zeros((1024, 64), np.float32), "transpose"),
        (np.zeros((3, 0)), np.zeros((3, 0)), None),
    ],
)
def test_each_copy_has_its_kernel(
    source: Array, result: Array, kernel: str | None
) -> None:
    code = MemoryCode("cpu:avx2")
    add_copy(code, source, result)
    assert [name.partition("_")[0] for name in kernels_of(code)] == (
        [] if kernel is None else [kernel]
    )


def test_a_panel_that_is_not_full_is_filled_first() -> None:
    """Zeros behind the last columns, whole panels, then the last one's columns."""
    code = MemoryCode("cpu:avx2")
    panels = LayoutAttr(parse_layout("[1:?:16, 0, 1:16]"))
    x = code.buffer(np.zeros((12, 50), np.float32))
    stored = np.zeros((4, 12, 16), np.float32)
    code.add(CopyOp(x, code.blocked(stored, (12, 50), panels)))
    assert kernels_of(code) == ["fill", "runs", "runs"]


def test_a_halo_is_zeroed_where_there_is_one() -> None:
    code, layout = MemoryCode("cpu:avx2"), parse_layout("NHWC, halo = [0, 0, 1, 1]")
    stored = np.zeros((2, 7, 7, 4), np.float32)
    code.add(ZeroHaloOp(code.blocked(stored, (2, 4, 5, 5), LayoutAttr(layout))))
    code.add(ZeroHaloOp(code.buffer(np.zeros((2, 4, 5, 5), np.float32))))
    assert kernels_of(code) == ["fill"] * 2  # opposite sides together
