"""Random calls of products, reductions and normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from glow.dialects.graph import (
    along_axis,
    layer_norm,
    linear,
    loss,
    normalization,
    reduction,
    select,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.reduction import (
    ReduceLogSumOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReductionOp,
)
from random_ops.call import ALL, FLOATS, INDICES, NUMBERS, WIDE, Call, Source, ops_of

COLUMNS = (1, 2, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48)


def _matmul(s: Source) -> Call:
    dtype = s.choose([*WIDE, FLOATS[0], FLOATS[0]])
    m, k, n = s.choose(COLUMNS), s.choose([0, *COLUMNS]), s.choose(COLUMNS)
    parameters: dict[str, Any] = {
        "transpose_lhs": s.flip(0.3),
        "transpose_rhs": s.flip(0.3),
    }
    batch = s.shape(0, 2)
    left = [*s.broadcast(batch), *((k, m) if parameters["transpose_lhs"] else (m, k))]
    right = [*s.broadcast(batch), *((n, k) if parameters["transpose_rhs"] else (k, n))]
    if s.flip(0.15):
        left, parameters["transpose_lhs"] = [k], False
    if s.flip(0.15):
        right, parameters["transpose_rhs"] = [k], False
    slots = [s.finite(left, dtype), s.finite(right, dtype)]
    call = Call(linear.MatMulOp, tuple(slots), parameters, sums=True)
    if s.flip() and call.is_valid:
        (result,) = call.expected()
        bias = s.finite(s.broadcast(result.shape), dtype)
        return Call(linear.MatMulOp, (*slots, bias), parameters, sums=True)
    return call


def _det(s: Source) -> Call:
    extent, dtype = s.choose([0, *COLUMNS]), s.choose(FLOATS)
    noise = s.finite((*s.shape(0, 2), extent, extent), dtype, 0.5 / max(extent, 1))
    rows = s.rng.permutation(extent)
    return Call(linear.DetOp, (noise + np.eye(extent, dtype=dtype)[rows],))


def _axes(s: Source, rank: int) -> list[int]:
    return [i - rank * s.flip(0.2) for i in range(rank) if s.flip()]


def _reduce(op: type[GraphOp]) -> Callable[[Source], Call]:
    is_extreme = op in (ReduceMaxOp, ReduceMinOp)
    is_log = op is ReduceLogSumOp

    def draw(s: Source) -> Call:
        dtype = s.choose(ALL if is_extreme else WIDE)
        shape = s.shape()
        x = s.array(shape, dtype, 0.2 if is_extreme else 0.03, scale=1)
        if is_log and dtype.kind in "iu":
            x = np.asarray(np.abs(x) + 1)
        elif is_log:
            x = np.asarray(np.abs(x))
        parameters = {"axes": _axes(s, len(shape)), "keepdims": s.flip()}
        return Call(op, (x.astype(dtype),), parameters, sums=not is_extreme)

    return draw


def _arg_reduce(op: type[GraphOp]) -> Callable[[Source], Call]:
    def draw(s: Source) -> Call:
        shape = s.shape(1, 5)
        x = s.array(shape, s.choose(NUMBERS), scale=1)
        if s.flip():
            x = np.asarray(np.round(x))  # ties
        parameters = {
            "axis": s.integer(-len(shape), len(shape) - 1),
            "keepdims": s.flip(),
            "select_last_index": s.flip(),
        }
        return Call(op, (x,), parameters)

    return draw


def _along_axis(op: type[GraphOp]) -> Callable[[Source], Call]:
    def draw(s: Source) -> Call:
        shape = s.shape(1, 5)
        x = s.array(shape, s.choose(FLOATS), 0.05, scale=s.choose([1, 9]))
        axis = s.integer(-len(shape), len(shape) - 1)
        is_log = op is along_axis.LogSoftmaxOp
        return Call(op, (x,), {"axis": axis}, cancels=is_log)

    return draw


def _layer_norm(s: Source) -> Call:
    shape, dtype = s.shape(1, 4), s.choose(FLOATS)
    axis = s.integer(-len(shape), len(shape) - 1)
    tail = shape[axis:]
    scale = s.finite(s.broadcast(tail), dtype) if s.flip(0.7) else None
    bias = s.finite(s.broadcast(tail), dtype) if s.flip() else None
    parameters = {"axis": axis, "epsilon": 0.1, "with_statistics": s.flip()}
    slots = (s.finite(shape, dtype), scale, bias)
    return Call(layer_norm.LayerNormOp, slots, parameters, sums=True)


def _rms_norm(s: Source) -> Call:
    shape, dtype = s.shape(1, 4), s.choose(FLOATS)
    axis = s.integer(-len(shape), len(shape) - 1)
    scale = s.finite(s.broadcast(shape[axis:]), dtype) if s.flip(0.7) else None
    slots = (s.finite(shape, dtype), scale)
    parameters = {"axis": axis, "epsilon": 0.1}
    return Call(layer_norm.RmsNormOp, slots, parameters, sums=True)


def _channel_norm(s: Source, op: type[GraphOp]) -> Call:
    shape, dtype = s.shape(2, 5), s.choose(FLOATS)
    given = [s.finite(shape[1:2], dtype) if s.flip() else None for _ in range(2)]
    parameters: dict[str, Any] = {"epsilon": 0.1}
    if op is normalization.GroupNormOp:
        fitting = [n for n in range(1, shape[1] + 1) if shape[1] % n == 0]
        parameters["num_groups"] = s.choose(fitting or [1])
    return Call(op, (s.finite(shape, dtype), *given), parameters, sums=True)


def _loss(s: Source, op: type[GraphOp]) -> Call:
    shape, dtype = s.shape(2, 4, empty=0), s.choose(FLOATS)
    places = (shape[0], *shape[2:])
    target = s.rng.integers(-shape[1], shape[1], places).astype(s.choose(INDICES))
    weights = np.abs(s.finite(shape[1:2], dtype)) + np.asarray(0.5, dtype)
    parameters: dict[str, Any] = {"reduction": s.choose(["none", "sum", "mean"])}
    if s.flip():
        parameters["ignore_index"] = s.choose([0, 1, -1])
        target.flat[0] = 2 % shape[1]  # not everything is ignored
    if op is loss.CrossEntropyLossOp:
        parameters["with_log_prob"] = s.flip()
    slots = (s.finite(shape, dtype), target, weights if s.flip() else None)
    return Call(op, slots, parameters, sums=True)


def _binary_loss(s: Source) -> Call:
    shape, dtype = s.shape(0, 4), s.choose(FLOATS)
    target = s.rng.uniform(0, 1, shape).astype(dtype)
    slots = [s.array(shape, dtype, scale=s.choose([1, 99])), target]
    for _ in ("weight", "pos_weight"):
        drawn = np.abs(s.finite(s.broadcast(shape), dtype)) + np.asarray(0.5, dtype)
        slots.append(np.asarray(drawn) if s.flip() else None)
    parameters: dict[str, Any] = {"reduction": s.choose(["none", "sum", "mean"])}
    op = loss.BinaryCrossEntropyWithLogitsLossOp
    return Call(op, tuple(slots), parameters, sums=True)


def _dropout(s: Source) -> Call:
    ratio = s.array((), s.choose(FLOATS)) if s.flip() else None
    slots = (s.array(s.shape(), s.choose(ALL)), ratio)
    return Call(select.DropoutOp, slots, {"with_mask": s.flip()})


def _batch_norm(s: Source) -> Call:
    shape, dtype = s.shape(2, 5), s.choose(FLOATS)
    mean, variance = (s.finite((shape[1],), dtype) for _ in range(2))
    variance = np.abs(variance) + np.asarray(0.5, dtype)
    affine = [s.finite((shape[1],), dtype) if s.flip() else None for _ in range(2)]
    slots = (s.finite(shape, dtype), mean, variance, *affine)
    return Call(normalization.BatchNormOp, slots, sums=True)


def _lrn(s: Source) -> Call:
    x = s.finite(s.shape(3, 5), s.choose(FLOATS))
    parameters: dict[str, Any] = {"size": s.integer(1, 7)}
    if s.flip():
        parameters |= {"alpha": 0.1, "beta": s.choose([0.5, 0.6, 1.0]), "bias": 2.0}
    return Call(normalization.LrnOp, (x,), parameters)


GENERATORS: dict[str, Callable[[Source], Call]] = {
    "graph.matmul": _matmul,
    "graph.det": _det,
    **{op.name: _reduce(op) for op in ops_of(ReductionOp)},
    "graph.arg_max": _arg_reduce(reduction.ArgMaxOp),
    "graph.arg_min": _arg_reduce(reduction.ArgMinOp),
    **{op.name: _along_axis(op) for op in ops_of(along_axis.AlongAxisOp)},
    "graph.layer_norm": _layer_norm,
    "graph.rms_norm": _rms_norm,
    "graph.instance_norm": lambda s: _channel_norm(s, normalization.InstanceNormOp),
    "graph.group_norm": lambda s: _channel_norm(s, normalization.GroupNormOp),
    "graph.dropout": _dropout,
    "graph.binary_cross_entropy_with_logits_loss": _binary_loss,
    "graph.cross_entropy_loss": lambda s: _loss(s, loss.CrossEntropyLossOp),
    "graph.negative_log_likelihood_loss": lambda s: _loss(
        s, loss.NegativeLogLikelihoodLossOp
    ),
    "graph.batch_norm": _batch_norm,
    "graph.lrn": _lrn,
}
