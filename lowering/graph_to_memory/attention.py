"""Lower attention that is left whole: few queries one by one, others in blocks."""

from functools import lru_cache

from xdsl.dialects.builtin import Float32Type, MemRefType, UnitAttr, f32
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.memory import attention
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.attention import DecodeAttentionOp
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.storage import AllocOp
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.lowering.tiles import blocks_of
from glow.support.attributes import integer
from glow.support.targets import Target
from glow.support.types import element_of, is_narrow_float


@lowers(AttentionOp)
def _attention(lowering: Lowering, op: AttentionOp) -> None:
    queries = op.sizes.group * op.sizes.length
    if _is_plain(op) and queries <= lowering.target.costs.single_queries:
        _decode(lowering, op)
    else:
        _attend(lowering, op)


def _is_plain(op: AttentionOp) -> bool:
    """Return whether keys are hidden from a query only because they come later."""
    is_plain = op.mask is None and op.bias is None and op.window[0] == -1
    # Without a valid length, each query sees the first key.
    sees = op.unseen == "zero" or op.valid_length is None
    is_kept = sees and op.unseen != "nan_to_zero"
    return is_plain and is_kept and not op.softcap


def _decode(lowering: Lowering, op: AttentionOp) -> None:
    sizes = op.sizes
    lowering.add(
        DecodeAttentionOp(
            *(_in_lines(lowering, v) for v in (op.query, op.key, op.value)),
            None if op.valid_length is None else lowering[op.valid_length],
            lowering.temporary(f32, (sizes.total,)),
            lowering.destination(op.result),
            scale=sizes.scale(op.scale),
            right_window_size=op.window[1],
        )
    )


def _attend(lowering: Lowering, op: AttentionOp) -> None:
    sizes, is_windowed = op.sizes, op.window != (-1, -1)
    counts = sizes.group, sizes.length, sizes.total
    blocks = blocks_of(lowering.target, *counts, is_windowed)
    mask, bias = (None if v is None else lowering[v] for v in (op.mask, op.bias))
    has_masks, has_biases = (
        buffer is not None
        and attention.is_by_query(extents_of(buffer), blocks.joins_heads)
        for buffer in (mask, bias)
    )
    room = attention.room_of(
        blocks.queries,
        blocks.keys,
        sizes.elements,
        sizes.value_elements,
        has_masks,
        has_biases,
        is_narrow_float(element_of(op.key)),
    )
    lowering.add(
        attention.AttentionOp(
            query=_in_lines(lowering, op.query),
            key=_in_lines(lowering, op.key),
            value=_in_lines(lowering, op.value),
            valid_length=None if op.valid_length is None else lowering[op.valid_length],
            mask=mask,
            bias=bias,
            scratch=lowering.temporary(f32, (room["size"],)),
            result=lowering.destination(op.result),
            scale=sizes.scale(op.scale),
            query_block=blocks.queries,
            key_block=blocks.keys,
            softcap=op.softcap,
            left_window_size=op.window[0],
            right_window_size=op.window[1],
            masked_score=op.masked_score,
            unseen=op.unseen,
            joins_heads=blocks.joins_heads,
        )
    )


def _in_lines(lowering: Lowering, value: SSAValue) -> SSAValue:
    """Return a buffer of `value` whose elements of a head are neighbors."""
    buffer = lowering[value]
    addressing = find_addressing(buffer_type(buffer))
    if addressing is None or 1 not in (addressing.shape[-1], addressing.strides[-1]):
        return lowering.contiguous(value)
    return buffer


@lru_cache(1 << 8)
def _scratch_of(count: int) -> MemRefType[Float32Type]:
    return MemRefType(f32, (count,))


_JOINED = UnitAttr()


def decide_blocks(target: Target, op: attention.AttentionOp) -> None:
    """Choose the blocks of `op`, and its scratch, anew for the extents that it has."""
    (_, heads, length, _), (_, kv_heads, total, _) = map(extents_of, (op.query, op.key))
    left, right = (w.value.data for w in (op.left_window_size, op.right_window_size))
    is_windowed = (left, right) != (-1, -1)
    blocks = blocks_of(target, heads // kv_heads, length, total, is_windowed)
    # Ops of equal extents share attributes, so that later work is done once for them.
    op.query_block, op.key_block = integer(blocks.queries), integer(blocks.keys)
    op.joins_heads = _JOINED if blocks.joins_heads else None
    room = op.room()["size"]
    old = op.scratch.owner
    if extents_of(op.scratch) != (room,) and isinstance(old, AllocOp):
        new = AllocOp(_scratch_of(room))
        Rewriter.replace_op(old, new)
        new.location = op.location
