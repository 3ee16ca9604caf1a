"""Norms, which torch gives mean and 1 / deviation beside the result."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from glow.formats.pytorch.registry import aten
from glow.tracing import namespace as xp
from glow.tracing import nn


def _statistics(x: Any, axes: Sequence[int], epsilon: float) -> tuple[Any, Any]:
    """Return mean and 1 / deviation along axes, which stay."""
    mean = xp.mean(x, axis=tuple(axes), keepdims=True)
    variance = xp.mean(xp.square(x - mean), axis=tuple(axes), keepdims=True)
    return mean, 1 / xp.sqrt(variance + epsilon)


@aten("native_layer_norm")
def layer_norm(
    x: Any, shape: Sequence[int], scale: Any, bias: Any, epsilon: float
) -> tuple[Any, Any, Any]:
    rank = len(shape)
    result = nn.layer_norm(x, scale, bias, axis=-rank, epsilon=epsilon)
    return result, *_statistics(x, range(x.ndim - rank, x.ndim), epsilon)


@aten("_fused_rms_norm")
def rms_norm(
    x: Any, shape: Sequence[int], scale: Any, epsilon: float | None
) -> tuple[Any, Any]:
    rank = len(shape)
    if epsilon is None:
        epsilon = float(np.finfo(np.float32).eps)
    axes = tuple(range(x.ndim - rank, x.ndim))
    squares = xp.mean(xp.square(x), axis=axes, keepdims=True)
    result = nn.rms_norm(x, scale, axis=-rank, epsilon=epsilon)
    return result, 1 / xp.sqrt(squares + epsilon)


@aten("native_group_norm")
def group_norm(
    x: Any,
    scale: Any,
    bias: Any,
    batch: int,
    channels: int,
    places: int,
    groups: int,
    epsilon: float,
) -> tuple[Any, Any, Any]:
    flat = x if x.ndim > 2 else xp.expand_dims(x, axis=-1)
    result = nn.group_norm(flat, groups, scale, bias, epsilon=epsilon)
    grouped = xp.reshape(x, (batch, groups, channels // groups * places))
    found = _statistics(grouped, [2], epsilon)
    return xp.reshape(result, x.shape), *(xp.squeeze(each, axis=2) for each in found)


@aten("_native_batch_norm_legit_no_training")
def batch_norm(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    momentum: float,
    epsilon: float,
) -> tuple[Any, Any, Any]:
    result = nn.batch_norm(x, mean, variance, scale, bias, epsilon=epsilon)
    return result, xp.zeros((0,), np.float32), xp.zeros((0,), np.float32)


@aten("_native_batch_norm_legit_functional")
def batch_norm_functional(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Any, ...]:
    """Return the norm, what the backward graph needs, and the statistics from now."""
    if not training:
        found = batch_norm(x, scale, bias, mean, variance, momentum, epsilon)
        return *found, mean, variance
    axes = [axis for axis in range(x.ndim) if axis != 1]
    count = prod(x.shape[axis] for axis in axes)
    own = xp.mean(x, axis=tuple(axes))
    column = xp.reshape(own, (-1, *(1,) * (x.ndim - 2)))
    spread = xp.mean(xp.square(x - column), axis=tuple(axes))
    result = nn.batch_norm(x, own, spread, scale, bias, epsilon=epsilon)
    unbiased = spread * (count / max(count - 1, 1))
    new_mean = own * momentum + mean * (1 - momentum)
    new_variance = unbiased * momentum + variance * (1 - momentum)
    return result, own, 1 / xp.sqrt(spread + epsilon), new_mean, new_variance


@aten("native_batch_norm")
def native_batch_norm(
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Any, Any, Any]:
    if not training:
        return batch_norm(x, scale, bias, mean, variance, momentum, epsilon)
    zero = xp.zeros((x.shape[1],), x.dtype)
    given = x, scale, bias, zero, zero
    found = batch_norm_functional(*given, True, momentum, epsilon)
    return found[0], found[1], found[2]


@aten("_native_batch_norm_legit.no_stats")
def batch_norm_without_statistics(
    x: Any, scale: Any, bias: Any, training: bool, momentum: float, epsilon: float
) -> tuple[Any, Any, Any]:
    return native_batch_norm(x, scale, bias, None, None, True, momentum, epsilon)
