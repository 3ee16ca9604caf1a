"""Lower matrix products: rows of the left factor, panels of the right one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.loops import Level
from glow.dialects.layout.attribute import layout_of, physical_shape_of
from glow.dialects.memory.address import Addressing, addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.products import MatMulOp
from glow.lowering.memory_to_loops._contraction import ContractionRow, call_contraction
from glow.lowering.memory_to_loops._epilogue import (
    EpiloguePlan,
    Matrix,
    epilogue_of,
    program_of,
)
from glow.lowering.memory_to_loops.axes import axes_along, strides_in
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.product import Product
from glow.lowering.memory_to_loops.product_calls import call_product
from glow.lowering.memory_to_loops.rows import offsets_of
from glow.lowering.tiles import (
    IN_ORDER,
    IN_PAIRS,
    has_pairs,
    matrix_panels,
    open_panel,
)
from glow.support.layout import row_major_strides
from glow.support.targets import Target
from glow.support.types import compute_type


@lowers(MatMulOp, epilogue=-1)
def lower_matmul(main: Main, op: MatMulOp) -> None:
    if not call_product(main, op, (op.lhs, op.rhs), _in_panels(main.target, op)):
        _plain(main, op)


def _in_panels(target: Target, op: MatMulOp) -> Product | None:
    """Return `op` as a product of rows and panels, None where vectors cannot do it."""
    right = _right(op.rhs, target)
    elements = (buffer_type(factor).element_type for factor in (op.lhs, op.rhs))
    is_float = all(compute_type(element) == f32 for element in elements)
    is_empty = not extents_of(op.lhs)[-1] or 0 in extents_of(op.result)
    has_rows = not op.bias or _has_neighbors(op.bias)
    divides = program_of(op.epilogue).divides_integers
    if right is None or not is_float or not has_rows or is_empty or divides:
        return None
    product = _product(op, right, addressing_of(op.result), epilogue_of(op, axis=-1))
    if not right.is_packed and product.result_step == 1:
        panel = open_panel(target, len(product.rows))
        product = replace(product, panel=panel, panel_stride=panel)
    return product


def _has_neighbors(buffer: SSAValue) -> bool:
    """Say whether columns are neighbors in memory."""
    addressing = addressing_of(buffer)
    return addressing.shape[-1] == 1 or addressing.strides[-1] == 1


@dataclass(frozen=True)
class Right:
    """The right factor as panels; `strides` are those of its batch axes."""

    strides: tuple[int, ...]
    panel: int
    panel_stride: int
    pitch: int
    is_packed: bool
    in_pairs: bool = False


def _right(rhs: SSAValue, target: Target) -> Right | None:
    """Return how panels of `rhs` are read; None if columns are not neighbors."""
    addressing, shape = find_addressing(buffer_type(rhs)), extents_of(rhs)
    if addressing is None:
        return _packed(rhs)
    if shape[-1] != 1 and addressing.strides[-1] != 1:
        return None
    panel = target.panel_width
    return Right(addressing.strides[:-2], panel, panel, addressing.strides[-2], False)


def _packed(rhs: SSAValue) -> Right:
    """Read the panels of a blocked layout: [..., columns / panel, depth, panel]."""
    layout, shape = layout_of(rhs), extents_of(rhs)
    assert layout is not None
    in_pairs = has_pairs(layout)
    panel = layout.dims[-2 if in_pairs else -1].extent or 1
    order = IN_PAIRS if in_pairs else IN_ORDER
    if layout != matrix_panels(len(shape), len(shape) - 1, panel, order):
        raise PassFailedException(f"expected panels of columns, got {rhs.type}")
    strides = row_major_strides(physical_shape_of(rhs.type))
    stride = shape[-2] * panel
    return Right(strides[: len(shape) - 2], panel, stride, panel, True, in_pairs)


def _product(
    op: MatMulOp, right: Right, result: Addressing, epilogue: EpiloguePlan
) -> Product:
    """
    See the product as batches of rows.

    Batch axes along which `right` does not move only add rows.
    """
    lhs = addressing_of(op.lhs)
    *batch, height, columns = result.shape
    depth = lhs.shape[-1]
    rank = len(batch)
    left_strides = strides_in(lhs, (*batch, height, depth))
    factor = Addressing(extents_of(op.rhs)[:-2], right.strides)
    moves = strides_in(factor, batch)
    batches = [i for i in range(rank) if moves[i]]
    rows = [i for i in range(rank + 1) if i not in batches]
    left = Matrix((*batch, height), left_strides[:-1], depth, left_strides[-1])
    out = Matrix.of(result.shape, result.strides, axis=-1)
    extras = epilogue.matrices
    moved = offsets_of([batch[i] for i in batches], [moves[i] for i in batches])
    return Product(
        epilogue=epilogue,
        panel=right.panel,
        columns=columns,
        panel_stride=right.panel_stride,
        pitch=right.pitch,
        is_packed=right.is_packed,
        in_pairs=right.in_pairs,
        rows=left.offsets(rows),
        result_rows=out.offsets(rows),
        extra_rows=tuple(extra.offsets(rows) for extra in extras),
        segments=offsets_of((), ()),
        run=depth,
        step=left.column_stride if depth > 1 else 1,
        left_batches=left.moves(batches),
        right_batches=moved,
        bias_batches=0 * moved,
        result_batches=out.moves(batches),
        extra_batches=tuple(extra.moves(batches) for extra in extras),
        result_step=out.column_stride,
    )


def _plain(main: Main, op: MatMulOp) -> None:
    """Any strides, any type."""
    shape = extents_of(op.result)
    if 0 in shape:
        return
    *batch, height, columns = shape
    lhs = addressing_of(op.lhs)
    depth = lhs.shape[-1]
    *left, step = strides_in(lhs, (*batch, height, depth))
    moves = (0,) * len(shape)  # of a factor without elements, which may be packed
    if depth:
        moves = strides_in(addressing_of(op.rhs), (*batch, depth, columns))
    *right, pitch, column = moves
    operands = [
        (*left, 0),
        (*right, 0, column),
        (0,) * len(shape)
        if op.bias is None
        else strides_in(addressing_of(op.bias), shape),
        *(strides_in(addressing_of(value), shape) for value in (*op.extras, op.result)),
    ]
    outer = tuple(axes_along(shape, *operands))
    row = ContractionRow(outer, (Level(depth, (step, pitch)),), (), begin=0, code=0)
    call_contraction(main, op, (op.lhs, op.rhs), row)
