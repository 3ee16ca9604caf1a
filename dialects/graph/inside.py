"""What optional operands do, as ops before the op that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.comparison import EqualOp, LessOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.movement import ReshapeOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.storage import LiteralOp
from glow.support.types import dtype_of, element_of, shape_of


def weighted_rows(op: Any, weights: SSAValue) -> Sequence[Operation]:
    """
    Look up and scale the rows of a bag first, and combine those in their order.

    Rows of padding become the last row of the new table, which is its padding.
    """
    shape = shape_of(op.indices)
    count = int(np.prod(shape, dtype=np.int64))
    flat = ReshapeOp(op.indices, shape=(count,))
    rows = GatherOp(op.table, flat.result, axis=0)
    column = ReshapeOp(weights, shape=(count, 1))
    scaled = MulOp(rows.result, column.result)
    order = LiteralOp(np.arange(count, dtype=np.int64).reshape(shape))
    ops: list[Operation] = [flat, rows, column, scaled, order]
    changed = {"table": scaled.result, "indices": order.result, "weights": None}
    if op.padding_idx is None:
        return [*ops, with_presence(op, changed)]
    ops += _padded(op, scaled, order)
    changed |= {"table": ops[-2].results[0], "indices": ops[-1].results[0]}
    return [*ops, with_presence(op, changed, parameters={"padding_idx": count})]


def _padded(op: Any, scaled: MulOp, order: LiteralOp) -> list[Operation]:
    """Return ops of which the last two have the rows with one more, and their order."""
    dtype, height = dtype_of(element_of(op.indices)), shape_of(op.table)[0]

    def number(value: int) -> LiteralOp:
        return LiteralOp(np.array(value, dtype))

    zero, rows = number(0), number(height)
    padding = number(op.padding_idx % height)
    negative = LessOp(op.indices, zero.result)
    raised = AddOp(op.indices, rows.result)
    index = WhereOp(negative.result, raised.result, op.indices)
    is_padding = EqualOp(index.result, padding.result)
    last = LiteralOp(np.array(shape_of(scaled.result)[0], np.int64))
    width = shape_of(scaled.result)[1]
    blank = LiteralOp(np.zeros((1, width), dtype_of(element_of(scaled.result))))
    table = ConcatOp((scaled.result, blank.result), axis=0)
    places = WhereOp(is_padding.result, last.result, order.result)
    fixed = [zero, rows, padding, last, blank]
    return [*fixed, negative, raised, index, is_padding, table, places]
