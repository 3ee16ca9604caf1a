"""Lower graph ops that a kernel computes as they are, each to one `memory.apply`."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.normalization import BatchNormOp
from glow.dialects.graph.scattering import TensorScatterOp
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.graph_to_memory.state import Lowering, lowers, unsupported
from glow.lowering.memory_to_loops.rules import rule_of
from glow.support.op_construction import Slot
from glow.support.types import normalize_axis, shape_of

Buffers = SSAValue | list[SSAValue] | None


def lower_by_kernel(lowering: Lowering, op: GraphOp) -> None:
    """Lower `op` to one op, with what the kernel that is registered for it asks."""
    rule = rule_of(type(op))
    if rule is None:
        raise unsupported(op, "has no lowering to memory")
    definition = op.get_irdl_definition()
    ins = [
        _operand(lowering, value, name in rule.contiguous)
        for (name, _), value in zip(definition.operands, op.slots(), strict=True)
    ]
    outs = [_result(lowering, getattr(op, name)) for name, _ in definition.results]
    inout = None
    if rule.updates:
        source, inout = ins.pop(0), outs.pop(0)
        assert isinstance(source, SSAValue)
        assert isinstance(inout, SSAValue)
        lowering.copy(source, inout)
    scratch = () if rule.scratch is None else rule.scratch(op)
    new = ApplyOp(
        type(op),
        ins,
        outs,
        inout=inout,
        scratch=[lowering.alloc(type_) for type_ in scratch],
        in_place=rule.in_place,
        **op.parameters(),
    )
    lowering.add(new)


def _operand(lowering: Lowering, value: Slot, contiguous: bool) -> Buffers:
    if isinstance(value, SSAValue):
        return lowering.contiguous(value) if contiguous else lowering[value]
    return None if value is None else [lowering[each] for each in value]


def _result(lowering: Lowering, value: SSAValue | Sequence[SSAValue] | None) -> Buffers:
    if isinstance(value, SSAValue):
        return lowering.destination(value)
    return None if value is None else [lowering.destination(each) for each in value]


@lowers(BatchNormOp)
def _batch_norm(lowering: Lowering, op: BatchNormOp) -> None:
    raise unsupported(op, "has no lowering: run decompose-batch-norm first")


@lowers(TensorScatterOp)
def _tensor_scatter(lowering: Lowering, op: TensorScatterOp) -> None:
    """Updates that start at 0 are copied to a view."""
    if op.write_indices is not None:
        lower_by_kernel(lowering, op)
        return
    axis = normalize_axis(op.axis, len(shape_of(op.data)))
    out = lowering.destination(op.result)
    lowering.copy(lowering[op.data], out)
    lowering.copy(lowering[op.updates], lowering.slice(out, axis, 0, op.updates))
