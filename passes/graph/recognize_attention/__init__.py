"""Recognize attention that is written out as products, scales and a softmax."""

from math import inf, prod

from xdsl.ir import SSAValue

from glow.analysis.constants import uniform_element
from glow.dialects.graph import array_api as xp
from glow.dialects.graph.along_axis import SoftmaxOp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.presence import with_presence
from glow.dialects.graph.select import DropoutOp, WhereOp
from glow.dialects.graph.tensors import GraphWriter, Tensor
from glow.dialects.graph.unary import IsNanOp
from glow.passes.graph.operands import unexpanded, unreshaped
from glow.passes.graph.recognize_attention._scores import (
    AttentionSlots,
    Scores,
    scores_behind,
    without_factor,
)
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import has_layout, is_float, shape_of, tensor_type


def recognize_attention(op: MatMulOp, new: Replacement) -> Results:
    """
    softmax(where(mask, q @ k^T * scale, c) + bias) @ v -> attention(q, k, v)

    Masks and biases may be known or not, several, in any order, and absent; the scale
    may be in parts, of q and k too; scores may be capped. A query without a key gives
    NaN as written, or 0 where NaN is replaced by 0. Heads may be one axis with the
    batch; of keys and values that are repeated for groups of heads, each is taken once.
    """
    weights = _weights(op.lhs) if _is_by_batch(op, transpose_rhs=False) else None
    if weights is None:
        return None
    softmax, unseen = weights
    for scores in scores_behind(softmax.input):
        result = _attention(new, scores, softmax, op, unseen)
        if result is not None:
            return result.reshape(*shape_of(op.result))
        new.discard()
    return None


def _is_by_batch(op: MatMulOp, transpose_rhs: bool | None = None) -> bool:
    """Return whether `op` multiplies matrices in pairs, none of which broadcasts."""
    left, right = shape_of(op.lhs), shape_of(op.rhs)
    is_plain = op.bias is None and not op.transpose_lhs
    is_transposed = op.transpose_rhs
    is_wanted = transpose_rhs is None or transpose_rhs == is_transposed
    is_paired = len(left) in (3, 4) and left[:-2] == right[:-2]
    return is_plain and is_wanted and is_paired and 0 not in (*left, *right)


def _weights(value: SSAValue) -> tuple[SoftmaxOp, str] | None:
    """Return the softmax that `value` is, and its result where no key is seen."""
    unseen = "nan"
    while True:
        match value.owner:
            case DropoutOp() as op if op.mask is None and value.has_one_use():
                value = op.input
            case ReshapeOp() as op if value.has_one_use():
                value = op.input
            case WhereOp() as op if value.has_one_use() and unseen == "nan":
                test = op.condition.owner
                is_nan = isinstance(test, IsNanOp) and test.input is op.rhs
                number = uniform_element(op.lhs)
                if not is_nan or number is None or float(number) != 0:
                    return None
                if len(list(op.rhs.uses)) != 2 or not op.condition.has_one_use():
                    return None
                value, unseen = op.rhs, "nan_to_zero"
                break
            case _:
                break
    softmax = value.owner
    is_own = unseen == "nan_to_zero" or value.has_one_use()
    if not isinstance(softmax, SoftmaxOp) or not is_own:
        return None
    rank, axis = len(shape_of(softmax.input)), softmax.axis
    is_known = axis in (-1, rank - 1) and is_float(tensor_type(value).element_type)
    return (softmax, unseen) if is_known else None


def _attention(
    new: GraphWriter, scores: Scores, softmax: SoftmaxOp, op: MatMulOp, unseen: str
) -> Tensor | None:
    """Return the attention that `op` ends, or None where there is none."""
    product, shape = scores.product, scores.shape()
    if shape is None or not _is_by_batch(product):
        return None
    *_, length, keys = shape_of(product.result)
    # Whatever reshapes lie between, rows of scores stay rows.
    if shape_of(softmax.input)[-1] != keys or prod(shape) != prod(
        shape_of(product.result)
    ):
        return None
    if not shape[2:] == shape_of(op.lhs)[-2:] == (length, keys):
        return None
    slots = AttentionSlots(new, shape)
    if not all(slots.take(step) for step in reversed(scores.steps)):
        return None
    query, by_query = without_factor(product.lhs, is_only=False)
    key, by_key = _key(new, product)
    query, key, value = (
        each.reshape(*shape[:2], *each.shape[-2:])
        for each in (new.tensor(query), key, new.tensor(op.rhs))
    )
    key, value = without_repeats(new, key.value, value.value) or (key, value)
    is_shifted = slots.mask is not None or slots.bias is not None
    return new.emit(
        AttentionOp,
        query,
        key,
        value,
        slots.mask,
        slots.bias,
        scale=scores.factor * by_query * by_key,
        softcap=scores.softcap,
        masked_score=-inf if slots.masked_score is None else slots.masked_score,
        unseen=unseen if is_shifted else "zero",
    )


def _key(new: GraphWriter, product: MatMulOp) -> tuple[Tensor, float]:
    """Return the keys as [..., length, elements], and a factor of them."""
    value, factor = without_factor(product.rhs, is_only=False)
    keys = new.tensor(value)
    if not product.transpose_rhs:
        keys = _swapped(keys)
    value, inner = without_factor(keys.value, is_only=False)
    return new.tensor(value), factor * inner


def _swapped(x: Tensor) -> Tensor:
    """Return `x` with its last axes swapped, by undoing it where it was done."""
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    match x.value.owner:
        case TransposeOp() as op:
            order = (op.permutation[axis] for axis in swap)
            return x.writer.tensor(op.input).transpose(*order)
        case ReshapeOp() as op if shape_of(op.input)[-2:] == x.shape[-2:]:
            inner = _swapped(x.writer.tensor(op.input))
            return inner.reshape(*(x.shape[axis] for axis in swap))
        case _:
            return x.transpose(*swap)


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
    new: GraphWriter, key: SSAValue, value: SSAValue
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


class RecognizeAttentionPass(RewritePass):
    """
    Replace attention written out in other ops by one op.

    Attention that is one op already is simplified where its keys and values are
    repeated for groups of heads, or its mask is expanded. Masks and biases become
    operands; the result for a query that sees nothing stays NaN or 0 as it was. Scales
    are multiplied and biases added up first, so results may differ in the last bits.

    Level: graph -> graph. Needs: `fold-constants` before, for scales that are
    computed.
    """

    name = "recognize-attention"
    patterns = (recognize_attention, share_keys, broadcast_mask)
