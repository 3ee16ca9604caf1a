"""Write attention as matrix products with a softmax between."""

from dataclasses import dataclass
from functools import partial, reduce
from math import inf

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.along_axis import SoftmaxOp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.attention_sizes import (
    SCORES,
    AttentionSizes,
    blind_queries,
    seen_keys,
)
from glow.dialects.graph.elements import number_of
from glow.dialects.graph.joining import ConcatOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement, Results, rewrite
from glow.support.arrays import Array
from glow.support.costs import MEASURED
from glow.support.targets import TargetQueries
from glow.support.types import is_narrow_float


def decompose_attention(
    op: AttentionOp, new: Replacement, target: str, for_gradient: bool = False
) -> Results:
    """
    attention(q, k, v, ...) -> softmax(where(mask, q @ k^T * scale, m) + shift) @ v

    where m is the masked score and shift the bias, -inf where a position is not seen.
    Heads that share keys and values are an axis along which these do not move:
    nothing is repeated. Of floats of 16 bits, all between is in f32.

    attention(q, k, v, past_k, past_v) -> attention(q, concat(past_k, k), ...)

    with heads on an axis of their own, where the target keeps that.

    For a gradient, queries that see nothing have scores of 0 before their weights
    become 0: softmax of -inf alone is NaN, and so would be the gradient of all.
    """

    queries = TargetQueries.of(target) if target else None

    def keeps(op: Operation) -> bool:
        return queries is not None and queries.keeps(op)

    if keeps(op):
        return None
    costs = MEASURED if queries is None else queries.target.costs
    parts = _Attention(new, op, for_gradient, costs.near_keys)
    results = None if for_gradient else parts.core()
    if results is None or not any(map(keeps, new.ops)):
        new.discard()
        results = parts.results()
    slots = (op.result, op.present_key, op.present_value, op.scores)
    return [r for r, s in zip(results, slots, strict=True) if s is not None]


