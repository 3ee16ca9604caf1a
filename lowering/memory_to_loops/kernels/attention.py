"""Attention in blocks: scores of some queries and keys, which stay in the caches."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import f32, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from glow.lowering.memory_to_loops.builder import FLAT, INDEX, TABLE, flat, function
from glow.lowering.memory_to_loops.kernels.attention_block import Block
from glow.lowering.memory_to_loops.kernels.attention_parts import Form
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest

OPERANDS = ("query", "key", "value", "result", "mask", "bias", "lengths")
"""What loops over batches and heads move."""

NAMES = (
    *("columns", "length", "total", "elements", "width", "left", "right"),
    *("query_block", "key_block", "query_head", "query_step", "key_step"),
    *("value_step", "result_head", "result_step"),
    *("mask_head", "mask_step", "mask_key", "bias_head", "bias_step", "bias_key"),
    *("sum_step", "queries", "scores", "sums", "peak", "total_at", "shrinkage"),
    *("best", "first", "last", "masks", "biases"),
)
"""The integers of a row behind its loops."""


@dataclass(frozen=True)
class Attention(Kernel):
    """
    For each block of queries: scores, their exponentials, and sums of values.

    Queries are columns: a vector has one number of each. Elements of a head are
    neighbours in query, key, value and result. Row: loops over batches, heads of keys
    and heads of queries that share no block (extent; strides of `OPERANDS`), then
    `NAMES`: the queries of a head of keys, or of queries, and how many of one head are
    next to each other; sizes; blocks; distances; where parts of the scratch begin.
    """

    form: Form
    integer: Attribute | None
    """The type of the valid lengths, if there are any."""

    @property
    def prefix(self) -> str:
        return "attention"

    def build(self) -> FuncOp:
        buffers: list[tuple[str, Attribute]] = [
            (name, FLAT) for name in ("query", "key", "value", "result")
        ]
        if self.form.mask is not None:
            buffers.append(("mask", flat(i1)))
        if self.form.bias is not None:
            buffers.append(("bias", flat(f32)))
        if self.integer is not None:
            buffers.append(("lengths", flat(self.integer)))
        buffers += [("scratch", FLAT), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, buffers)
        row = Row(b, args)
        levels = row.levels(3, len(OPERANDS))
        block = Block(self.form, args, {name: row.next(name) for name in NAMES})
        nest(
            b,
            levels,
            len(OPERANDS),
            lambda b, at: block.head(b, dict(zip(OPERANDS, at, strict=True))),
        )
        b.do(func.ReturnOp())
        return op
