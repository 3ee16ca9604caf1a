"""Lower attention of few queries: loops over batches, heads, groups and positions."""

from __future__ import annotations

from glow.codegen.loops import Level
from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.attention import DecodeAttentionOp
from glow.dialects.memory.base import buffer_type, extents_of
from glow.lowering.memory_to_loops.kernels.decode_attention import (
    DecodeAttention,
    DecodeRow,
)
from glow.lowering.memory_to_loops.kernels.kernel import Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import compute_type

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
    own = (query.strides, (0,) * 4, (0,) * 4, result.strides)
    moves = group * query.strides[1], key.strides[1], value.strides[1]
    heads = (
        Level(batch, (*(p.strides[0] for p in places), step, 0)),
        Level(kv_heads, (*moves, group * result.strides[1], 0, 0)),
        Level(group, (*(s[1] for s in own), 0, 0)),
    )
    heads = tuple(level for level in heads if level.extent > 1)
    right = op.right_window_size.value.data
    reach = _ENDLESS if right < 0 else right + 1
    if lengths and right >= 0:
        reach -= length
    element = buffer_type(op.query).element_type
    kernel = DecodeAttention(
        element,
        buffer_type(lengths[0]).element_type if lengths else None,
        op.scale.value.data,
        Strips.of(main.target, [element, compute_type(element)], unroll=4),
        len(heads),
    )
    width = extents_of(op.result)[-1]
    row = DecodeRow(
        heads,
        Level(length, (*(s[2] for s in own), 0, 1)),
        total,
        reach,
        (key.strides[2], value.strides[2]),
        (elements, width),
    )
    operands = (op.query, op.key, op.value, op.result, *lengths, op.scratch)
    work = Work(batch * kv_heads * group, length * total * (elements + width))
    main.call(kernel, [main.base(v) for v in operands], row, work)
