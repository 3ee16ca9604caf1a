"""Lower attention in blocks: loops over batches and heads, and how its blocks lie."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.attention import PADDING, AttentionOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.attention_blocks import panels_of, query_rows
from glow.lowering.memory_to_loops.axes import Axis, nest_row, strides_in
from glow.lowering.memory_to_loops.kernels.attention import NAMES, OPERANDS, Attention
from glow.lowering.memory_to_loops.kernels.attention_parts import Form, Spread
from glow.lowering.memory_to_loops.kernels.microkernel import Tile
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.tiles import tiles_of
from glow.lowering.tile_heights import tile_rows
from glow.support.targets import Target

_ENDLESS = 1 << 40


@lowers(AttentionOp)
def lower_attention(main: Main, op: AttentionOp) -> None:
    if 0 in addressing_of(op.result).shape:
        return
    given = {
        "mask": op.mask,
        "bias": op.bias,
        "lengths": op.valid_length,
    }
    present = [value for value in given.values() if value is not None]
    lengths = op.valid_length
    integer = None if lengths is None else buffer_type(lengths).element_type
    kernel = Attention(_form(main.target, op), integer)
    operands = (op.query, op.key, op.value, op.result, *present, op.scratch)
    main.call(kernel, [main.base(v) for v in operands], _row(op, given))


def _form(target: Target, op: AttentionOp) -> Form:
    width = addressing_of(op.value).shape[-1]
    queries, keys = op.query_block.value.data, op.key_block.value.data
    panel = next(n for n in panels_of(target) if queries % n == 0)
    lanes = min(panel, target.tile_lanes)
    rows = query_rows(target, panel)
    widest = max(target.panel_widths)
    tails = tiles_of(target, rows, widest, width % widest)
    return Form(
        scale=op.scale.value.data,
        softcap=op.softcap.value.data,
        masked_score=op.masked_score.value.data,
        unseen=op.unseen.data,
        mask=_spread(op, op.mask),
        bias=_spread(op, op.bias),
        is_windowed=_window(op) != (-1, -1),
        joins_heads=op.joins_heads is not None,
        scores=Tile(tile_rows(target, keys, panel), panel // lanes, lanes),
        values=Tile(
            rows,
            widest // min(widest, target.tile_lanes),
            min(widest, target.tile_lanes),
        ),
        tail=tails[0] if tails else None,
        square=min(panel, target.f32_lanes),
    )


def _spread(op: AttentionOp, value: SSAValue | None) -> Spread | None:
    if value is None:
        return None
    if not op.by_query(value):
        return Spread.KEYS
    found = addressing_of(value)
    has_lines = found.shape[-1] > 1 and found.strides[-1] == 1
    return Spread.LINES if has_lines else Spread.ANY


def _window(op: AttentionOp) -> tuple[int, int]:
    return op.left_window_size.value.data, op.right_window_size.value.data


def _row(op: AttentionOp, given: dict[str, SSAValue | None]) -> list[int]:
    query, key = addressing_of(op.query), addressing_of(op.key)
    value, result = addressing_of(op.value), addressing_of(op.result)
    batch, heads, length, elements = query.shape
    kv_heads, total = key.shape[1:3]
    group, width = heads // kv_heads, value.shape[-1]
    scores = (batch, heads, length, total)
    strides = {"query": query.strides, "result": result.strides}
    for name in ("mask", "bias"):
        buffer = given[name]
        none = (0, 0, 0, 0)
        strides[name] = (
            none if buffer is None else strides_in(addressing_of(buffer), scores)
        )
    by_head = {name: own[1] for name, own in strides.items()}
    shared = {"key": key.strides, "value": value.strides}
    lengths = given["lengths"]
    step = 0 if lengths is None else addressing_of(lengths).strides[0]
    starts = {name: own[0] for name, own in (strides | shared).items()}
    moves = {name: group * own for name, own in by_head.items()}
    moves |= {name: own[1] for name, own in shared.items()}
    joins = op.joins_heads is not None
    outer = [
        Axis(batch, tuple((starts | {"lengths": step})[name] for name in OPERANDS)),
        Axis(kv_heads, tuple((moves | {"lengths": 0})[name] for name in OPERANDS)),
        Axis(
            1 if joins else group,
            tuple(0 if joins else by_head.get(name, 0) for name in OPERANDS),
        ),
    ]
    room = op.room()
    left, right = (_ENDLESS if size < 0 else size for size in _window(op))
    integers = {
        "columns": (group if joins else 1) * length,
        "length": length,
        "total": total,
        "elements": elements,
        "width": width,
        "left": left,
        "right": right,
        "query_block": op.query_block.value.data,
        "key_block": op.key_block.value.data,
        "key_step": key.strides[2],
        "value_step": value.strides[2],
        "sum_step": width + PADDING,
        **{f"{name}_head": own[1] for name, own in strides.items()},
        **{f"{name}_step": own[2] for name, own in strides.items()},
        **{f"{name}_key": strides[name][3] for name in ("mask", "bias")},
        **{name: room[name] for name in ("queries", "scores", "sums", "peak")},
        **{name: room[name] for name in ("shrinkage", "best", "first", "last")},
        "total_at": room["total"],
        "masks": room["mask"],
        "biases": room["bias"],
    }
    return [*nest_row(outer), *(integers[name] for name in NAMES)]
