"""Lower attention in blocks: loops over batches and heads, and how its blocks lie."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.loops import Level, flattened
from glow.codegen.values import Value
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.attention import PADDING, AttentionOp
from glow.lowering.memory_to_loops.axes import strides_in
from glow.lowering.memory_to_loops.kernels.attention_block import Block
from glow.lowering.memory_to_loops.kernels.attention_scores import (
    MOVED,
    TENSORS,
    AttentionForm,
    AttentionRow,
    Room,
    Spread,
    Strides,
)
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Kernel,
    Work,
)
from glow.lowering.memory_to_loops.kernels.microkernel import Tile, tiles_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.rules import check_lines, check_room
from glow.lowering.tiles import panels_of, query_rows, tile_rows
from glow.support.costs import Costs
from glow.support.locations import name_of
from glow.support.targets import Target


@dataclass(frozen=True)
class Attention(Kernel):
    """
    For each block of queries: scores, their exponentials, and sums of values.

    Queries are columns: a vector has one number of each. Elements of a head are
    neighbors in query, key, value and result.
    Unit: a block of queries.
    Scratch: all that a block keeps; pieces that run at once need their own.
    """

    form: AttentionForm

    def per_ns(self, costs: Costs) -> float:
        return costs.products_per_ns * self.form.scores.lanes

    def write(self, call: Call[AttentionRow[Value]]) -> None:
        for starts in flattened(call.row.blocks, len(MOVED), call.range):
            at = dict(zip(MOVED, starts, strict=True))
            Block(self.form, call, at).write()


_ENDLESS = 1 << 40


@lowers(AttentionOp)
def lower_attention(main: Main, op: AttentionOp) -> None:
    if 0 in addressing_of(op.result).shape:
        return
    check_lines(op, op.query, op.key, op.value, op.result)
    check_room(op, op.scratch, f32, op.room()["size"])
    given = {"mask": op.mask, "bias": op.bias, "lengths": op.valid_length}
    present = {name: v for name, v in given.items() if v is not None}
    tensors = dict(zip(TENSORS, (op.query, op.key, op.value, op.result), strict=True))
    passed = {n: main.base(buffer) for n, buffer in (tensors | present).items()}
    passed["scratch"] = main.own(op.scratch)
    kernel, row, work = _plan(main.target, op, present)
    main.call(kernel, passed, row, work)


def _plan(
    target: Target, op: AttentionOp, given: dict[str, SSAValue]
) -> tuple[Attention, AttentionRow[int], Work]:
    row = _row(op, given)
    units = prod(level.extent for level in row.blocks)
    cost = row.query_block * row.total * (row.elements + row.width)
    return Attention(_form(target, op)), row, Work(units, cost)


def _form(target: Target, op: AttentionOp) -> AttentionForm:
    width = addressing_of(op.value).shape[-1]
    queries, keys = op.query_block.value.data, op.key_block.value.data
    panels = panels_of(target)
    panel = next((n for n in panels if queries % n == 0), None)
    if panel is None:
        raise PassFailedException(
            f"{op.name} (from {name_of(op)}): expected query_block to be a multiple of "
            f"{min(panels)}, got {queries}"
        )
    lanes = min(panel, target.tile_lanes)
    rows = query_rows(target, panel)
    widest = max(target.panel_widths)
    tails = tiles_of(target, widest, width % widest, rows)
    return AttentionForm(
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
    addressing = addressing_of(value)
    has_lines = addressing.shape[-1] > 1 and addressing.strides[-1] == 1
    return Spread.LINES if has_lines else Spread.ANY


def _window(op: AttentionOp) -> tuple[int, int]:
    return op.left_window_size.value.data, op.right_window_size.value.data


def _row(op: AttentionOp, given: dict[str, SSAValue]) -> AttentionRow[int]:
    query, key = addressing_of(op.query), addressing_of(op.key)
    value, result = addressing_of(op.value), addressing_of(op.result)
    batch, heads, length, elements = query.shape
    kv_heads, total = key.shape[1:3]
    group, width = heads // kv_heads, value.shape[-1]
    joins, block = op.joins_heads is not None, op.query_block.value.data
    columns = (group if joins else 1) * length
    scores = (batch, heads, length, total)
    strides = {"query": query.strides, "result": result.strides}
    for name in ("mask", "bias"):
        strides[name] = (0, 0, 0, 0)
        if name in given:
            strides[name] = strides_in(addressing_of(given[name]), scores)
    shared = {"key": key.strides, "value": value.strides}
    lengths = addressing_of(given["lengths"]).strides[0] if "lengths" in given else 0
    by_batch = {n: own[0] for n, own in (strides | shared).items()}
    by_head = {n: own[1] for n, own in strides.items()}
    by_group = {n: group * step for n, step in by_head.items()}
    blocks = (
        _level(batch, by_batch | {"lengths": lengths}),
        _level(kv_heads, by_group | {n: own[1] for n, own in shared.items()}),
        _level(1 if joins else group, by_head),
        _level(-(-columns // block), {"start": block}),
    )
    left, right = (_ENDLESS if size < 0 else size for size in _window(op))
    room = op.room()
    return AttentionRow(
        blocks=tuple(level for level in blocks if level.extent > 1),
        columns=columns,
        length=length,
        total=total,
        elements=elements,
        width=width,
        left=left,
        right=right,
        query_block=block,
        key_block=op.key_block.value.data,
        key_step=key.strides[2],
        value_step=value.strides[2],
        sum_step=width + PADDING,
        room=Room(**{field.name: room[field.name] for field in fields(Room)}),
        **{name: Strides(*own[1:]) for name, own in strides.items()},
    )


def _level(extent: int, steps: dict[str, int]) -> Level[int]:
    return Level(extent, tuple(steps.get(name, 0) for name in MOVED))
