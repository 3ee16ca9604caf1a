"""Lower softmax and normalisations to the memory op of the kind."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph import group_norm, layer_norm, normalization
from glow.dialects.graph.base import GraphOp
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.normalization import (
    LayerNormOp,
    LrnOp,
    RmsNormOp,
    SoftmaxOp,
)
from glow.lowering.graph_to_memory.state import Lowering, lowers, unsupported
from glow.support.types import normalize_axis, shape_of


@lowers(normalization.SoftmaxOp, normalization.LogSoftmaxOp)
def _softmax(lowering: Lowering, op: GraphOp) -> None:
    axis = normalize_axis(op.parameters()["axis"], len(shape_of(op.operands[0])))
    log = isinstance(op, normalization.LogSoftmaxOp)
    source, out = lowering[op.operands[0]], lowering.destination(op.results[0])
    lowering.add(SoftmaxOp(source, out, axis=axis, log=log))


def _optional(lowering: Lowering, value: SSAValue | None) -> SSAValue | None:
    return None if value is None else lowering[value]


@lowers(layer_norm.LayerNormOp)
def _layer_norm(lowering: Lowering, op: layer_norm.LayerNormOp) -> None:
    p = op.parameters()
    new = LayerNormOp(
        lowering[op.input],
        _optional(lowering, op.scale),
        _optional(lowering, op.bias),
        *(lowering.destination(result) for result in op.results),
        axis=normalize_axis(p["axis"], len(shape_of(op.input))),
        epsilon=p["epsilon"],
    )
    lowering.add(new)


@lowers(layer_norm.RmsNormOp)
def _rms_norm(lowering: Lowering, op: layer_norm.RmsNormOp) -> None:
    p = op.parameters()
    new = RmsNormOp(
        lowering[op.input],
        _optional(lowering, op.scale),
        lowering.destination(op.result),
        axis=normalize_axis(p["axis"], len(shape_of(op.input))),
        epsilon=p["epsilon"],
    )
    lowering.add(new)


@lowers(group_norm.InstanceNormOp, group_norm.GroupNormOp)
def _channel_norm(lowering: Lowering, op: group_norm.ChannelNormOp) -> None:
    """Normalise views of [N, groups, channels of each, ...] from axis 2 on."""
    p, shape = op.parameters(), shape_of(op.input)
    groups = p.get("num_groups", shape[1])
    places = (1,) * (len(shape) - 2)
    scale, bias = (
        None if v is None else _grouped(lowering, lowering[v], 0, groups, places)
        for v in (op.scale, op.bias)
    )
    new = LayerNormOp(
        _grouped(lowering, lowering[op.input], 1, groups),
        scale,
        bias,
        _grouped(lowering, lowering.destination(op.result), 1, groups),
        axis=2,
        epsilon=p["epsilon"],
    )
    lowering.add(new)


def _grouped(
    lowering: Lowering,
    source: SSAValue,
    axis: int,
    groups: int,
    places: tuple[int, ...] = (),
) -> SSAValue:
    """Return `source` with `axis` as groups and members, and axes `places` behind."""
    a = addressing_of(source)
    size = a.shape[axis] // max(groups, 1)
    shape, strides = list(a.shape), list(a.strides)
    shape[axis : axis + 1] = groups, size
    strides[axis : axis + 1] = size * a.strides[axis], a.strides[axis]
    shape, strides = (*shape, *places), (*strides, *(0 for _ in places))
    return lowering.view(source, Addressing(shape, strides, a.offset))


@lowers(normalization.LrnOp)
def _lrn(lowering: Lowering, op: normalization.LrnOp) -> None:
    p = op.parameters()
    new = LrnOp(
        lowering[op.operands[0]],
        lowering.destination(op.results[0]),
        size=p["size"],
        alpha=p["alpha"],
        beta=p["beta"],
        bias=p["bias"],
    )
    lowering.add(new)


@lowers(normalization.BatchNormOp)
def _batch_norm(lowering: Lowering, op: normalization.BatchNormOp) -> None:
    raise unsupported(op, "is left: run decompose-batch-norm first")
