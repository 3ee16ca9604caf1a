"""Lower attention of few queries: loops over batches, heads, groups and positions."""

from __future__ import annotations

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.decode_attention import DecodeAttentionOp
from glow.lowering.memory_to_loops.axes import Axis, nest_row
from glow.lowering.memory_to_loops.kernels.decode_attention import DecodeAttention
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers

_ENDLESS = 1 << 40


@lowers(DecodeAttentionOp)
def lower_decode_attention(main: Main, op: DecodeAttentionOp) -> None:
    query, result = (addressing_of(v) for v in (op.query, op.result))
    lengths = [] if op.valid_length is None else [op.valid_length]
    step = addressing_of(lengths[0]).strides[0] if lengths else 0
    key, value = addressing_of(op.key), addressing_of(op.value)
    if 0 in result.shape:
        return
    batch, heads, length, elements = query.shape
    kv_heads, total = key.shape[1:3]
    group = heads // kv_heads
    places = (query, key, value, result)
    outer = [
        Axis(batch, (*(p.strides[0] for p in places), step, 0)),
        Axis(
            kv_heads,
            (
                group * query.strides[1],
                key.strides[1],
                value.strides[1],
                group * result.strides[1],
                0,
                0,
            ),
        ),
        Axis(group, (query.strides[1], 0, 0, result.strides[1], 0, 0)),
        Axis(length, (query.strides[2], 0, 0, result.strides[2], 0, 1)),
    ]
    right = op.right_window_size.value.data
    reach = _ENDLESS if right < 0 else right + 1
    if lengths and right >= 0:
        reach -= length
    element = buffer_type(op.query).element_type
    kernel = DecodeAttention(
        element,
        buffer_type(lengths[0]).element_type if lengths else None,
        op.scale.value.data,
        Strips.of(main.target, [element], unroll=4),
    )
    row = nest_row(outer)
    row += [total, reach, key.strides[2], value.strides[2], elements]
    row += [extents_of(op.result)[-1]]
    operands = (op.query, op.key, op.value, op.result, *lengths, op.scratch)
    main.call(kernel, [main.base(v) for v in operands], row)
