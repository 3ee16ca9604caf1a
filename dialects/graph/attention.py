"""Attention: means of values, weighted by how well queries fit keys."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import result_def

from glow.dialects.graph.attention_sizes import (
    SCORES,
    AttentionSizes,
    ScoreKind,
    Unseen,
    blind_queries,
    by_head,
    check_elements,
    check_operands,
    check_parameters,
    given_sizes,
    seen_keys,
    sizes_of,
    weights_of,
    with_past,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.parameters import TENSOR
from glow.support.arrays import Array
from glow.support.types import FLOAT, element_of, tensor


def _lengths(op: AttentionOp) -> tuple[int, ...] | None:
    """Return an axis for the batch, where the first query stays the first of all."""
    sizes = op.sizes
    is_square = op.past_key is None and sizes.length == sizes.total
    return (sizes.batch,) if is_square else None


class AttentionOp(GraphOp, elements=FLOAT):
    """
    softmax(scale * query @ key^T + bias, where seen) @ value, for each head.

    `past_key` and `past_value` come before key and value, together or not at all.
    Query heads are in groups of equal size, one for each head of key and value. An
    absent scale is 1 / sqrt(elements of a head). A `softcap` c above 0 makes c *
    tanh(s / c) of scores s. Where `mask` is false they become `masked_score`; then the
    bias is added to them. A query sees a key where the key's position is below its
    `valid_length`, and where `causal`, `left_window_size` and `right_window_size` let
    it: the distance of the key before or after the query, unlimited for -1. The first
    query is at the position after the past; without a past the last query is at
    valid_length - 1, and without that the first is at 0. Unseen keys score -inf.
    Softmax is taken in `softmax_precision` if given.

    Scores of -inf alone, by position, mask or bias, make weights that `unseen` names:
    `zero`; `nan`, as softmax itself does; or `nan_to_zero`, 0 for any that are NaN.

    `present_key` and `present_value` are past and new ones together. `scores` are, as
    `scores_of` says, the scaled `product`, that `softcapped`, that `biased` (-inf
    where nothing is seen), or the `weights`.

    Shapes: query [batch, heads, length, elements], key and value [batch, kv heads, new,
        elements], or all [batch, length, heads * elements] with `q_num_heads` and
        `kv_num_heads`; value and result may have other elements; past [batch, kv
        heads, past, elements], valid_length [batch] of integers; mask, of i1, and bias
        broadcast to scores [batch, heads, length, past + new].
    Errors: other shapes, heads in no groups, half a past, valid_length beside a past,
        a masked_score of NaN, another word in `unseen`.
    Source: ONNX Attention-25; its attn_mask is `mask` or `bias`, by type.

    ```mlir
    %y = graph.attention %q, %k, %v mask %m : tensor<3x3xi1> {causal}
        : (tensor<1x4x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>)
        -> tensor<1x4x3x8xf32>
    ```
    """

    result = result_def(TENSOR)

    assembly_format = (
        "$query `,` $key `,` $value (`mask` $mask^ `:` type($mask))?"
        " (`bias` $bias^ `:` type($bias))?"
        " (`past_key` $past_key^ `:` type($past_key))?"
        " (`past_value` $past_value^ `:` type($past_value))?"
        " (`valid_length` $valid_length^ `:` type($valid_length))? attr-dict"
        " `:` `(` type($query) `,` type($key) `,` type($value) `)` `->` type($result)"
        " (`present_key` type($present_key)^)?"
        " (`present_value` type($present_value)^)? (`scores` type($scores)^)?"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        """Half of a past has no neutral value; an absent bias is 0.0."""
        return {
            "mask": Neutral(1, lambda op: op.sizes.scores[-2:], i1),
            "bias": Neutral(0, lambda op: op.sizes.scores[-2:]),
            "valid_length": Neutral(
                lambda op: op.sizes.total, _lengths, i64, text="the number of keys"
            ),
        }

    @property
    def sizes(self) -> AttentionSizes:
        operands = dict(zip(self.operand_names(), self.slots(), strict=True))
        return given_sizes(operands, self.parameters())

    @property
    def window(self) -> tuple[int, int]:
        """
        Return how far back and ahead a query sees from its position; -1: without end.

        A bound that no position reaches is -1 too.
        """
        s, right = self.sizes, self.right_window_size
        left = self.left_window_size
        if self.causal:
            right = 0
        if self.valid_length is not None:  # which may be beyond all keys
            return left, -1 if right >= s.length - 1 else right
        is_all = left >= s.past + s.length - 1
        return -1 if is_all else left, -1 if right >= s.new - 1 else right

    @classmethod
    def infer(
        cls, *slots: SSAValue | None, **parameters: Any
    ) -> tuple[AnyTensorType, AnyTensorType, AnyTensorType, AnyTensorType]:
        operands: dict[str, Any] = dict(zip(cls.operand_names(), slots, strict=True))
        check_elements(operands)
        sizes = given_sizes(operands, parameters)
        check_operands(sizes, operands)
        check_parameters(parameters)
        kept, element = (
            (sizes.batch, sizes.kv_heads, sizes.total),
            element_of(operands["query"]),
        )
        return (
            tensor(element, sizes.result),
            tensor(element, (*kept, sizes.elements)),
            tensor(element, (*kept, sizes.value_elements)),
            tensor(element, sizes.scores),
        )

    @staticmethod
    def compute(
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None = None,
        bias: Array | None = None,
        past_key: Array | None = None,
        past_value: Array | None = None,
        valid_length: Array | None = None,
        *,
        q_num_heads: int | None = None,
        kv_num_heads: int | None = None,
        scale: float | None = None,
        softcap: float = 0.0,
        causal: bool = False,
        left_window_size: int = -1,
        right_window_size: int = -1,
        softmax_precision: Attribute | None = None,
        masked_score: float = -inf,
        unseen: Unseen = "zero",
        scores_of: ScoreKind = "product",
        with_present_key: bool = False,
        with_present_value: bool = False,
        with_scores: bool = False,
    ) -> tuple[Array, ...]:
        past = 0 if past_key is None else past_key.shape[2]
        shapes, dtype = (query.shape, key.shape, value.shape), query.dtype
        s = sizes_of(shapes, past, locals())
        keys = with_past(past_key, by_head(key, s.kv_heads))
        values = with_past(past_value, by_head(value, s.kv_heads))
        rows = by_head(query, s.heads).reshape(
            s.batch, s.kv_heads, s.group, s.length, s.elements
        )
        product: Array = rows @ keys[:, :, None].swapaxes(-1, -2)
        product = product.reshape(s.scores) * dtype.type(s.scale(scale))
        capped: Array = softcap * np.tanh(product / softcap) if softcap else product
        seen = seen_keys(s, valid_length, causal, left_window_size, right_window_size)
        masked: Array = capped
        if mask is not None:
            masked = np.where(mask, capped, dtype.type(masked_score))
        shift: Array = np.where(seen, 0 if bias is None else bias, -inf)
        biased = masked + shift.astype(dtype)
        weights = weights_of(biased, softmax_precision)
        if unseen == "zero":
            is_blind = blind_queries(seen, mask, bias, masked_score)
            weights = np.where(is_blind, dtype.type(0), weights)
        elif unseen == "nan_to_zero":
            weights = np.where(np.isnan(weights), dtype.type(0), weights)
        grouped = weights.reshape(s.batch, s.kv_heads, s.group, s.length, s.total)
        result: Array = grouped @ values[:, :, None]
        whole = result.reshape(s.batch, s.heads, s.length, s.value_elements)
        whole = whole.swapaxes(1, 2).reshape(s.result) if s.is_flat else whole
        steps = (product, capped, biased, weights)
        results = (whole, keys, values, steps[SCORES.index(scores_of)])
        wanted = (True, with_present_key, with_present_value, with_scores)
        return tuple(a for a, w in zip(results, wanted, strict=True) if w)
