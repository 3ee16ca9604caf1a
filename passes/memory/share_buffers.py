"""Share buffers: a result takes that of an operand that nothing reads later."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.buffers import Lifetime, root_of, uses_of
from glow.analysis.directions import functions_of
from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.elementwise import ZeroHaloOp
from glow.dialects.memory.storage import AllocOp


class ShareBuffersPass(ModulePass):
    """
    Merge allocations along the in-place pairs that ops declare.

    Level: memory -> memory. Needs: nothing; before insert-deallocs. An operand's
    buffer is reused if nothing reads it later, both have one type, and the op reads
    the operand through no view.
    """

    name = "share-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions_of(op):
            _share(function)


def _share(function: FuncOp) -> None:
    uses = uses_of(function.body.block)
    births = _births(uses.ops)
    for at, op in enumerate(uses.ops):
        if not isinstance(op, MemoryOp):
            continue
        for source, result in op.in_place_pairs():
            dying = uses.lifetimes.get(source)
            born = uses.lifetimes.get(result)
            if dying is None or born is None or source is result:
                continue
            is_handover = dying.last == at == births[result]
            if is_handover and _can_be_one(op, source, result):
                _merge(source, result, dying, born)
                del uses.lifetimes[result]
                break


def _can_be_one(op: MemoryOp, source: SSAValue, result: SSAValue) -> bool:
    """Return whether `result` may be the buffer `source`, which `op` sees as it is."""
    has_views = any(
        value is not source and root_of(value) is source for value, _ in op.accesses()
    )
    return source.type == result.type and not has_views


def _births(ops: list[Operation]) -> dict[SSAValue, int]:
    """Return where each allocation is first used, its halo aside."""
    births: dict[SSAValue, int] = {}
    for at, op in enumerate(ops):
        if isinstance(op, MemoryOp) and not isinstance(op, ZeroHaloOp):
            for value in op.operands:
                births.setdefault(root_of(value), at)
    return births


def _merge(source: SSAValue, result: SSAValue, dying: Lifetime, born: Lifetime) -> None:
    """Make `result` the buffer `source`, whose halo is zero already."""
    for use in list(result.uses):
        if isinstance(use.operation, ZeroHaloOp):
            Rewriter.erase_op(use.operation)
    result.replace_all_uses_with(source)
    dying.last = born.last
    owner = result.owner
    assert isinstance(owner, AllocOp)
    Rewriter.erase_op(owner)
