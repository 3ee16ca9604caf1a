"""Lower attention of few queries: loops over batches, heads, groups and positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects.builtin import f32

from glow.codegen.casts import convert, lowest
from glow.codegen.conditions import select
from glow.codegen.functions import exponential, fma, larger, maximum, minimum
from glow.codegen.loops import Level, N, Var, flattened, loop, nest
from glow.codegen.strips import Strips, Total
from glow.codegen.values import INDEX, Value, constant
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.attention import DecodeAttentionOp
from glow.dialects.memory.base import extents_of
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.rules import check_lines, check_room

MOVED: tuple[str, ...] = ("q", "k", "v", "y", "lengths", "positions")
"""The offsets that loops advance."""


@dataclass(frozen=True)
class DecodeRow(Generic[N]):
    """
    Loops over heads, those over the queries of one, and keys.

    `reach` is how many keys the first query sees, counted from the valid ones where
    their number is given; `steps` are the strides from key to key and from value to
    value, `widths` their elements.
    """

    heads: tuple[Level[N], ...]
    queries: Level[N]
    keys: N
    reach: N
    steps: tuple[N, N]
    widths: tuple[N, N]


@dataclass(frozen=True)
class DecodeAttention(Kernel):
    """
    Scores of the valid keys, their softmax, and the mean of values weighted by it.

    Elements of a head are neighbors.
    Unit: a head of queries.
    Scratch: the scores of one query; pieces that run at once need their own.
    """

    scale: float
    strips: Strips
    values: Strips
    """The strips along the elements of a value."""

    def write(self, call: Call[DecodeRow[Value]]) -> None:
        row = call.row
        for head in flattened(row.heads, len(MOVED), call.range):
            for starts in nest([row.queries], len(MOVED), starts=head):
                at = dict(zip(MOVED, starts, strict=True))
                count = self._count(call, at)
                peak = self._scores(call, at, count)
                factor = self._weights(call, count, peak)
                self._mean(call, at, count, factor)

    def _count(self, call: Call[DecodeRow[Value]], at: Mapping[str, Value]) -> Value:
        """Return how many keys a query sees: none if negative, at most all."""
        seen = at["positions"] + call.row.reach
        if "lengths" in call.operands:
            valid = convert(call["lengths"][at["lengths"]], INDEX)
            seen = minimum(valid + seen, valid)
        return maximum(minimum(seen, call.row.keys), 0)

    def _scores(
        self, call: Call[DecodeRow[Value]], at: Mapping[str, Value], count: Value
    ) -> Value:
        """Store the scores of the keys; return the largest."""
        row, compute = call.row, call["scores"].compute
        peak, key = Var(constant(lowest(compute), compute)), Var(at["k"])
        for t in loop(0, count, peak, key):
            total = Total.of(self.strips, 0, compute)
            for i, strip in self.strips.along(row.widths[0], total):
                query = call["q"].load(at["q"] + i, strip)
                total.value = fma(
                    query, call["k"].load(key.value + i, strip), total.value
                )
            score = total.result("add") * self.scale
            call["scores"][t] = score
            peak.value = larger(peak.value, score)
            key.value += row.steps[0]
        return peak.value

    def _weights(
        self, call: Call[DecodeRow[Value]], count: Value, peak: Value
    ) -> Value:
        """Replace scores by exponentials; return the factor that normalizes them."""
        scores = call["scores"]
        total = Total.of(self.strips, 0, scores.compute)
        for i, strip in self.strips.along(count, total):
            score = scores.load(i, strip, lowest(scores.compute))
            power = exponential(score - strip.spread(peak))
            scores.store(power, i, strip)
            total.value += strip.cleared(power)
        # An infinite or undefined maximum makes it NaN.
        factor = 1 / (total.result("add") + (peak - peak))
        return select(count == 0, 0, factor)

    def _mean(
        self,
        call: Call[DecodeRow[Value]],
        at: Mapping[str, Value],
        count: Value,
        factor: Value,
    ) -> None:
        row, scores = call.row, call["scores"]
        for i, strip in self.values.along(row.widths[1]):
            place, total = Var(at["v"] + i), Var(strip.constant(0, scores.compute))
            for t in loop(0, count, place, total):
                value = call["v"].load(place.value, strip)
                total.value = fma(strip.spread(scores[t]), value, total.value)
                place.value += row.steps[1]
            call["y"].store(total.value * strip.spread(factor), at["y"] + i, strip)


_ENDLESS = 1 << 40


def _along_values(strips: Strips, width: int) -> Strips:
    """
    Return strips of long vectors where single ones would go over all keys again.

    Sums of one vector wait for each other; those of several do not.
    """
    size = strips.lanes * strips.unroll
    if strips.masked and width % size > strips.lanes:
        return Strips(size, masked=True)
    return strips


@lowers(DecodeAttentionOp)
def lower_decode_attention(main: Main, op: DecodeAttentionOp) -> None:
    query, result = (addressing_of(v) for v in (op.query, op.result))
    lengths = [] if op.valid_length is None else [op.valid_length]
    step = addressing_of(lengths[0]).strides[0] if lengths else 0
    key, value = addressing_of(op.key), addressing_of(op.value)
    if 0 in result.shape:
        return
    check_lines(op, op.query, op.key, op.value, op.result)
    check_room(op, op.scratch, f32, key.shape[2])
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
    width = extents_of(op.result)[-1]
    strips = main.strips(op.query, unroll=4)
    kernel = DecodeAttention(op.scale.value.data, strips, _along_values(strips, width))
    row = DecodeRow(
        heads,
        Level(length, (*(s[2] for s in own), 0, 1)),
        total,
        reach,
        (key.strides[2], value.strides[2]),
        (elements, width),
    )
    arguments = dict(zip("qkvy", (op.query, op.key, op.value, op.result), strict=True))
    arguments |= {"lengths": lengths[0]} if lengths else {}
    work = Work(batch * kv_heads * group, length * total * (elements + width))
    passed = {name: main.base(buffer) for name, buffer in arguments.items()}
    main.call(kernel, {**passed, "scores": main.own(op.scratch)}, row, work)
