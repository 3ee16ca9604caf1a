"""Optional operands written as ops before the op that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.tensors import OpList
from glow.support.types import shape_of


def weighted_rows(op: Any, weights: SSAValue) -> Sequence[Operation]:
    """
    Look up and scale the rows of a bag first, and combine those in their order.

    Rows of padding become the last row of the new table, which is its padding.
    """
    new = OpList()
    indices = new.tensor(op.indices)
    rows = xp.take(new.tensor(op.table), indices.reshape(indices.size))
    table = rows * new.tensor(weights).reshape(indices.size, 1)
    order = new.tensor(np.arange(indices.size, dtype=np.int64).reshape(indices.shape))
    parameters: dict[str, int] = {}
    if op.padding_idx is not None:
        height = shape_of(op.table)[0]
        place = xp.where(indices < 0, indices + height, indices)
        is_padding = place == op.padding_idx % height
        order = xp.where(is_padding, indices.size, order)
        blank = np.zeros((1, table.shape[1]), table.dtype)
        table = xp.concat([table, new.tensor(blank)])
        parameters["padding_idx"] = indices.size
    operands = {"table": table.value, "indices": order.value, "weights": None}
    return [*new.ops, with_presence(op, operands, parameters=parameters)]
