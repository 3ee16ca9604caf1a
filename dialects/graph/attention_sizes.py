"""Sizes of an attention, and checks of its operands and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isnan
from typing import Any, Literal, get_args

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from glow.support.arrays import Array, Shape
from glow.support.shapes import check_broadcasts, check_shape
from glow.support.types import (
    BOOL,
    INDEX,
    dtype_of,
    element_of,
    element_type_of,
    shape_of,
    tensor_type,
)

ScoreKind = Literal["product", "softcapped", "biased", "weights"]
"""The steps whose result can be the second output, the scores."""

Unseen = Literal["zero", "nan", "nan_to_zero"]
"""The choices for the weights of a query that sees no key."""

SCORES: tuple[ScoreKind, ...] = get_args(ScoreKind)


@dataclass(frozen=True)
class AttentionSizes:
    """The extents of an attention."""

    batch: int
    heads: int
    kv_heads: int
    length: int
    new: int
    past: int
    elements: int
    value_elements: int
    is_flat: bool
    """Whether query, key and value have heads within their last axis."""

    @property
    def total(self) -> int:
        return self.past + self.new

    @property
    def group(self) -> int:
        """The query heads for each head of key and value."""
        return self.heads // self.kv_heads

    @property
    def scores(self) -> Shape:
        return self.batch, self.heads, self.length, self.total

    @property
    def result(self) -> Shape:
        if self.is_flat:
            return self.batch, self.length, self.heads * self.value_elements
        return self.batch, self.heads, self.length, self.value_elements

    def scale(self, given: float | None) -> float:
        """Return `given`, the factor of the scores, or if absent the default."""
        return max(self.elements, 1) ** -0.5 if given is None else given


def split_heads(
    name: str, shape: Shape, count_name: str, heads: int | None
) -> tuple[int, int, int, int]:
    """
    Return batch, heads, positions and elements of a head of operand `name`.

    Of rank 4 it is [batch, heads, positions, elements]. Of rank 3 it is [batch,
    positions, heads * elements], and property `count_name` says how many `heads`.
    """
    if len(shape) == 4:
        if heads is not None:
            raise VerifyException(f"expected {count_name} only where {name} has rank 3")
        return shape
    if len(shape) != 3:
        raise VerifyException(f"expected {name} of rank 3 or 4, got {list(shape)}")
    if heads is None:
        raise VerifyException(f"expected {count_name}, since {name} has rank 3")
    if heads < 1 or shape[2] % heads:
        raise VerifyException(
            f"expected {count_name} that divides {shape[2]} elements of {name}, "
            f"got {heads}"
        )
    return shape[0], heads, shape[1], shape[2] // heads


def sizes_of(
    shapes: tuple[Shape, Shape, Shape], past: int, p: Mapping[str, Any]
) -> AttentionSizes:
    """
    Return the sizes of an attention over query, key and value of these shapes.

    Errors: shapes that do not go together.
    """
    ranks = [len(shape) for shape in shapes]
    if len(set(ranks)) > 1:
        got = ", ".join(map(str, ranks))
        raise VerifyException(
            f"expected query, key and value of one rank, got ranks {got}"
        )
    counts = ("q_num_heads", "kv_num_heads", "kv_num_heads")
    query, key, value = (
        split_heads(name, shape, count, p[count])
        for name, shape, count in zip(
            ("query", "key", "value"), shapes, counts, strict=True
        )
    )
    (batch, heads, length, elements), (_, kv_heads, new, _) = query, key
    common = (batch, kv_heads, new)
    for name, got, last in (("key", key, elements), ("value", value, value[3])):
        if got != (*common, last):
            raise VerifyException(
                f"expected {name} of shape {[*common, last]} by batch, heads, length "
                f"and elements of a head, got {list(got)}"
            )
    if kv_heads < 1 or heads % kv_heads:
        raise VerifyException(
            f"expected query heads in groups of equal size for {kv_heads} heads of "
            f"key and value, got {heads}"
        )
    is_flat = ranks[0] == 3
    return AttentionSizes(
        batch, heads, kv_heads, length, new, past, elements, value[3], is_flat
    )


def given_sizes(operands: Mapping[str, Any], p: Mapping[str, Any]) -> AttentionSizes:
    """Return the sizes of an attention of these operands and parameters."""
    past = {name: operands[name] for name in ("past_key", "past_value")}
    absent = [name for name, value in past.items() if value is None]
    if len(absent) == 1:
        raise VerifyException(
            f"expected both past_key and past_value, got no {absent[0]}"
        )
    query, key, value = (shape_of(operands[n]) for n in ("query", "key", "value"))
    length = 0 if absent else shape_of(past["past_key"], 4)[2]
    return sizes_of((query, key, value), length, p)


def check_elements(operands: Mapping[str, Any]) -> None:
    """Raise unless float operands have the element type of the query."""
    element = element_of(operands["query"])
    for name in ("key", "value", "bias", "past_key", "past_value"):
        value = operands[name]
        if value is not None and element_of(value) != element:
            raise VerifyException(
                f"expected {name} with elements of {element} like the query, "
                f"got {tensor_type(value)}"
            )


def check_operands(sizes: AttentionSizes, operands: Mapping[str, Any]) -> None:
    """Raise unless the operands that are present go with these sizes."""
    past = sizes.batch, sizes.kv_heads, sizes.past
    check_shape("past_key", operands["past_key"], (*past, sizes.elements))
    check_shape("past_value", operands["past_value"], (*past, sizes.value_elements))
    mask, valid_length = operands["mask"], operands["valid_length"]
    if mask is not None and element_of(mask) not in BOOL.members:
        raise VerifyException(
            f"expected a mask with elements of i1, got {tensor_type(mask)}"
        )
    check_broadcasts("mask", mask, sizes.scores)
    check_broadcasts("bias", operands["bias"], sizes.scores)
    if valid_length is not None:
        INDEX.check(valid_length)
        check_shape("valid_length", valid_length, (sizes.batch,))
        if operands["past_key"] is not None:
            raise VerifyException("expected no valid_length beside past_key")


def check_parameters(p: Mapping[str, Any]) -> None:
    if not p["softcap"] >= 0:
        raise VerifyException(f"expected a softcap of at least 0, got {p['softcap']}")
    for name in ("left_window_size", "right_window_size"):
        if p[name] < -1:
            raise VerifyException(f"expected {name} of at least -1, got {p[name]}")
    if p["softmax_precision"] not in (None, f32, f64):
        raise VerifyException(
            f"expected softmax_precision f32 or f64, got {p['softmax_precision']}"
        )
    if isnan(p["masked_score"]):
        raise VerifyException("expected a masked_score that is a number, got NaN")


def by_head(array: Array, heads: int) -> Array:
    """Return `array` as [batch, heads, length, elements]."""
    if array.ndim == 4:
        return array
    return array.reshape(*array.shape[:2], heads, -1).swapaxes(1, 2)


def with_past(past: Array | None, new: Array) -> Array:
    return new if past is None else np.concatenate((past, new), axis=2)


def seen_keys(
    sizes: AttentionSizes,
    valid_length: Array | None,
    causal: bool,
    left: int,
    right: int,
) -> Array:
    """Return which keys the position of a query lets it see; broadcasts to scores."""
    keys = np.arange(sizes.total)
    queries = np.arange(sizes.length)[:, np.newaxis] + sizes.past
    seen = np.ones((1, 1), np.bool_)
    if valid_length is not None:
        valid = valid_length.reshape(-1, 1, 1, 1)
        queries = queries + valid - sizes.length
        seen = keys < valid
    if causal:
        seen = seen & (keys <= queries)
    if left >= 0:
        seen = seen & (keys >= queries - left)
    if right >= 0:
        seen = seen & (keys <= queries + right)
    return seen


def blind_queries(
    seen: Array, mask: Array | None, bias: Array | None, masked_score: float
) -> Array:
    """Return which queries have -inf by position, mask or bias for all keys."""
    if mask is not None and masked_score == -inf:
        seen = seen & mask
    if bias is not None:
        seen = seen & (bias != -inf)
    return np.logical_not(np.any(seen, -1, keepdims=True))


def weights_of(biased: Array, precision: Attribute | None) -> Array:
    """Return softmax of `biased` scores: NaN where all of them are -inf."""
    dtype = biased.dtype
    given = biased.astype(dtype_of(precision or element_type_of(dtype)))
    powers: Array = np.exp(given - given.max(-1, keepdims=True, initial=-inf))
    return (powers / powers.sum(-1, keepdims=True)).astype(dtype)
