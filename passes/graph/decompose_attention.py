"""Write attention as products, a softmax, and what lies between."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.attention_sizes import SCORES, Sizes, blind_queries, seen_keys
from glow.dialects.graph.base import Array, GraphOp
from glow.dialects.graph.binary import AddOp, DivOp, MulOp
from glow.dialects.graph.comparison import (
    EqualOp,
    GreaterOrEqualOp,
    LessOp,
    LessOrEqualOp,
)
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.logic import AndOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.normalization import SoftmaxOp
from glow.dialects.graph.reduction import ReduceMaxOp
from glow.dialects.graph.select import CastOp, WhereOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.trigonometry import TanhOp
from glow.dialects.graph.unary import IsNanOp
from glow.passes.graph._constants import Constants
from glow.passes.graph._writer import Writer
from glow.support.rewriting import rewrite
from glow.support.targets import resolve, target_of
from glow.support.types import (
    dtype_of,
    element_of,
    has_layout,
    is_narrow_float,
    shape_of,
)

MANY = 1 << 17
"""Elements of keys that are worth not to be moved; fewer stay in the caches."""


@dataclass
class DecomposeAttention(RewritePattern):
    """
    attention(q, k, v, ...) -> softmax(where(mask, q @ k^T * scale, m) + shift) @ v

    where m is the masked score and shift the bias, -inf where a position is not seen.
    Heads that share keys and values are an axis along which these do not move:
    nothing is repeated. Of floats of 16 bits, all between is in f32.

    attention(q, k, v, past_k, past_v) -> attention(q, concat(past_k, k), ...)

    with heads on an axis of their own, where the target keeps that.
    """

    constants: Constants
    target: str = ""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        if any(map(has_layout, op.results)):
            return
        if self._keeps(op):
            return
        writer = _Attention(op, self.constants)
        found = writer.core()
        if found is None or not any(map(self._keeps, writer.ops)):
            writer.discard()
            found = writer.results()
        kept = [v for v, r in zip(found, writer.slots, strict=True) if r is not None]
        rewriter.replace(op, writer.ops, kept)

    def _keeps(self, op: Operation) -> bool:
        target = self.target
        return bool(target) and resolve(target).keeps(op, target_of(target))


class _Attention(Writer):
    """Writes what one attention computes."""

    def __init__(self, op: AttentionOp, constants: Constants):
        super().__init__()
        self.op, self.constants = op, constants
        self.p = op.parameters()
        self.sizes: Sizes = op.sizes
        self.slots = (op.result, op.present_key, op.present_value, op.scores)
        stored = element_of(op.query)
        self.element = f32 if is_narrow_float(stored) else stored

    def core(self) -> tuple[SSAValue, ...] | None:
        """
        Return what stands for the results, by an attention without a past.

        None where there is no such: for scores, and a window that ends in the past.
        """
        op, s = self.op, self.sizes
        left, right = op.window
        if op.scores is not None or 0 <= left < s.past:
            return None
        keys = self._with_past(op.past_key, op.key)
        values = self._with_past(op.past_value, op.value)
        query = op.query
        if s.is_flat:
            query = self.reshaped(query, s.batch, s.length, s.heads, s.elements)
            query = self.add(TransposeOp(query, permutation=(0, 2, 1, 3)))
        # Positions count from the start of the past.
        windows = [size if size < 0 else size + s.past * sign
                   for size, sign in ((left, -1), (right, 1))]  # fmt: skip
        names = ("scale", "softcap", "softmax_precision", "masked_score", "unseen")
        core = AttentionOp(
            query,
            keys,
            values,
            op.mask,
            op.bias,
            None,
            None,
            op.valid_length,
            left_window_size=windows[0],
            right_window_size=windows[1],
            **{name: self.p[name] for name in names},
        )
        return self._joined(self.add(core)), keys, values, core.result

    def results(self) -> tuple[SSAValue, ...]:
        """Return what stands for the results, whether present or not."""
        op, s = self.op, self.sizes
        keys = self._with_past(op.past_key, op.key)
        values = self._with_past(op.past_value, op.value)
        product = self._product(keys)
        if (scale := s.scale(self.p["scale"])) != 1:
            product = self.apply(MulOp, product, scale)
        capped = product
        if cap := self.p["softcap"]:
            capped = self.apply(TanhOp, self.apply(DivOp, product, cap))
            capped = self.apply(MulOp, capped, cap)
        biased = self._biased(capped)
        weights = self._softmax(biased)
        if self.p["unseen"] == "nan_to_zero":
            weights = self._or_nothing(self.apply(IsNanOp, weights), weights)
        is_blind = self._blind() if self.p["unseen"] == "zero" else None
        if is_blind is not None and op.scores is not None:
            weights = self._or_nothing(is_blind, weights)
        result = self.add(MatMulOp(weights, self._shared(self._wide(values))))
        if is_blind is not None and op.scores is None:
            result = self._or_nothing(is_blind, result)
        steps = dict(zip(SCORES, (product, capped, biased, weights), strict=True))
        scores = steps[self.p["scores_of"]]
        if op.scores is not None:
            scores = self._stored(self.reshaped(scores, *s.scores))
        return self._joined(self._stored(result)), keys, values, scores

    def _wide(self, value: SSAValue) -> SSAValue:
        """Return `value` in the type to compute in."""
        same = element_of(value) == self.element
        return value if same else self.add(CastOp(value, to=self.element))

    def _stored(self, value: SSAValue) -> SSAValue:
        """Return `value` in the type of the queries."""
        stored = element_of(self.op.query)
        same = element_of(value) == stored
        return value if same else self.add(CastOp(value, to=stored))

    def _product(self, keys: SSAValue) -> SSAValue:
        """
        Return queries times keys; of one query many keys times it, transposed.

        A product wants columns of the right factor in a row: what lies so already,
        large keys, is the left one instead.
        """
        rows, shape = self._wide(self._queries()), shape_of(keys)
        keys = self._wide(keys)
        if self.sizes.group * self.sizes.length > 1 or prod(shape) < MANY:
            return self.add(MatMulOp(rows, self._shared(keys), transpose_rhs=True))
        turned = self.add(MatMulOp(keys, rows, transpose_rhs=True))
        return self.add(TransposeOp(turned, permutation=(0, 1, 3, 2)))

    def _with_past(self, past: SSAValue | None, new: SSAValue) -> SSAValue:
        if self.sizes.is_flat:
            batch, length, width = shape_of(new)
            heads = self.sizes.kv_heads
            split = self.reshaped(new, batch, length, heads, width // heads)
            new = self.add(TransposeOp(split, permutation=(0, 2, 1, 3)))
        return new if past is None else self.add(ConcatOp([past, new], axis=2))

    def _queries(self) -> SSAValue:
        """Return the queries, with an axis of the heads that share a key if any do."""
        s = self.sizes
        heads = (s.heads,) if s.group == 1 else (s.kv_heads, s.group)
        if not s.is_flat:
            return self.reshaped(self.op.query, s.batch, *heads, s.length, s.elements)
        split = self.reshaped(self.op.query, s.batch, s.length, *heads, s.elements)
        order = (0, *range(2, 2 + len(heads)), 1, 2 + len(heads))
        return self.add(TransposeOp(split, permutation=order))

    def _shared(self, value: SSAValue) -> SSAValue:
        """Return keys or values as they broadcast to the queries."""
        if self.sizes.group == 1:
            return value
        batch, heads, length, elements = shape_of(value)
        return self.reshaped(value, batch, heads, 1, length, elements)

    def _grouped(self, value: SSAValue) -> SSAValue:
        """Return what broadcasts to scores by head as it does to scores by group."""
        s, shape = self.sizes, shape_of(value)
        if s.group == 1 or len(shape) < 3:
            return value
        heads = (1, 1) if shape[-3] == 1 else (s.kv_heads, s.group)
        return self.reshaped(value, *shape[:-3], *heads, *shape[-2:])

    def _biased(self, scores: SSAValue) -> SSAValue:
        """Return `scores` with the mask, the bias, and -inf behind what is seen."""
        if (mask := self.op.mask) is not None:
            hidden = self.like(scores, self.p["masked_score"])
            scores = self.add(WhereOp(self._grouped(mask), scores, hidden))
        shift = self._shift(self._seen_by_position(), self.op.bias)
        if shift is None:
            return scores
        return self.apply(AddOp, scores, self._grouped(shift))

    def _shift(self, seen: SSAValue | None, bias: SSAValue | None) -> SSAValue | None:
        """Return the bias, -inf where a key is not seen; None for nothing to add."""
        if bias is not None:
            bias = self._wide(bias)
        if seen is None:
            return bias
        given = self._number(0) if bias is None else bias
        return self.add(WhereOp(seen, given, self._number(-inf)))

    def _number(self, number: float) -> SSAValue:
        return self.add(LiteralOp(np.array(number, dtype_of(self.element))))

    def _seen_by_position(self) -> SSAValue | None:
        """Return whether the positions let each query see each key, None for all."""
        s, (left, right) = self.sizes, self._window()
        keys = np.arange(s.total)
        is_known = self.op.valid_length is None
        tests: list[tuple[type[GraphOp], SSAValue]] = []
        if not is_known:
            tests.append((LessOp, self._end()))
        if right is not None and not (is_known and s.total - 1 <= s.past + right):
            tests.append((LessOrEqualOp, self._places(right)))
        if left is not None and not (is_known and s.past + s.length - 1 <= left):
            tests.append((GreaterOrEqualOp, self._places(-left)))
        found: SSAValue | None = None
        for test, bound in tests:
            seen = self.add(test(self._constant(keys), bound))
            found = seen if found is None else self.apply(AndOp, found, seen)
        return found

    def _window(self) -> tuple[int | None, int | None]:
        """Return how far a query sees back and ahead, None for without end."""
        left, right = self.p["left_window_size"], self.p["right_window_size"]
        if self.p["causal"]:
            right = 0
        return (None if left < 0 else left), (None if right < 0 else right)

    def _places(self, shift: int) -> SSAValue:
        """Return the position of each query, plus `shift`."""
        s = self.sizes
        places = np.arange(s.length)[:, np.newaxis] + shift
        if self.op.valid_length is None:
            return self._constant(places + s.past)
        return self.apply(AddOp, self._end(), self._constant(places - s.length))

    def _end(self) -> SSAValue:
        """Return behind which position nothing is valid."""
        assert self.op.valid_length is not None
        length = self.op.valid_length
        if element_of(length) != i64:
            length = self.add(CastOp(length, to=i64))
        return self.reshaped(length, self.sizes.batch, 1, 1, 1)

    def _constant(self, array: Array) -> SSAValue:
        return self.add(self.constants.make(array, "positions", self.op.location))

    def _softmax(self, scores: SSAValue) -> SSAValue:
        own, asked = element_of(scores), self.p["softmax_precision"]
        if asked in (None, own):
            return self.add(SoftmaxOp(scores, axis=-1))
        cast = self.add(CastOp(scores, to=asked))
        return self.add(CastOp(self.add(SoftmaxOp(cast, axis=-1)), to=own))

    def _blind(self) -> SSAValue | None:
        """Return which queries have only -inf, or None where each has a score."""
        mask, bias = self.op.mask, self.op.bias
        if self.p["masked_score"] != -inf:
            mask = None
        if self._is_known_to_see(mask, bias):
            return None
        seen = self._seen_by_position()
        if mask is not None:
            seen = mask if seen is None else self.apply(AndOp, mask, seen)
        shift = self._shift(seen, bias)
        if shift is None:
            return None
        shift = self._grouped(shift)
        axes = range(len(shape_of(shift)))[-1:]
        best = self.add(ReduceMaxOp(shift, axes=axes, keepdims=True))
        return self.apply(EqualOp, best, -inf)

    def _is_known_to_see(self, mask: SSAValue | None, bias: SSAValue | None) -> bool:
        """Return whether constants alone say that each query has a score."""
        hidden, added = (
            None if value is None else self.constants.array_of(value)
            for value in (mask, bias)
        )
        is_known = (hidden is None) == (mask is None)
        is_known = is_known and (added is None) == (bias is None)
        if self.op.valid_length is not None or not is_known:
            return False
        window = [self.p[n] for n in ("left_window_size", "right_window_size")]
        seen = seen_keys(self.sizes, None, self.p["causal"], *window)
        return not blind_queries(seen, hidden, added, -inf).any()

    def _or_nothing(self, is_blind: SSAValue, value: SSAValue) -> SSAValue:
        """Return `value`, 0 where a query sees nothing."""
        return self.add(WhereOp(is_blind, self.like(value, 0), value))

    def _joined(self, result: SSAValue) -> SSAValue:
        s = self.sizes
        if s.is_flat:
            rank = len(shape_of(result))
            order = (0, rank - 2, *range(1, rank - 2), rank - 1)
            result = self.add(TransposeOp(result, permutation=order))
        return self.reshaped(result, *s.result)


@dataclass(frozen=True)
class DecomposeAttentionPass(ModulePass):
    """
    Replace each attention by products with a softmax between.

    What no query can see by its position alone becomes a constant, if that is small, or
    else is compared in the run.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-attention"

    target: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, DecomposeAttention(Constants(op), self.target))
