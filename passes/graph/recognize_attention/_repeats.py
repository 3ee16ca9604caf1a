"""Patterns for operands of attention that are repeated or expanded."""

from xdsl.ir import SSAValue

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.movement import ExpandOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.tensors import Tensor, Writer
from glow.passes.graph.operands import unreshaped
from glow.passes.patterns import Replacement, Results
from glow.support.types import has_layout, shape_of


def share_keys(op: AttentionOp, new: Replacement) -> Results:
    """attention(q, repeat(k), repeat(v)) -> attention(q, k, v), in groups of heads"""
    others = (op.past_key, op.present_key, op.present_value)
    if op.sizes.is_flat or any(value is not None for value in others):
        return None
    shared = without_repeats(new, op.key, op.value)
    if shared is None or any(map(has_layout, op.operands)):
        return None
    key, value = (tensor.value for tensor in shared)
    return new.insert(with_presence(op, {"key": key, "value": value}))


def broadcast_mask(op: AttentionOp, new: Replacement) -> Results:
    """attention(q, k, v, expand(mask)) -> attention(q, k, v, mask), so for a bias"""
    given = {"mask": op.mask, "bias": op.bias}
    small = {name: v and unexpanded(v) for name, v in given.items()}
    if small == given or any(map(has_layout, op.operands)):
        return None
    return new.insert(with_presence(op, small))


def without_repeats(
    new: Writer, key: SSAValue, value: SSAValue
) -> tuple[Tensor, Tensor] | None:
    """Return keys and values as they were before both were repeated, if so."""
    sources = [_repeated(key), _repeated(value)]
    shared = [xp.squeeze(new.tensor(v), 2) for v in sources if v is not None]
    if len(shared) < 2 or shared[0].shape[:3] != shared[1].shape[:3]:
        return None
    return shared[0], shared[1]


def _repeated(value: SSAValue) -> SSAValue | None:
    """Return x for a reshape(expand(x)) that repeats each head of it."""
    joined = unreshaped(value)
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
    source = unreshaped(value)
    op = source.owner
    if isinstance(op, ExpandOp) and shape_of(source) == shape_of(value):
        return op.input
    return value