class _Attention:
    """Writes what one attention computes."""

    def __init__(
        self, new: Replacement, op: AttentionOp, for_gradient: bool, near_keys: int
    ):
        self.new, self.op, self.for_gradient = new, op, for_gradient
        self.near_keys = near_keys
        self.sizes: AttentionSizes = op.sizes
        self.query, self.key, self.value = map(new.tensor, (op.query, op.key, op.value))
        stored = self.query.element
        self.element = f32 if is_narrow_float(stored) else stored
        self.mask, self.bias = (
            None if value is None else new.tensor(value) for value in (op.mask, op.bias)
        )

    def core(self) -> tuple[Tensor, ...] | None:
        """
        Return the replacements of the results, by an attention without a past.

        None where that cannot be: for scores, and a window that ends in the past.
        """
        op, s = self.op, self.sizes
        left, right = op.window
        if op.scores is not None or 0 <= left < s.past:
            return None
        keys = self._with_past(op.past_key, self.key)
        values = self._with_past(op.past_value, self.value)
        query = self.query
        if s.is_flat:
            query = query.reshape(s.batch, s.length, s.heads, s.elements)
            query = query.transpose(0, 2, 1, 3)
        # Positions count from the start of the past.
        windows = [size if size < 0 else size + s.past * sign
                   for size, sign in ((left, -1), (right, 1))]  # fmt: skip
        names = ("scale", "softcap", "softmax_precision", "masked_score", "unseen")
        masks = (op.mask, op.bias, None, None, op.valid_length)
        core = emit(
            AttentionOp,
            *(query, keys, values, *masks),
            left_window_size=windows[0],
            right_window_size=windows[1],
            **{name: getattr(op, name) for name in names},
        )
        return self._joined(core), keys, values, core

    def results(self) -> tuple[Tensor, ...]:
        """Return the replacement of each result, whether it is present or not."""
        op, s = self.op, self.sizes
        keys = self._with_past(op.past_key, self.key)
        values = self._with_past(op.past_value, self.value)
        product = self._product(keys)
        if (scale := s.scale(op.scale)) != 1:
            product = product * scale
        cap = op.softcap
        capped = xp.tanh(product / cap) * cap if cap else product
        biased = self._biased(capped)
        seeing, is_blind = biased, None
        if self.for_gradient and op.unseen != "nan":
            is_blind = self._blind()
            seeing = biased if is_blind is None else xp.where(is_blind, 0, biased)
        weights = self._softmax(seeing)
        if op.unseen == "zero" and not self.for_gradient:
            is_blind = self._blind()
        if op.unseen == "nan_to_zero":
            weights = xp.where(xp.isnan(weights), 0, weights)
        if is_blind is not None and op.scores is not None:
            weights = xp.where(is_blind, 0, weights)
        result = weights @ self._shared(values.astype(self.element))
        if is_blind is not None and op.scores is None:
            result = xp.where(is_blind, 0, result)
        steps = dict(zip(SCORES, (product, capped, biased, weights), strict=True))
        scores = steps[op.scores_of]
        if op.scores is not None:
            scores = scores.reshape(*s.scores).astype(self.query.element)
        result = self._joined(result.astype(self.query.element))
        return result, keys, values, scores

    def _product(self, keys: Tensor) -> Tensor:
        """
        Return queries @ keys^T; for one query and large keys, (keys @ query^T)^T.

        Columns of a right factor should be contiguous, for which keys are copied. As
        the left factor, large keys are read as they lie.
        """
        rows, keys = self._queries().astype(self.element), keys.astype(self.element)
        if self.sizes.group * self.sizes.length > 1 or keys.size < self.near_keys:
            return emit(MatMulOp, rows, self._shared(keys), transpose_rhs=True)
        return xp.matrix_transpose(emit(MatMulOp, keys, rows, transpose_rhs=True))

    def _with_past(self, past: SSAValue | None, new: Tensor) -> Tensor:
        if self.sizes.is_flat:
            batch, length, width = new.shape
            heads = self.sizes.kv_heads
            new = new.reshape(batch, length, heads, width // heads)
            new = new.transpose(0, 2, 1, 3)
        return new if past is None else emit(ConcatOp, [past, new], axis=2)

    def _queries(self) -> Tensor:
        """Return the queries, with an axis of the heads that share a key if any do."""
        s = self.sizes
        heads = (s.heads,) if s.group == 1 else (s.kv_heads, s.group)
        if not s.is_flat:
            return self.query.reshape(s.batch, *heads, s.length, s.elements)
        split = self.query.reshape(s.batch, s.length, *heads, s.elements)
        return split.transpose(0, *range(2, 2 + len(heads)), 1, 2 + len(heads))

    def _shared(self, value: Tensor) -> Tensor:
        """Return keys or values as they broadcast to the queries."""
        return value if self.sizes.group == 1 else xp.expand_dims(value, 2)

    def _grouped(self, value: Tensor) -> Tensor:
        """Return `value`, which broadcasts to scores by head, for scores by group."""
        s, shape = self.sizes, value.shape
        if s.group == 1 or len(shape) < 3:
            return value
        heads = (1, 1) if shape[-3] == 1 else (s.kv_heads, s.group)
        return value.reshape(*shape[:-3], *heads, *shape[-2:])

    def _biased(self, scores: Tensor) -> Tensor:
        """Return `scores` with the mask, the bias, and -inf after what is seen."""
        if self.mask is not None:
            hidden = self.new.like(self.op.masked_score, scores)
            scores = xp.where(self._grouped(self.mask), scores, hidden)
        shift = self._shift(self._seen_by_position())
        return scores if shift is None else scores + self._grouped(shift)

    def _shift(self, seen: Tensor | None) -> Tensor | None:
        """Return the bias, -inf where a key is not seen; None for nothing to add."""
        bias = None if self.bias is None else self.bias.astype(self.element)
        if seen is None:
            return bias
        given = number_of(0, self.element) if bias is None else bias
        return xp.where(seen, self.new.tensor(given), -inf)

    def _seen_by_position(self) -> Tensor | None:
        """Return whether the positions let each query see each key, None for all."""
        keys, (left, right) = np.arange(self.sizes.total), self.op.window
        tests: list[Tensor] = []
        if self.op.valid_length is not None:
            tests.append(self._positions(keys) < self._end())
        if right >= 0:
            tests.append(self._positions(keys) <= self._places(right))
        if left >= 0:
            tests.append(self._positions(keys) >= self._places(-left))
        return reduce(xp.logical_and, tests) if tests else None

    def _places(self, shift: int) -> Tensor:
        """Return the position of each query, plus `shift`."""
        s = self.sizes
        places = np.arange(s.length)[:, np.newaxis] + shift
        if self.op.valid_length is None:
            return self._positions(places + s.past)
        return self._end() + self._positions(places - s.length)

    def _end(self) -> Tensor:
        """Return the position from which on no key is valid."""
        assert self.op.valid_length is not None
        length = self.new.tensor(self.op.valid_length).astype(np.int64)
        return length.reshape(self.sizes.batch, 1, 1, 1)

    def _positions(self, array: Array) -> Tensor:
        return self.new.tensor(self.new.constant(array, "positions"))

    def _softmax(self, scores: Tensor) -> Tensor:
        precision = self.op.softmax_precision or scores.element
        weights = emit(SoftmaxOp, scores.astype(precision), axis=-1)
        return weights.astype(scores.element)

    def _blind(self) -> Tensor | None:
        """Return which queries have only -inf, or None where each has a score."""
        mask = self.mask if self.op.masked_score == -inf else None
        if self._is_known_to_see(mask):
            return None
        seen = self._seen_by_position()
        if mask is not None:
            seen = mask if seen is None else mask & seen
        shift = self._shift(seen)
        if shift is None:
            return None
        if not shift.ndim:
            shift = shift.reshape(1)  # the same for all keys
        return xp.max(self._grouped(shift), axis=-1, keepdims=True) == -inf

    def _is_known_to_see(self, mask: Tensor | None) -> bool:
        """Return whether constants alone say that each query has a score."""
        hidden, added = (
            None if value is None else self.new.constants.array_of(value.value)
            for value in (mask, self.bias)
        )
        is_known = (hidden is None) == (mask is None)
        is_known = is_known and (added is None) == (self.bias is None)
        if self.op.valid_length is not None or not is_known:
            return False
        window = self.op.left_window_size, self.op.right_window_size
        seen = seen_keys(self.sizes, None, self.op.causal, *window)
        return not blind_queries(seen, hidden, added, -inf).any()

    def _joined(self, result: Tensor) -> Tensor:
        if self.sizes.is_flat:
            rank = result.ndim
            result = result.transpose(0, rank - 2, *range(1, rank - 2), rank - 1)
        return result.reshape(*self.sizes.result)


@dataclass(frozen=True)
class DecomposeAttentionPass(ModulePass):
    """
    Replace each attention by products with a softmax between.

    Positions that no query can see become a constant mask if that is small; otherwise
    they are compared in each run.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-attention"

    target: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decompose = partial(decompose_attention, target=self.target)
        rewrite(op, decompose)
