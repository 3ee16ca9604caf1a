"""See attention in the products, scales and softmax that exporters write it as."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.analysis.uniform import uniform_element
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.normalization import SoftmaxOp
from glow.dialects.graph.trigonometry import TanhOp
from glow.passes.graph._constants import Constants
from glow.passes.graph._writer import Writer
from glow.support.rewriting import rewrite
from glow.support.types import (
    broadcasts_to,
    has_layout,
    ints_of,
    is_float,
    shape_of,
    tensor_type,
)

KEYS_LAST = (0, 1, 3, 2)


@dataclass
class RecognizeAttention(RewritePattern):
    """
    softmax(q @ k^T * scale + bias) @ v -> attention(q, k, v)

    The scale may be in parts, of q and k too; scores may be capped; the bias is known
    and leaves each query a key, since one without gives NaN here and 0 there. Keys and
    values that are repeated for groups of heads are taken as they were before.
    """

    constants: Constants

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatMulOp, rewriter: PatternRewriter, /) -> None:
        softmax = op.lhs.owner
        is_plain = not (op.transpose_lhs or op.transpose_rhs or op.bias)
        if not is_plain or not isinstance(softmax, SoftmaxOp) or has_layout(op.result):
            return
        if not _is_along_keys(softmax) or len(shape_of(op.rhs)) != 4:
            return
        scores, bias = self._without_bias(softmax.input)
        scores, factor = _unscaled(scores)
        softcap = 0.0
        if isinstance(tanh := scores.owner, TanhOp) and _is_own(scores) and factor > 0:
            scores, inner = _unscaled(tanh.input)
            softcap, factor = factor, inner * factor
        product = scores.owner
        if not isinstance(product, MatMulOp) or not _is_own(scores):
            return
        if product.bias is not None or product.transpose_lhs is not None:
            return
        writer = Writer()
        query, by_query = _unscaled(product.lhs, is_only=False)
        key, by_key = _key(writer, product)
        if not _fit(query, key, op.rhs):
            return
        key, value = _without_repeats(writer, key, op.rhs)
        found = AttentionOp(
            query,
            key,
            value,
            None,
            bias,
            scale=factor * by_query * by_key,
            softcap=softcap,
        )
        rewriter.replace(op, [*writer.ops, found], (found.result,))

    def _without_bias(self, scores: SSAValue) -> tuple[SSAValue, SSAValue | None]:
        """Return what a known bias is added to, and that bias, if there is one."""
        add = scores.owner
        if not isinstance(add, AddOp) or not _is_own(scores):
            return scores, None
        for inner, bias in ((add.lhs, add.rhs), (add.rhs, add.lhs)):
            array = self.constants.array_of(bias)
            if array is None or inner.type != scores.type:
                continue
            rows = np.isneginf(np.atleast_1d(array)).all(-1)
            if broadcasts_to(bias, shape_of(scores)) and not rows.any():
                return inner, bias
        return scores, None


def _is_own(value: SSAValue) -> bool:
    """Return whether one op reads `value`, so that it need not be kept."""
    return value.has_one_use()


def _is_along_keys(op: SoftmaxOp) -> bool:
    shape, axis = shape_of(op.input), op.axis.value.data
    is_last = axis in (-1, len(shape) - 1)
    is_known = len(shape) == 4 and is_float(tensor_type(op.input).element_type)
    return is_last and is_known and _is_own(op.result)


def _unscaled(value: SSAValue, is_only: bool = True) -> tuple[SSAValue, float]:
    """Return what `value` is times a number, and the number; `is_only` of one use."""
    factor = 1.0
    while isinstance(op := value.owner, MulOp | DivOp):
        if is_only and not _is_own(value):
            break
        step = _factor(op)
        if step is None:
            break
        value, number = step
        factor *= number
    return value, factor


def _factor(op: MulOp | DivOp) -> tuple[SSAValue, float] | None:
    pairs = [(op.lhs, op.rhs)]
    if isinstance(op, MulOp):
        pairs.append((op.rhs, op.lhs))
    for inner, other in pairs:
        number = uniform_element(other)
        if number is None or inner.type != op.result.type or not float(number):
            continue
        by = float(number)
        return inner, by if isinstance(op, MulOp) else 1 / by
    return None


def _key(writer: Writer, product: MatMulOp) -> tuple[SSAValue, float]:
    """Return the keys as [batch, heads, length, elements], and a factor of them."""
    value, factor = _unscaled(product.rhs, is_only=False)
    if product.transpose_rhs is None and len(shape_of(value)) == 4:
        order, source = KEYS_LAST, value
        if isinstance(op := value.owner, TransposeOp):
            order = tuple(ints_of(op.permutation)[axis] for axis in KEYS_LAST)
            source = op.input
        if order == tuple(range(4)):
            value = source
        else:
            value = writer.add(TransposeOp(source, permutation=order))
    value, inner = _unscaled(value, is_only=False)
    return value, factor * inner


def _fit(query: SSAValue, key: SSAValue, value: SSAValue) -> bool:
    """Return whether an attention takes them, none of which broadcasts."""
    shapes = [shape_of(v) for v in (query, key, value)]
    if any(len(shape) != 4 for shape in shapes):
        return False
    (*heads, _, elements), key_shape, value_shape = shapes
    length = key_shape[2]
    return (
        key_shape == (*heads, length, elements)
        and value_shape[:3] == (*heads, length)
        and 0 not in (*heads, elements, length)
    )


def _without_repeats(
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
    joined = value.owner
    expand = joined.input.owner if isinstance(joined, ReshapeOp) else None
    if not isinstance(expand, ExpandOp):
        return None
    given, whole = shape_of(expand.input), shape_of(expand.result)
    batch, heads, length, elements = shape_of(value)
    if len(given) != 5 or len(whole) != 5 or given[2] != 1:
        return None
    repeats = whole[2]
    is_split = whole == (batch, heads // repeats, repeats, length, elements)
    same = given == (*whole[:2], 1, *whole[3:])
    return expand.input if is_split and same else None


@dataclass(frozen=True)
class RecognizeAttentionPass(ModulePass):
    """
    Replace attention that is written out by one op, which shares keys and values.

    Level: graph -> graph. Needs: `fold-constants` before, for scales and biases that
    are computed. Scales are joined, so results may differ in the last bits.
    """

    name = "recognize-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, RecognizeAttention(Constants(op)))
