"""Write rotary embeddings as products of halves, and what puts them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.binary import AddOp, MulOp, SubOp
from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.slicing import SliceOp
from glow.passes.graph._writer import Writer
from glow.support.rewriting import rewrite
from glow.support.types import has_layout, shape_of


class DecomposeRotaryEmbedding(RewritePattern):
    """
    rotary(x, cos, sin, p) -> concat(a * c - b * s, a * s + b * c, rest)

    for the halves a and b of what is turned, c = cos[p] and s = sin[p]; interleaved,
    these are a last axis of two.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: RotaryEmbeddingOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        writer, p = Writer(), op.parameters()
        shape = shape_of(op.input)
        heads = op.input
        if p["num_heads"] is not None:
            elements = shape[2] // p["num_heads"]
            heads = writer.reshaped(heads, *shape[:2], p["num_heads"], elements)
        turned = p["rotary_embedding_dim"] or shape_of(heads)[-1]
        parts = [_turned(writer, op, heads, turned)]
        if turned < shape_of(heads)[-1]:
            parts.append(_part(writer, heads, turned, shape_of(heads)[-1]))
        result = _joined(writer, parts)
        rewriter.replace(op, writer.ops, (writer.reshaped(result, *shape),))


def _turned(
    writer: Writer, op: RotaryEmbeddingOp, heads: SSAValue, turned: int
) -> SSAValue:
    """Return the first `turned` elements of each head of `heads`, turned."""
    value = _part(writer, heads, 0, turned)
    shape, size = shape_of(value), turned // 2
    if op.interleaved:
        value, size = writer.reshaped(value, *shape[:-1], size, 2), 1
    a = _part(writer, value, 0, size)
    b = _part(writer, value, size, 2 * size)
    cos, sin = (_angle(writer, op, table) for table in (op.cos, op.sin))
    real = writer.apply(SubOp, writer.apply(MulOp, a, cos), writer.apply(MulOp, b, sin))
    imaginary = writer.apply(
        AddOp, writer.apply(MulOp, a, sin), writer.apply(MulOp, b, cos)
    )
    return writer.reshaped(_joined(writer, [real, imaginary]), *shape)


def _angle(writer: Writer, op: RotaryEmbeddingOp, table: SSAValue) -> SSAValue:
    """Return what `table` has for each position, as it broadcasts to a half."""
    if op.positions is not None:
        table = writer.add(GatherOp(table, op.positions, axis=0))
    batch, length, half = shape_of(table)
    tail = (half,) if not op.interleaved else (half, 1)
    between = (length, 1) if op.num_heads is not None else (1, length)
    return writer.reshaped(table, batch, *between, *tail)


def _part(writer: Writer, value: SSAValue, start: int, stop: int) -> SSAValue:
    """Return the elements from `start` to `stop` of the last axis."""
    *rest, extent = shape_of(value)
    if stop - start == extent:
        return value
    starts, sizes = [0] * len(rest) + [start], [*rest, stop - start]
    steps = [1] * len(sizes)
    return writer.add(SliceOp(value, starts=starts, sizes=sizes, steps=steps))


def _joined(writer: Writer, parts: Sequence[SSAValue]) -> SSAValue:
    if len(parts) == 1:
        return parts[0]
    return writer.add(ConcatOp(parts, axis=-1))


@dataclass(frozen=True)
class DecomposeRotaryEmbeddingPass(ModulePass):
    """
    Replace each rotary embedding by products of halves, which are computed in place.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-rotary-embedding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DecomposeRotaryEmbedding())
