"""Lower attention of one query per head: loops over batches, heads and groups."""

from __future__ import annotations

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.attention import AttentionOp
from glow.dialects.memory.base import buffer_type, extents_of
from glow.lowering.memory_to_loops.axes import Axis, nest_row
from glow.lowering.memory_to_loops.kernels.cached_attention import CachedAttention
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers


@lowers(AttentionOp)
def lower_attention(main: Main, op: AttentionOp) -> None:
    query, result, lengths = (
        addressing_of(v) for v in (op.query, op.result, op.valid_length)
    )
    key, value = addressing_of(op.key), addressing_of(op.value)
    if 0 in result.shape:
        return
    batch, heads, _, elements = query.shape
    kv_heads, total = key.shape[1:3]
    group = heads // kv_heads
    places = (query, key, value, result)
    outer = [
        Axis(batch, (*(p.strides[0] for p in places), lengths.strides[0])),
        Axis(
            kv_heads,
            (
                group * query.strides[1],
                key.strides[1],
                value.strides[1],
                group * result.strides[1],
                0,
            ),
        ),
        Axis(group, (query.strides[1], 0, 0, result.strides[1], 0)),
    ]
    element = buffer_type(op.query).element_type
    kernel = CachedAttention(
        element,
        buffer_type(op.valid_length).element_type,
        op.scale.value.data,
        Strips.of(main.target, [element], unroll=4),
    )
    row = nest_row(outer)
    row += [total, key.strides[2], value.strides[2], elements]
    row += [extents_of(op.result)[-1]]
    operands = (op.query, op.key, op.value, op.result, op.valid_length, op.scratch)
    main.call(kernel, [main.base(v) for v in operands], row)
