"""Layouts that products of matrices read and write, and their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.analysis.constants import constant_behind
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.layout.attribute import LayoutAttr, layout_attribute
from glow.lowering.tiles import (
    IN_ORDER,
    IN_PAIRS,
    Digits,
    depth_order,
    has_pairs,
    matrix_panels,
    multiplies_pairs,
    panel_for,
)
from glow.support.arrays import Shape
from glow.support.layout import Layout
from glow.support.targets import AnyOrder, Asked, LayoutChoice, Offers, Target
from glow.support.types import compute_type, dtype_of, element_of, shape_of


@dataclass(frozen=True)
class ProductShape:
    """What the layouts of a product depend on, so that equal products share them."""

    elements: tuple[Attribute, Attribute, Attribute]
    """Of the factors and the result."""
    lhs: Shape
    rhs: Shape
    result: Shape
    transpose_lhs: bool
    transpose_rhs: bool
    is_known: bool
    """Whether the right factor is a constant."""
    operands: int

    @staticmethod
    def of(op: MatMulOp) -> ProductShape:
        """Return the shape of a product of the graph."""
        return ProductShape(
            (element_of(op.lhs), element_of(op.rhs), element_of(op.result)),
            shape_of(op.lhs),
            shape_of(op.rhs),
            shape_of(op.result),
            op.transpose_lhs,
            op.transpose_rhs,
            constant_behind(op.rhs) is not None,
            len(op.operands),
        )

    @property
    def depth(self) -> int:
        """The axis of the left factor that is summed."""
        rank = len(self.lhs)
        return rank - (2 if self.transpose_lhs and rank > 1 else 1)

    @property
    def columns(self) -> int:
        """The axis of the right factor that runs along columns."""
        return len(self.rhs) - (2 if self.transpose_rhs else 1)

    @property
    def is_packed(self) -> bool:
        """Whether the right factor is a constant that can be in panels."""
        is_computed_in_f32 = compute_type(self.elements[1]) == f32
        return len(self.rhs) > 1 and is_computed_in_f32 and self.is_known

    def panels(self, target: Target, order: Digits = IN_ORDER) -> Attribute:
        """Return panels of the right factor whose rows follow each other in `order`."""
        shape, columns = self.rhs, self.columns
        width = panel_for(target, shape[columns])
        return LayoutAttr(matrix_panels(len(shape), columns, width, order))


def product_choices(
    op: MatMulOp, target: Target, offers: Offers
) -> Sequence[LayoutChoice]:
    """
    Return panels for a right factor, or its columns innermost where a run computes it.

    The left factor and the result have rows or columns innermost. The summed axis may
    be split in the left factor, if panels have their rows in the same order.
    """
    product = ProductShape.of(op)
    may_be_split = product.is_packed and len(product.lhs) > 1
    return _choices(product, target, tuple(offers(0)) if may_be_split else ())


@cache
def _choices(
    product: ProductShape, target: Target, offered: tuple[Layout, ...]
) -> tuple[LayoutChoice, ...]:
    """Return what `product_choices` does, for a left factor in layouts on offer."""
    rank = len(product.result)
    others = (None,) * (product.operands - 2)
    neighbors = tuple(range(len(product.lhs)))[-2:]
    right = _right(product, target)
    if isinstance(right, LayoutAttr) and has_pairs(right.data):
        neighbors = (product.depth,)
    asked: list[tuple[Asked, Asked, float]] = [(AnyOrder(neighbors), right, 0.0)]
    if _may_be_packed(product, target):
        strided = _strided_cost(product, target)
        panels = product.panels(target)
        asked = [(AnyOrder(neighbors), panels, 0.0), (*asked[0][:2], strided)]
    orders = ((each, depth_order(each, product.lhs, product.depth)) for each in offered)
    asked += [
        (layout_attribute(layout), product.panels(target, order), 0.0)
        for layout, order in orders
        if order and len(order) > 1
    ]
    results = [(AnyOrder((rank - 1,) if rank else None), 0.0)]
    if _has_columns(product, target):
        cost = target.costs.transposed_result * _bytes(product.result, product, 2)
        results.append((AnyOrder((rank - 2,)), cost))
    return tuple(
        LayoutChoice((left, right, *others), (result,), strided + cost)
        for left, right, strided in asked
        for result, cost in results
    )


def _bytes(shape: Shape, product: ProductShape, place: int) -> int:
    """Return the bytes of a factor, or of the result: the value at a place."""
    return prod(shape) * dtype_of(product.elements[place]).itemsize


def _has_columns(product: ProductShape, target: Target) -> bool:
    """Return whether a kernel can write contiguous columns, and rows fill a tile."""
    is_vector = min(len(product.lhs), len(product.rhs)) == 1
    if is_vector or compute_type(product.elements[2]) != f32:
        return False
    return product.result[-2] >= target.tile_rows


def _right(product: ProductShape, target: Target) -> Asked:
    """Return the request for the right factor: panels, or the columns innermost."""
    if len(product.rhs) == 1:
        return None
    if not product.is_packed:
        return AnyOrder((product.columns,))
    depth = product.lhs[product.depth]
    in_pairs = multiplies_pairs(target, product.elements[0], depth)
    return product.panels(target, IN_PAIRS if in_pairs else IN_ORDER)


def _may_be_packed(product: ProductShape, target: Target) -> bool:
    """Return whether a run may put the right factor, one matrix, into panels."""
    left, right, _ = product.elements
    if product.is_packed or len(product.lhs) == 1 or len(product.rhs) != 2:
        return False
    is_wide = product.rhs[product.columns] >= target.panel_width
    return left == right == f32 and is_wide


def _strided_cost(product: ProductShape, target: Target) -> float:
    """Return the cost of lines of the right factor that lie apart, for each row."""
    rows = prod(product.lhs) // max(1, product.lhs[product.depth])
    return target.costs.strided_lines * rows * _bytes(product.rhs, product, 1)
