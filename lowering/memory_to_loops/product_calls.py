"""The calls that compute a product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from glow.codegen.loops import Level
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.elementwise import CopyOp
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._epilogue import epilogue_arguments
from glow.lowering.memory_to_loops._panels import (
    call_by_panels,
    can_call_by_panels,
    packing_of,
)
from glow.lowering.memory_to_loops.copy import copy_whole
from glow.lowering.memory_to_loops.elementwise import call_program
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.product import Planned, Product, plan_product
from glow.lowering.memory_to_loops.rows import Offsets, OffsetTable, spans_of
from glow.lowering.memory_to_loops.rules import check_room
from glow.lowering.memory_to_loops.scalar_program import Instruction, ScalarProgram


@dataclass(frozen=True, eq=False)
class _Piece:
    """Some rows of a product, where they begin in each operand, and their calls."""

    starts: Sequence[int]
    """In elements: of the left factor, of the result, then of each extra."""
    planned: Sequence[Planned]


@dataclass(frozen=True, eq=False)
class ProductPlan:
    """All that does not depend on which buffers a product is computed with."""

    in_pairs: bool
    widened: tuple[int, int] | None
    """The first element of the left factor that is converted, and how many are."""
    pieces: Sequence[_Piece]
    table: Offsets


def call_product(
    main: Main,
    op: ConvOp | MatMulOp,
    factors: Sequence[SSAValue],
    product: Product | None,
) -> bool:
    """
    Append the calls that compute `op` as a product of its two factors.

    Return False if there is no `product`: then nothing is appended.
    """
    plan = product and _plan(main, op, product)
    packing = packing_of(main, op)
    if packing is not None and not (plan and _suits_panels(plan)):
        main.begin(packing)
        copy_whole(main, packing)
        main.begin(op)
        packing = None
    if plan is not None:
        _call(main, op, factors, plan, packing)
    return plan is not None


def _suits_panels(plan: ProductPlan) -> bool:
    """Return whether all of a product can be done panel by panel."""
    return len(plan.pieces) == 1 and can_call_by_panels(plan.pieces[0].planned)


def _plan(main: Main, op: ConvOp | MatMulOp, product: Product) -> ProductPlan:
    widened = None
    if not product.columns or not len(product.rows):
        return ProductPlan(product.in_pairs, None, (), np.zeros(0, np.int64))
    if op.scratch is not None:
        first, count = widened = _extent_of_left(product)
        check_room(op, op.scratch, f32, count)
        product = replace(product, rows=product.rows - first)
    table = OffsetTable()
    pieces = [
        _Piece(
            starts, plan_product(main.target, piece, table, is_shared=main.piece_ns > 0)
        )
        for starts, piece in _pieces(product)
    ]
    return ProductPlan(product.in_pairs, widened, pieces, table.array())


def _extent_of_left(product: Product) -> tuple[int, int]:
    """Return the first element of the left factor that is read, and how many are."""
    parts = (product.rows, product.segments, product.left_batches)
    run = (product.run - 1) * product.step
    first = sum(int(part.min()) for part in parts) + min(0, run)
    last = sum(int(part.max()) for part in parts) + max(0, run)
    return first, last - first + 1


def _call(
    main: Main,
    op: ConvOp | MatMulOp,
    factors: Sequence[SSAValue],
    plan: ProductPlan,
    packing: CopyOp | None,
) -> None:
    """Append the calls of a plan, on the buffers of `op`, and those of `packing`."""
    if not plan.pieces:
        return
    left, right = factors
    if plan.widened is not None:
        assert op.scratch is not None
        _widen(main, left, op.scratch, *plan.widened)
        left = op.scratch
    offsets = main.offsets(plan.table)
    factor = main.stored if plan.in_pairs else main.base
    with main.shared.beside():
        for piece in plan.pieces:
            arguments = {
                "left": factor(left, piece.starts[0]),
                "right": factor(right),
                **epilogue_arguments(main, op, piece.starts[2:]),
                "result": main.stored(op.result, piece.starts[1]),
                "table": offsets,
            }
            if packing is not None:
                call_by_panels(main, op, packing, piece.planned, arguments)
                continue
            for kernel, row, work in piece.planned:
                main.call(kernel, arguments, row, work)


def _widen(
    main: Main, left: SSAValue, scratch: SSAValue, first: int, count: int
) -> None:
    """Convert `count` elements of `left` to f32, from the one numbered `first` on."""
    widen = Instruction(arith.ExtFOp, (0,), (), f32)
    program = ScalarProgram((buffer_type(left).element_type,), (widen,), (1,))
    axes = [Level(count, (1, 1))]
    call_program(main, program, [(left, first), (scratch, 0)], axes)


def _pieces(product: Product) -> Iterator[tuple[list[int], Product]]:
    """Yield parts of the rows, and where each begins in left, result and extras."""
    operands = [product.rows, product.result_rows, *product.extra_rows]
    spans = spans_of(operands)
    if len(spans) == 1:
        yield [0] * len(operands), product
        return
    for first, last in spans:
        starts = [int(rows[first]) for rows in operands]
        left, result, *extras = (
            rows[first:last] - start
            for rows, start in zip(operands, starts, strict=True)
        )
        yield (
            starts,
            replace(product, rows=left, result_rows=result, extra_rows=tuple(extras)),
        )
