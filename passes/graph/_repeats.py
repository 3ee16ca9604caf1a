"""Operands of attention that are smaller ones, repeated."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.dialects.graph.presence import with_presence
from glow.passes.graph._writer import Writer
from glow.support.types import has_layout, shape_of


class ShareKeys(RewritePattern):
    """attention(q, repeat(k), repeat(v)) -> attention(q, k, v), in groups of heads"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        others = (op.past_key, op.present_key, op.present_value)
        if op.sizes.is_flat or any(value is not None for value in others):
            return
        if any(map(has_layout, (*op.operands, *op.results))):
            return
        writer = Writer()
        key, value = without_repeats(writer, op.key, op.value)
        if key is not op.key:
            shared = with_presence(op, {"key": key, "value": value})
            rewriter.replace(op, [*writer.ops, shared], shared.results)


class BroadcastMask(RewritePattern):
    """attention(q, k, v, expand(mask)) -> attention(q, k, v, mask), so for a bias"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        if any(map(has_layout, (*op.operands, *op.results))):
            return
        given = {"mask": op.mask, "bias": op.bias}
        small = {name: v and unexpanded(v) for name, v in given.items()}
        if small != given:
            found = with_presence(op, small)
            rewriter.replace(op, found, found.results)


def without_repeats(
    writer: Writer, key: SSAValue, value: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Return keys and values as they were before both were repeated, if so."""
    sources = [_repeated(v) for v in (key, value)]
    shared: list[SSAValue] = []
    for source in sources:
        if source is None:
            return key, value
        batch, heads, _, length, elements = shape_of(source)
        shared.append(writer.reshaped(source, batch, heads, length, elements))
    first, second = shared
    if shape_of(first)[:3] != shape_of(second)[:3]:
        return key, value
    return first, second


def _repeated(value: SSAValue) -> SSAValue | None:
    """Return x for a reshape(expand(x)) that repeats each head of it."""
    joined = value
    while isinstance(joined.owner, ReshapeOp):
        joined = joined.owner.input
    expand = joined.owner
    if joined is value or not isinstance(expand, ExpandOp):
        return None
    given, whole = shape_of(expand.input), shape_of(expand.result)
    batch, heads, length, elements = shape_of(value)
    if len(given) != 5 or len(whole) != 5 or given[2] != 1:
        return None
    repeats = whole[2]
    is_split = whole == (batch, heads // repeats, repeats, length, elements)
    same = given == (*whole[:2], 1, *whole[3:])
    return expand.input if is_split and same else None


def unexpanded(value: SSAValue) -> SSAValue:
    """Return what broadcasts as `value` does, and may be smaller."""
    source = value
    while isinstance(source.owner, ReshapeOp):
        source = source.owner.input
    op = source.owner
    if isinstance(op, ExpandOp) and shape_of(source) == shape_of(value):
        return op.input
    return value
