"""Attention of single queries to all keys, or as many as a run says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute

from glow.codegen.casts import convert, lowest
from glow.codegen.exponential import exponential
from glow.codegen.functions import fma, larger, maximum, minimum
from glow.codegen.loops import Level, N, Var, flattened, levels_like, loop, nest
from glow.codegen.memory import Strips, Total
from glow.codegen.values import INDEX, Value, constant, select
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Operand
from glow.support.types import compute_type

MOVED: tuple[str, ...] = ("q", "k", "v", "y", "lengths", "positions")
"""The offsets that loops advance."""


@dataclass(frozen=True)
class DecodeRow(Generic[N]):
    """
    Loops over heads, those over the queries of one, and keys.

    `reach` is how many keys the first query sees, or of the last ones does not; `steps`
    are the strides from key to key and from value to value, `widths` their elements.
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
    Scores of the valid keys, their softmax, and the mean of values that it weighs.

    Elements of a head are neighbors.
    Unit: a head of queries.
    Scratch: the scores of one query; pieces that run at once need their own.
    """

    element: Attribute
    integer: Attribute | None
    """The type of the valid lengths, if there are any."""
    scale: float
    strips: Strips
    levels: int

    @property
    def prefix(self) -> str:
        return "decode_attention"

    @property
    def compute(self) -> Attribute:
        return compute_type(self.element)

    def operands(self) -> Mapping[str, Operand]:
        operands = dict.fromkeys("qkvy", Operand(self.element, self.compute))
        if self.integer is not None:
            operands["lengths"] = Operand(self.integer)
        return {**operands, "scores": Operand(self.compute)}

    def row(self) -> DecodeRow[int]:
        (queries,) = levels_like(1, len(MOVED))
        heads = levels_like(self.levels, len(MOVED))
        return DecodeRow(heads, queries, 1, 1, (1, 1), (1, 1))

    def write(self, call: Call, row: DecodeRow[Value]) -> None:
        for head in flattened(row.heads, len(MOVED), call.range):
            for starts in nest([row.queries], len(MOVED), starts=head):
                at = dict(zip(MOVED, starts, strict=True))
                count = self._count(call, row, at)
                peak = self._scores(call, row, at, count)
                factor = self._weights(call, count, peak)
                self._mean(call, row, at, count, factor)

    def _count(
        self, call: Call, row: DecodeRow[Value], at: Mapping[str, Value]
    ) -> Value:
        """Return how many keys a query sees: none if negative, at most all."""
        seen = at["positions"] + row.reach
        if self.integer is not None:
            valid = convert(call["lengths"][at["lengths"]], INDEX)
            seen = minimum(valid + seen, valid)
        return maximum(minimum(seen, row.keys), 0)

    def _scores(
        self, call: Call, row: DecodeRow[Value], at: Mapping[str, Value], count: Value
    ) -> Value:
        """Store the scores of the keys; return the largest."""
        peak = Var(constant(lowest(self.compute), self.compute))
        for t in loop(0, count, peak):
            key = at["k"] + t * row.steps[0]
            total = Total.of(self.strips, 0, self.compute)
            for i, strip in self.strips.along(row.widths[0], total):
                query = call["q"].load(at["q"] + i, strip)
                total.value = fma(query, call["k"].load(key + i, strip), total.value)
            score = total.result("add") * self.scale
            call["scores"][t] = score
            peak.value = larger(peak.value, score)
        return peak.value

    def _weights(self, call: Call, count: Value, peak: Value) -> Value:
        """Put exponentials in the place of scores; return what to multiply by."""
        scores, total = call["scores"], Total.of(self.strips, 0, self.compute)
        for i, strip in self.strips.along(count, total):
            score = scores.load(i, strip, lowest(self.compute))
            power = exponential(score - strip.spread(peak))
            scores.store(power, i, strip)
            total.value += strip.cleared(power)
        # An infinite or undefined maximum makes it NaN.
        factor = 1 / (total.result("add") + (peak - peak))
        return select(count == 0, 0, factor)

    def _mean(
        self,
        call: Call,
        row: DecodeRow[Value],
        at: Mapping[str, Value],
        count: Value,
        factor: Value,
    ) -> None:
        for i, strip in self.strips.along(row.widths[1]):
            start, total = at["v"] + i, Var(strip.constant(0, self.compute))
            for t in loop(0, count, total):
                weight = strip.spread(call["scores"][t])
                value = call["v"].load(start + t * row.steps[1], strip)
                total.value = fma(weight, value, total.value)
            call["y"].store(total.value * strip.spread(factor), at["y"] + i, strip)
