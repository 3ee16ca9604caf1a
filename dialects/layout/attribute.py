"""The attribute for the physical order of a tensor or buffer."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from xdsl.dialects.builtin import (
    AnyTensorType,
    IntAttr,
    MemRefLayoutAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
)
from xdsl.ir import Attribute, Data, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from glow.support import layout as algebra
from glow.support.layout import Layout, LayoutError, parse_layout_in, print_layout
from glow.support.types import dtype_of, tensor, tensor_type, type_of


@irdl_attr_definition
class LayoutAttr(MemRefLayoutAttr, Data[Layout]):
    """
    The physical order of a tensor (as its encoding) or a buffer (as its layout).

    A layout lists physical dims from outer to inner. Letters name axes by position: NC,
    NCW, NCHW, NCDHW; with O and I instead where axis 0 is split or further in, as in
    filters; KN for a matrix by columns. A capital is all that is left of an axis, and
    `8c` a block of 8. Of other ranks and orders a dim is `axis:extent:stride`, `?` is
    all that is left, and what says nothing is left out. `[a=64]` aligns a dim to 64
    bytes. `halo` has the zeros around each axis: `before:after`, or a number for both.
    `[namespace:text]` after a dim is an extension: it is kept as it stands, tells
    layouts apart, and moves no byte.

    A type without a layout is row-major. Strides depend on the shape: ask `strides_of`.
    Errors: text that describes no layout, with its column.

    ```mlir
    tensor<1x64x56x56xf32, #layout.physical<NHWC>>
    memref<64x3x7x7xf32, #layout.physical<OHWI16o>>
    tensor<1x64x7x7xf32, #layout.physical<NHWC, halo = [0, 0, 1, 1]>>
    tensor<1x3136xf32, #layout.physical<[0, 1:49, 1:?:49]>>
    tensor<1x64x56x56xf32, #layout.physical<N[a=16][answer:42]HWC>>
    ```
    """

    name = "layout.physical"

    def get_affine_map(self) -> AffineMap:
        """Return the map from an index of the tensor to one of its physical array."""
        layout = self.data
        return AffineMap(
            layout.rank, 0, tuple(_digit(layout, i) for i in range(len(layout.dims)))
        )

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Layout:
        parser.parse_punctuation("<", " before a layout")
        # Layouts have a syntax of their own, with any sign in their extensions.
        content = parser.lexer.input.content
        try:
            layout, end = parse_layout_in(content, parser.pos, ">")
        except LayoutError as error:
            at = (error.column or 1) - 1
            parser.raise_error(str(error), at, at + 1)
        parser._resume_from(end)  # pyright: ignore[reportPrivateUsage]
        parser.parse_punctuation(">", " after a layout")
        return layout

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(print_layout(self.data))


@cache
def layout_attribute(layout: Layout | None) -> LayoutAttr | None:
    """Return the attribute for `layout`; None for None, which means row-major."""
    return None if layout is None else LayoutAttr(layout)


def layout_of(value: SSAValue | Attribute) -> Layout | None:
    """
    Return the layout of a tensor or buffer, or None if it has none: it is row-major.

    Errors: another kind of encoding, a layout of another rank than the type.
    """
    type_: Any = type_of(value)
    kind: object = type(type_)  # pyright: ignore[reportUnknownVariableType]
    if kind is TensorType:
        encoding = type_.encoding
    elif kind is MemRefType:
        encoding = type_.layout
    else:
        raise VerifyException(f"expected a tensor or a memref, got {type_}")
    if type(encoding) is NoneAttr:
        return None
    if not isinstance(encoding, LayoutAttr):
        raise VerifyException(f"expected a #layout.physical, got {encoding}")
    if encoding.data.rank != len(type_.shape.data):
        raise VerifyException(
            f"expected a layout of rank {type_.get_num_dims()}, got {encoding} "
            f"in {type_}"
        )
    return encoding.data


def with_layout(type_: SSAValue | Attribute, layout: Layout | None) -> AnyTensorType:
    """
    Return the tensor type with `layout`, or with none if that only says row-major.
    """
    given = tensor_type(type_)
    return _laid_out(given.element_type, given.get_shape(), layout)


@lru_cache(1 << 12)
def _laid_out(
    element: Attribute, shape: tuple[int, ...], layout: Layout | None
) -> AnyTensorType:
    plain = tensor(element, shape)
    if layout is None or (not layout.has_extensions and is_row_major(layout, plain)):
        return plain
    return TensorType(element, shape, LayoutAttr(layout))


def is_row_major(layout: Layout | None, type_: Attribute) -> bool:
    """Return whether a tensor of `type_` in `layout` is a plain C-contiguous array."""
    return same_bytes(layout, None, type_)


def same_bytes(one: Layout | None, other: Layout | None, type_: Attribute) -> bool:
    """Return whether tensors of `type_` have the same bytes in both layouts."""
    if one == other:
        return True
    shape, itemsize = _shape_and_itemsize(type_)
    plain = algebra.row_major(len(shape))
    return algebra.equivalent(one or plain, other or plain, shape, itemsize)


def is_alike(one: Attribute, other: Attribute) -> bool:
    """Return whether values of both types are the same tensor in the same bytes."""
    match one, other:
        case _ if one == other:
            return True
        case (TensorType(), TensorType()):
            layouts = one.encoding, other.encoding
        case (MemRefType(), MemRefType()):
            layouts = one.layout, other.layout
        case _:
            return False
    if one.get_shape() != other.get_shape() or one.element_type != other.element_type:
        return False
    if not all(isinstance(layout, LayoutAttr | NoneAttr) for layout in layouts):
        return False
    return same_bytes(layout_of(one), layout_of(other), one)


def physical_shape_of(type_: Attribute) -> tuple[int, ...]:
    """Return the shape of the array that stores a tensor or buffer of `type_`."""
    shape, itemsize = _shape_and_itemsize(type_)
    layout = layout_of(type_)
    return shape if layout is None else algebra.physical_shape(layout, shape, itemsize)


def strides_of(
    layout: Attribute, shape: tuple[int, ...], itemsize: int | None = None
) -> tuple[tuple[int, ...], int] | None:
    """
    Return the stride of each axis and the offset of element 0; None if blocked.

    `layout` is what a type says: a layout, `strided<...>` with static numbers, or
    nothing. Units: elements; itemsize in bytes.
    """
    # By exact classes: those of xDSL are abstract, and slow to ask for.
    if type(layout) is NoneAttr:
        return algebra.row_major_strides(shape), 0
    if type(layout) is LayoutAttr:
        return algebra.strides_of(layout.data, shape, itemsize)
    if type(layout) is not StridedLayoutAttr:
        raise VerifyException(f"expected a #layout.physical, got {layout}")
    static = [each.data for each in layout.strides if type(each) is IntAttr]
    if type(layout.offset) is not IntAttr or len(static) != len(shape):
        raise VerifyException(
            f"expected {len(shape)} static strides and an offset, got {layout}"
        )
    return tuple(static), layout.offset.data


def strides_of_type(type_: Attribute) -> tuple[tuple[int, ...], int] | None:
    """Return the strides and the offset of a tensor or buffer; None if blocked."""
    shape, itemsize = _shape_and_itemsize(type_)
    layout = layout_of(type_)
    if layout is None:
        return algebra.row_major_strides(shape), 0
    return algebra.strides_of(layout, shape, itemsize)


def _shape_and_itemsize(type_: Attribute) -> tuple[tuple[int, ...], int]:
    stored: Any = type_  # typing.cast would cost a call, and this runs per value
    shape = tuple([extent.data for extent in stored.shape.data])
    return shape, dtype_of(stored.element_type).itemsize


def _digit(layout: Layout, index: int) -> AffineExpr:
    dim = layout.dims[index]
    digit = AffineDimExpr(dim.axis) + layout.halo[dim.axis][0]
    if dim.stride != 1:
        digit = digit // dim.stride
    return digit if dim.extent is None else digit % dim.extent
