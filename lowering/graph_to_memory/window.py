"""Lower pools and reductions to the memory op of the kind."""

from __future__ import annotations

from xdsl.ir import SSAValue

from glow.dialects.graph import (
    arg_reduction,
    global_pooling,
    pooling,
    reduction,
)
from glow.dialects.graph.base import GraphOp
from glow.dialects.memory import window
from glow.dialects.memory.address import Addressing, addressing_of
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import normalize_axis, shape_of


@lowers(pooling.MaxPoolOp, pooling.AvgPoolOp, pooling.LpPoolOp)
def _pool(lowering: Lowering, op: GraphOp) -> None:
    kinds: dict[type[GraphOp], str] = {
        pooling.MaxPoolOp: "max",
        pooling.AvgPoolOp: "avg",
        pooling.LpPoolOp: "lp",
    }
    p = op.parameters()
    source = lowering[op.operands[0]]
    outs = [lowering.destination(result) for result in op.results]
    new = window.PoolOp(
        source,
        *outs,
        kind=kinds[type(op)],
        kernel_shape=p["kernel_shape"],
        strides=p["strides"],
        pads=p["pads"],
        dilations=p["dilations"],
        count_include_pad=bool(p.get("count_include_pad")),
        storage_order=p.get("storage_order") or 0,
        p=p.get("p"),
    )
    lowering.add(new)


@lowers(
    global_pooling.GlobalAvgPoolOp,
    global_pooling.GlobalMaxPoolOp,
)
def _global_pool(lowering: Lowering, op: GraphOp) -> None:
    kind = "mean" if isinstance(op, global_pooling.GlobalAvgPoolOp) else "max"
    rank = len(shape_of(op.operands[0]))
    source, out = lowering[op.operands[0]], lowering.destination(op.results[0])
    lowering.add(window.ReduceOp(source, out, kind=kind, axes=range(2, rank)))


@lowers(global_pooling.GlobalLpPoolOp)
def _global_lp_pool(lowering: Lowering, op: global_pooling.GlobalLpPoolOp) -> None:
    shape = shape_of(op.operands[0])
    spatial = shape[2:]
    new = window.PoolOp(
        lowering[op.operands[0]],
        lowering.destination(op.results[0]),
        kind="lp",
        kernel_shape=spatial,
        strides=(1,) * len(spatial),
        pads=(0,) * (2 * len(spatial)),
        dilations=(1,) * len(spatial),
        p=op.parameters()["p"],
    )
    lowering.add(new)


_KINDS: dict[type[GraphOp], str] = {
    reduction.ReduceSumOp: "sum",
    reduction.ReduceMeanOp: "mean",
    reduction.ReduceMaxOp: "max",
    reduction.ReduceMinOp: "min",
    reduction.ReduceProdOp: "prod",
    reduction.ReduceL1Op: "l1",
    reduction.ReduceL2Op: "l2",
    reduction.ReduceSumSquareOp: "sum_square",
    reduction.ReduceLogSumOp: "log_sum",
    reduction.ReduceLogSumExpOp: "log_sum_exp",
}


@lowers(*_KINDS)
def _reduce(lowering: Lowering, op: GraphOp) -> None:
    p = op.parameters()
    source = lowering[op.operands[0]]
    rank = len(shape_of(op.operands[0]))
    axes = sorted(normalize_axis(axis, rank) for axis in p["axes"])
    out = _with_axes(lowering, op.results[0], axes, p["keepdims"])
    lowering.add(window.ReduceOp(source, out, kind=_KINDS[type(op)], axes=axes))


def _with_axes(
    lowering: Lowering, result: SSAValue, axes: list[int], kept: bool
) -> SSAValue:
    """Return the destination of `result`, with the reduced axes as extents of 1."""
    out = lowering.destination(result)
    if kept:
        return out
    a = addressing_of(out)
    shape, strides = list(a.shape), list(a.strides)
    for axis in axes:
        shape.insert(axis, 1)
        strides.insert(axis, 0)
    return lowering.view(out, Addressing(tuple(shape), tuple(strides), a.offset))


@lowers(arg_reduction.ArgMaxOp, arg_reduction.ArgMinOp)
def _arg_reduce(lowering: Lowering, op: GraphOp) -> None:
    p = op.parameters()
    axis = normalize_axis(p["axis"], len(shape_of(op.operands[0])))
    source = lowering[op.operands[0]]
    out = _with_axes(lowering, op.results[0], [axis], p["keepdims"])
    new = window.ArgReduceOp(
        source,
        out,
        kind="max" if isinstance(op, arg_reduction.ArgMaxOp) else "min",
        axis=axis,
        select_last_index=bool(p["select_last_index"]),
    )
    lowering.add(new)
