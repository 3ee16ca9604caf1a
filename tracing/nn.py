"""
Functions of neural networks, as `glow.nn`, on arrays of functions that are traced.

Each is one op of the graph dialect, which passes, targets and exporters know. Operands
are promoted as NumPy does. Arrays of images are [N, C, ...], with 1 to 3 spatial axes;
sizes are one for all of these or one for each. Errors: TracingError at the caller's
line for operands that do not go together, and for calls outside a trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from glow.dialects.graph import activation, normalization, pooling
from glow.dialects.graph.along_axis import LogSoftmaxOp, SoftmaxOp, TopKOp
from glow.dialects.graph.attention import AttentionOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.embedding import EmbeddingOp
from glow.dialects.graph.indexing import OneHotOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.loss import CrossEntropyLossOp
from glow.dialects.graph.reduction import ReduceLogSumExpOp
from glow.dialects.graph.tensors import Tensor
from glow.dialects.graph.unary import ErfOp
from glow.dialects.graph.window import Sizes, resolve_auto_pad
from glow.support.types import normalize_axis
from glow.tracing import namespace as _functions
from glow.tracing.operands import as_tracer, dtype_of, promoted, tensor_of
from glow.tracing.registry import FUNCTIONS, blaming
from glow.tracing.trace import current_trace
from glow.tracing.tracers import Tracer

assert _functions


def _apply(op: type[GraphOp], *operands: Any, **parameters: Any) -> Any:
    """Return the result of an op on operands of one type, None for absent ones."""
    given = [each for each in operands if each is not None]
    tensors = iter(promoted(*given))
    slots = [None if each is None else next(tensors) for each in operands]
    return Tracer(current_trace().emit(op, *slots, **parameters))


def _activation(name: str, op: type[GraphOp]) -> Any:
    def function(x: Any, /, **parameters: float) -> Any:
        return _apply(op, x, **parameters)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return `{op.name}` of each element."
    return blaming(f"nn.{name}", function)


celu = _activation("celu", activation.CeluOp)
elu = _activation("elu", activation.EluOp)
erf = _activation("erf", ErfOp)
hard_sigmoid = _activation("hard_sigmoid", activation.HardSigmoidOp)
hard_swish = _activation("hard_swish", activation.HardSwishOp)
leaky_relu = _activation("leaky_relu", activation.LeakyReluOp)
mish = _activation("mish", activation.MishOp)
relu = _activation("relu", activation.ReluOp)
selu = _activation("selu", activation.SeluOp)
sigmoid = _activation("sigmoid", activation.SigmoidOp)
silu = _activation("silu", activation.SwishOp)
softplus = _activation("softplus", activation.SoftplusOp)
softsign = _activation("softsign", activation.SoftsignOp)


def _registered(function: Any) -> Any:
    return blaming(f"nn.{function.__name__}", function)


@_registered
def gelu(x: Any, /, approximate: bool = False) -> Any:
    """Return x times the normal distribution up to x, or its form by a tanh."""
    return _apply(activation.GeluOp, x, approximate="tanh" if approximate else "none")


@_registered
def softmax(x: Any, /, axis: int = -1) -> Any:
    """Return exp(x), divided by its sum along an axis."""
    return _apply(SoftmaxOp, x, axis=normalize_axis(axis, np.ndim(x)))


@_registered
def log_softmax(x: Any, /, axis: int = -1) -> Any:
    """Return the logarithm of `softmax`."""
    return _apply(LogSoftmaxOp, x, axis=normalize_axis(axis, np.ndim(x)))


@_registered
def logsumexp(x: Any, /, axis: Any = None, keepdims: bool = False) -> Any:
    """Return log(sum(exp(x))) along axes, by default all."""
    given = range(np.ndim(x)) if axis is None else np.atleast_1d(axis).tolist()
    axes = tuple(sorted(normalize_axis(each, np.ndim(x)) for each in given))
    return _apply(ReduceLogSumExpOp, x, axes=axes, keepdims=keepdims)


@_registered
def layer_norm(
    x: Any,
    /,
    scale: Any = None,
    bias: Any = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
) -> Any:
    """Return x with mean 0 and variance 1 along the axes from `axis` on."""
    at = normalize_axis(axis, np.ndim(x))
    return _apply(LayerNormOp, x, scale, bias, axis=at, epsilon=epsilon)


@_registered
def rms_norm(
    x: Any, /, scale: Any = None, *, axis: int = -1, epsilon: float = 1e-5
) -> Any:
    """Return x with a mean square of 1 along the axes from `axis` on."""
    at = normalize_axis(axis, np.ndim(x))
    return _apply(RmsNormOp, x, scale, axis=at, epsilon=epsilon)


@_registered
def batch_norm(
    x: Any,
    /,
    mean: Any,
    variance: Any,
    scale: Any = None,
    bias: Any = None,
    *,
    epsilon: float = 1e-5,
) -> Any:
    """Return (x - mean) / sqrt(variance + epsilon) * scale + bias for each channel."""
    operands = x, mean, variance, scale, bias
    return _apply(normalization.BatchNormOp, *operands, epsilon=epsilon)


@_registered
def group_norm(
    x: Any,
    /,
    groups: int,
    scale: Any = None,
    bias: Any = None,
    *,
    epsilon: float = 1e-5,
) -> Any:
    """Return x with mean 0 and variance 1 in each image and group of channels."""
    return _apply(
        normalization.GroupNormOp, x, scale, bias, num_groups=groups, epsilon=epsilon
    )


@_registered
def instance_norm(
    x: Any, /, scale: Any = None, bias: Any = None, *, epsilon: float = 1e-5
) -> Any:
    """Return x with mean 0 and variance 1 in each image and channel."""
    return _apply(normalization.InstanceNormOp, x, scale, bias, epsilon=epsilon)


@_registered
def linear(x: Any, weight: Any, bias: Any = None, /) -> Any:
    """Return x @ weight + bias."""
    product = FUNCTIONS["matmul"](x, weight)
    return product if bias is None else product + bias


@_registered
def conv(
    x: Any,
    filter: Any,
    bias: Any = None,
    /,
    *,
    stride: Sizes = 1,
    padding: Sizes | str = "same",
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """
    Return the convolution of x [N, C, ...] with filter [O, C / groups, ...].

    `padding` is "same" (the extents of x by the stride, rounded up; an odd rest comes
    after), "valid" (none), or how much at both ends of each axis.
    """
    window = _window(x, np.shape(filter)[2:], stride, padding, dilation)
    return _apply(ConvOp, x, filter, bias, group=groups, **window)


@_registered
def conv_transpose(
    x: Any,
    filter: Any,
    bias: Any = None,
    /,
    *,
    stride: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Any:
    """Return the transpose of `conv`, applied to x: filter [C, O / groups, ...]."""
    window = _window(x, np.shape(filter)[2:], stride, padding, dilation)
    return _apply(ConvTransposeOp, x, filter, bias, group=groups, **window)


@_registered
def max_pool(
    x: Any,
    /,
    kernel: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Sizes | str = "valid",
    dilation: Sizes = 1,
) -> Any:
    """Return the largest element under each place of a kernel; it strides by itself."""
    return _pool(pooling.MaxPoolOp, x, kernel, stride, padding, dilation)


@_registered
def avg_pool(
    x: Any,
    /,
    kernel: Sizes,
    *,
    stride: Sizes | None = None,
    padding: Sizes | str = "valid",
    dilation: Sizes = 1,
    count_padding: bool = False,
) -> Any:
    """Return the mean under each place of a kernel, of padding too if that counts."""
    window = kernel, stride, padding, dilation
    return _pool(pooling.AvgPoolOp, x, *window, count_include_pad=count_padding)


@_registered
def global_avg_pool(x: Any, /) -> Any:
    """Return the mean of each channel, of shape [N, C, 1, ...]."""
    return _apply(pooling.GlobalAvgPoolOp, x)


@_registered
def global_max_pool(x: Any, /) -> Any:
    """Return the largest element of each channel, of shape [N, C, 1, ...]."""
    return _apply(pooling.GlobalMaxPoolOp, x)


def _pool(
    op: type[GraphOp],
    x: Any,
    kernel: Sizes,
    stride: Sizes | None,
    padding: Sizes | str,
    dilation: Sizes,
    **parameters: Any,
) -> Any:
    """Return the pool of x by op `op`, with a window of its own."""
    extents = _per_axis("kernel", kernel, np.ndim(x) - 2)
    strides = extents if stride is None else stride
    window = _window(x, extents, strides, padding, dilation)
    return _apply(op, x, kernel_shape=extents, **window, **parameters)


def _window(
    x: Any, kernel: Sequence[int], stride: Sizes, padding: Sizes | str, dilation: Sizes
) -> dict[str, Any]:
    """Return how a kernel slides over the spatial axes of `x`, as its op takes it."""
    extents = np.shape(x)[2:]
    strides = _per_axis("stride", stride, len(extents))
    dilations = _per_axis("dilation", dilation, len(extents))
    if not isinstance(padding, str):
        pads = _per_axis("padding", padding, len(extents)) * 2
    elif padding in ("same", "valid"):
        rule = "SAME_UPPER" if padding == "same" else "VALID"
        pads = resolve_auto_pad(rule, extents, kernel, strides, dilations)
    else:
        raise ValueError(
            f'expected padding "same", "valid" or numbers, got {padding!r}'
        )
    return {"strides": strides, "pads": pads, "dilations": dilations}


def _per_axis(name: str, given: Sizes, rank: int) -> tuple[int, ...]:
    sizes = np.asarray(given)
    if sizes.dtype.kind not in "iu" or sizes.shape not in ((), (rank,)):
        raise ValueError(
            f"expected one {name}, or one for each of {rank} axes, got {given}"
        )
    return tuple(np.broadcast_to(sizes, rank).tolist())


@_registered
def attention(
    query: Any,
    key: Any,
    value: Any,
    /,
    mask: Any = None,
    *,
    scale: float | None = None,
    causal: bool = False,
) -> Any:
    """
    Return softmax(scale * query @ key^T) @ value for each head, where it is seen.

    query [batch, heads, length, elements]; heads of key and value divide its heads. A
    mask broadcasts to [batch, heads, length, keys]: bools say what is seen, numbers are
    added to scores. An absent scale is 1 / sqrt(elements).
    """
    q, k, v = promoted(query, key, value)
    is_bias = mask is not None and dtype_of(mask).kind != "b"
    given = None if mask is None else tensor_of(mask, q.dtype if is_bias else None)
    shown, bias = (None, given) if is_bias else (given, None)
    parameters = {"scale": scale, "causal": causal, "masked_score": -inf}
    trace = current_trace()
    return Tracer(trace.emit(AttentionOp, q, k, v, shown, bias, **parameters))


@_registered
def embedding(table: Any, indices: Any, /) -> Any:
    """Return the rows of a table [rows, elements] that indices name."""
    places = tensor_of(indices, None if _is_index(indices) else np.int64)
    return Tracer(current_trace().emit(EmbeddingOp, tensor_of(table), places))


def _is_index(indices: Any) -> bool:
    dtype = dtype_of(indices)
    if dtype.kind not in "iu":
        raise TypeError(f"expected integers as indices, got {dtype}")
    return dtype.name in ("int32", "int64")


@_registered
def one_hot(
    indices: Any, /, depth: int, *, axis: int = -1, dtype: Any = np.float32
) -> Any:
    """Return for each index a line of `depth` zeros with a one at the index."""
    places = tensor_of(indices, None if _is_index(indices) else np.int64)
    values = current_trace().tensor(np.array([0, 1], dtype))
    at = normalize_axis(axis, places.ndim + 1)
    return Tracer(current_trace().emit(OneHotOp, places, values, depth=depth, axis=at))


@_registered
def top_k(x: Any, /, k: int, *, axis: int = -1, largest: bool = True) -> Any:
    """Return the k largest elements along an axis, the best first, and where."""
    made: Tensor = tensor_of(x)
    at = normalize_axis(axis, made.ndim)
    results = current_trace().emit_all(TopKOp, made, k=k, axis=at, largest=largest)
    return tuple(Tracer(each) for each in results)


@_registered
def cross_entropy(logits: Any, labels: Any, /, *, reduction: str = "mean") -> Any:
    """
    Return the negative logarithm of softmax(logits) at each label, or its mean.

    logits [N, classes, ...], labels [N, ...] of integers; `reduction` is "mean", "sum"
    or "none".
    """
    places = tensor_of(labels, None if _is_index(labels) else np.int64)
    return Tracer(
        current_trace().emit(
            CrossEntropyLossOp, tensor_of(logits), places, reduction=reduction
        )
    )


@_registered
def dropout(x: Any, /, rate: float = 0.5) -> Any:
    """Return x: nothing is dropped where no network is trained."""
    if not 0 <= rate < 1:
        raise ValueError(f"expected a rate from 0 to 1, got {rate}")
    return as_tracer(x)
