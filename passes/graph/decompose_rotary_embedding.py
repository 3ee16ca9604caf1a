"""Write rotary embeddings as products of halves."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.replacement import Replacement
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout


class DecomposeRotaryEmbedding(RewritePattern):
    """
    rotary(x, cos, sin, p) -> concat(a * c - b * s, a * s + b * c, rest)

    for the halves a and b of what is rotated, c = cos[p] and s = sin[p]; interleaved,
    these are a last axis of two.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: RotaryEmbeddingOp, rewriter: PatternRewriter, /
    ) -> None:
        if has_layout(op.result):
            return
        new = Replacement(op, rewriter)
        heads = x = new.tensor(op.input)
        if op.num_heads is not None:
            heads = x.reshape(*x.shape[:2], op.num_heads, x.shape[2] // op.num_heads)
        size = op.rotary_embedding_dim or heads.shape[-1]
        parts = [_rotated(op, heads[..., :size])]
        if size < heads.shape[-1]:
            parts.append(heads[..., size:])
        new.finish(xp.concat(parts, axis=-1).reshape(*x.shape))


def _rotated(op: RotaryEmbeddingOp, heads: Tensor) -> Tensor:
    """Return all elements of each head rotated."""
    pairs, half = heads, heads.shape[-1] // 2
    if op.interleaved:
        pairs, half = heads.reshape(*heads.shape[:-1], half, 2), 1
    a, b = pairs[..., :half], pairs[..., half:]
    cos, sin = (_angle(op, heads.writer.tensor(table)) for table in (op.cos, op.sin))
    rotated = xp.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)
    return rotated.reshape(*heads.shape)


def _angle(op: RotaryEmbeddingOp, table: Tensor) -> Tensor:
    """Return what `table` has for each position, as it broadcasts to a half."""
    if op.positions is not None:
        table = xp.take(table, op.positions)
    batch, length, half = table.shape
    between = (length, 1) if op.num_heads is not None else (1, length)
    return table.reshape(batch, *between, half, *((1,) if op.interleaved else ()))


@dataclass(frozen=True)
class DecomposeRotaryEmbeddingPass(ModulePass):
    """
    Replace each rotary embedding by products of halves, which are computed in place.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-rotary-embedding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DecomposeRotaryEmbedding())
