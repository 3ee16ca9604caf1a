"""Write rotary embeddings as products of halves."""

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.rotary_embedding import RotaryEmbeddingOp
from glow.dialects.graph.tensors import Tensor
from glow.passes.patterns import Replacement, Results, RewritePass


def decompose_rotary_embedding(op: RotaryEmbeddingOp, new: Replacement) -> Results:
    """
    rotary(x, cos, sin, p) -> concat(a * c - b * s, a * s + b * c, rest)

    for the halves a and b of what is rotated, c = cos[p] and s = sin[p]; interleaved,
    these are a last axis of two.
    """
    heads = x = new.tensor(op.input)
    if op.num_heads is not None:
        heads = x.reshape(*x.shape[:2], op.num_heads, x.shape[2] // op.num_heads)
    size = op.rotary_embedding_dim or heads.shape[-1]
    parts = [_rotated(op, heads[..., :size])]
    if size < heads.shape[-1]:
        parts.append(heads[..., size:])
    return xp.concat(parts, axis=-1).reshape(*x.shape)


def _rotated(op: RotaryEmbeddingOp, heads: Tensor) -> Tensor:
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


class DecomposeRotaryEmbeddingPass(RewritePass):
    """
    Replace each rotary embedding by products of halves, which are computed in place.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-rotary-embedding"
    patterns = (decompose_rotary_embedding,)
