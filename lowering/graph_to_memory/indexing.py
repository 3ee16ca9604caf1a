"""Lower gathers and scatters whose indices name single places."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.dialects.graph.indexing import GatherElementsOp, GatherNdOp
from glow.dialects.graph.scattering import (
    ScatterElementsOp,
    ScatterNdOp,
    TensorScatterOp,
)
from glow.dialects.memory import indexing
from glow.dialects.memory.address import Addressing, addressing_of
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.support.types import normalize_axis, shape_of


@lowers(GatherNdOp)
def _gather_nd(lowering: Lowering, op: GatherNdOp) -> None:
    data, indices = lowering[op.data], lowering[op.indices]
    out, batch = lowering.destination(op.result), op.batch_dims
    lowering.add(indexing.GatherNdOp(data, indices, out, batch_dims=batch))


@lowers(GatherElementsOp)
def _gather_elements(lowering: Lowering, op: GatherElementsOp) -> None:
    axis = normalize_axis(op.axis, len(shape_of(op.data)))
    out = lowering.destination(op.result)
    data = _lines(lowering, lowering[op.data], shape_of(op.indices), axis)
    indices = _singles(lowering, lowering[op.indices], axis)
    result = _lines(lowering, out, shape_of(op.result), axis)
    batch = len(shape_of(op.data)) - 1
    lowering.add(indexing.GatherNdOp(data, indices, result, batch_dims=batch))


@lowers(ScatterNdOp)
def _scatter_nd(lowering: Lowering, op: ScatterNdOp) -> None:
    out = _copied(lowering, op.data, op.result)
    new = indexing.ScatterNdOp(
        lowering[op.indices],
        lowering[op.updates],
        out,
        batch_dims=0,
        kind=op.reduction,
    )
    lowering.add(new)


@lowers(ScatterElementsOp)
def _scatter_elements(lowering: Lowering, op: ScatterElementsOp) -> None:
    axis = normalize_axis(op.axis, len(shape_of(op.data)))
    out, shape = _copied(lowering, op.data, op.result), shape_of(op.indices)
    new = indexing.ScatterNdOp(
        _singles(lowering, lowering[op.indices], axis),
        _lines(lowering, lowering[op.updates], shape, axis),
        _lines(lowering, out, shape, axis),
        batch_dims=len(shape) - 1,
        kind=op.reduction,
    )
    lowering.add(new)


@lowers(TensorScatterOp)
def _tensor_scatter(lowering: Lowering, op: TensorScatterOp) -> None:
    axis = normalize_axis(op.axis, len(shape_of(op.data)))
    out, updates = _copied(lowering, op.data, op.result), lowering[op.updates]
    if op.write_indices is None:
        lowering.copy(updates, lowering.slice(out, axis, 0, op.updates))
        return
    starts, circular = lowering[op.write_indices], op.mode == "circular"
    new = indexing.TensorScatterOp(updates, starts, out, axis=axis, circular=circular)
    lowering.add(new)


def _copied(lowering: Lowering, data: SSAValue, result: SSAValue) -> SSAValue:
    """Return the destination of `result` with what `data` holds."""
    out = lowering.destination(result)
    lowering.copy(lowering[data], out)
    return out


def _lines(
    lowering: Lowering, buffer: SSAValue, shape: Sequence[int], axis: int
) -> SSAValue:
    """Return `buffer` cut to `shape`, but for `axis`, which is whole and comes last."""
    a = addressing_of(buffer)
    order = [*(i for i in range(len(shape)) if i != axis), axis]
    extents = tuple(a.shape[i] if i == axis else shape[i] for i in order)
    strides = tuple(a.strides[i] for i in order)
    return lowering.view(buffer, Addressing(extents, strides, a.offset))


def _singles(lowering: Lowering, indices: SSAValue, axis: int) -> SSAValue:
    """Return `indices` with `axis` last, each as a tuple of one."""
    a = addressing_of(indices)
    order = [*(i for i in range(len(a.shape)) if i != axis), axis]
    shape = (*(a.shape[i] for i in order), 1)
    strides = (*(a.strides[i] for i in order), 1)
    return lowering.view(indices, Addressing(shape, strides, a.offset))
