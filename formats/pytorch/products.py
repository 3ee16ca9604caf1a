"""Products of matrices, convolutions and attention."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.linear import EinsumOp
from glow.formats.pytorch.promotion import cast
from glow.formats.pytorch.registry import aten, emit
from glow.support.errors import UnsupportedModelError
from glow.tracing import namespace as xp
from glow.tracing import nn


@aten("mm", "bmm", "mv", "dot", "matmul", "vdot")
def matmul(x: Any, y: Any) -> Any:
    return xp.matmul(x, y)


@aten("addmm", "baddbmm", "addmv", "addbmm")
def addmm(bias: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    product = xp.matmul(x, y)
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product
    return product + (bias if beta == 1 else bias * beta)


@aten("linear")
def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return nn.linear(x, xp.swapaxes(weight, -1, -2), bias)


@aten("einsum")
def einsum(equation: str, operands: Sequence[Any], **named: Any) -> Any:
    return emit(EinsumOp, *operands, equation=equation)


@aten("convolution")
def convolution(
    x: Any,
    filter: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Any:
    rank = filter.ndim - 2
    window: dict[str, Any] = {
        "strides": _for_each(stride, rank),
        "pads": _for_each(padding, rank) * 2,
        "dilations": _for_each(dilation, rank),
        "group": groups,
    }
    if not transposed:
        return emit(ConvOp, x, filter, bias, **window)
    window["output_padding"] = _for_each(output_padding, rank)
    return emit(ConvTransposeOp, x, filter, bias, **window)


def _for_each(sizes: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple(sizes) * rank if len(sizes) == 1 else tuple(sizes)


@aten("_scaled_dot_product_flash_attention_for_cpu")
def flash_attention(
    query: Any,
    key: Any,
    value: Any,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> tuple[Any, Any]:
    """Return attention, and the logarithms of the sums of its weights."""
    if dropout_p:
        raise UnsupportedModelError("attention that drops at random")
    result = nn.attention(
        *(query, key, value, attn_mask), scale=scale, causal=is_causal
    )
    scores = attention_scores(query, key, is_causal, attn_mask, scale)
    return result, nn.logsumexp(scores, axis=-1)


def attention_scores(
    query: Any, key: Any, is_causal: bool, mask: Any, scale: float | None
) -> Any:
    """Return the scores of attention as f32, -inf where nothing is seen."""
    query, key = (cast(each, np.float32) for each in (query, key))
    key = _for_heads(key, query)
    factor = 1 / sqrt(query.shape[-1]) if scale is None else scale
    scores = xp.matmul(query * factor, xp.swapaxes(key, -1, -2))
    if is_causal:
        seen = xp.tril(xp.ones(scores.shape[-2:], bool))
        scores = xp.where(seen, scores, -xp.inf)
    if mask is None:
        return scores
    return xp.where(mask, scores, -xp.inf) if mask.dtype == bool else scores + mask


def _for_heads(key: Any, query: Any) -> Any:
    """Return a key or value per query head; several heads may share one."""
    repeats = query.shape[1] // key.shape[1]
    return key if repeats == 1 else xp.repeat(key, repeats, axis=1)


def _over_heads(gradient: Any, key: Any) -> Any:
    """Return the gradient of a key or value, from that for each head of a query."""
    if gradient.shape[1] == key.shape[1]:
        return gradient
    batch, heads, *rest = key.shape
    return xp.sum(xp.reshape(gradient, (batch, heads, -1, *rest)), axis=2)


@aten("_scaled_dot_product_flash_attention_for_cpu_backward")
def flash_attention_backward(
    gradient: Any,
    query: Any,
    key: Any,
    value: Any,
    result: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> tuple[Any, Any, Any]:
    """
    Return the gradients of query, key and value.

    Source: T. Dao et al., *FlashAttention*, 2022, section B.4.
    """
    factor = 1 / sqrt(query.shape[-1]) if scale is None else scale
    scores = attention_scores(query, key, is_causal, attn_mask, scale)
    weights = xp.exp(scores - xp.expand_dims(logsumexp, axis=-1))
    of_value = xp.matmul(xp.swapaxes(weights, -1, -2), gradient)
    of_weights = xp.matmul(gradient, xp.swapaxes(_for_heads(value, query), -1, -2))
    each = xp.sum(gradient * result, axis=-1, keepdims=True)
    of_scores = weights * (of_weights - each) * factor
    of_query = xp.matmul(of_scores, _for_heads(key, query))
    of_key = xp.matmul(xp.swapaxes(of_scores, -1, -2), query)
    return (
        cast(of_query, query.dtype),
        cast(_over_heads(of_key, key), key.dtype),
        cast(_over_heads(of_value, value), value.dtype),
    )


@aten("_native_multi_head_attention")
def multi_head_attention(
    query: Any,
    key: Any,
    value: Any,
    width: int,
    heads: int,
    in_weight: Any,
    in_bias: Any,
    out_weight: Any,
    out_bias: Any,
    mask: Any = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> tuple[Any, Any]:
    """Return attention of arrays [batch, length, width]; a mask says what is hidden."""
    if need_weights:
        raise UnsupportedModelError("weights of attention as a result")
    weights = xp.split(in_weight, 3, axis=0)
    biases = (None,) * 3 if in_bias is None else xp.split(in_bias, 3, axis=0)

    def projected(x: Any, weight: Any, bias: Any) -> Any:
        made = linear(x, weight, bias)
        split = xp.reshape(made, (*x.shape[:2], heads, width // heads))
        return xp.transpose(split, (0, 2, 1, 3))

    q, k, v = map(projected, (query, key, value), weights, biases)
    if mask is not None:
        lengths = (q.shape[0], 1, 1) if mask_type == 1 else (1, 1, q.shape[2])
        shape = mask.shape if mask.ndim == 4 else (*lengths, k.shape[2])
        mask = xp.logical_not(xp.reshape(cast(mask, bool), shape))
    made = xp.transpose(nn.attention(q, k, v, mask), (0, 2, 1, 3))
    flat = xp.reshape(made, (*query.shape[:2], width))
    return linear(flat, out_weight, out_bias), xp.zeros((0,), query.dtype)


@aten("_transformer_encoder_layer_fwd")
def transformer_encoder_layer(
    x: Any,
    width: int,
    heads: int,
    in_weight: Any,
    in_bias: Any,
    out_weight: Any,
    out_bias: Any,
    use_gelu: bool,
    norm_first: bool,
    epsilon: float,
    scale_1: Any,
    shift_1: Any,
    scale_2: Any,
    shift_2: Any,
    weight_1: Any,
    bias_1: Any,
    weight_2: Any,
    bias_2: Any,
    mask: Any = None,
    mask_type: int | None = None,
) -> Any:
    """Return a layer of torch.nn.TransformerEncoder."""

    def norm(x: Any, scale: Any, shift: Any) -> Any:
        return nn.layer_norm(x, scale, shift, epsilon=epsilon)

    def attend(x: Any) -> Any:
        sizes, weights = (width, heads), (in_weight, in_bias, out_weight, out_bias)
        given = x, x, x, *sizes, *weights, mask, False, True, mask_type
        return multi_head_attention(*given)[0]

    def feed_forward(x: Any) -> Any:
        inner = linear(x, weight_1, bias_1)
        return linear(nn.gelu(inner) if use_gelu else nn.relu(inner), weight_2, bias_2)

    if norm_first:
        x = x + attend(norm(x, scale_1, shift_1))
        return x + feed_forward(norm(x, scale_2, shift_2))
    x = norm(x + attend(x), scale_1, shift_1)
    return norm(x + feed_forward(x), scale_2, shift_2)
