"""Rules for `team`: workers take pieces of each strand, then wait for a section."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Block, SSAValue

from glow.dialects.team.sections import CallOp, SectionOp, StrandOp
from glow.lowering.loops_to_llvm.state import Translation, call_op, lowers

CLAIM, DONE, WAIT = "team_claim", "team_done", "team_wait"
"""
Functions of a worker: take a piece of a strand, or -1 if there is none left; say that
one of a section is done; wait until so many are.
"""

_SLT = IntegerAttr(llvm.ICmpPredicateFlag.SLT.to_int(), i64)


@lowers(SectionOp)
def _section(f: Translation, op: SectionOp) -> None:
    team, number = f[op.team], f.constant(op.number.value.data)
    for strand in op.strands:
        _strand(f, strand, team, number)
    f.do(call_op(WAIT, [team, number, f.constant(op.pieces)], []))


def _strand(f: Translation, op: StrandOp, team: SSAValue, section: SSAValue) -> None:
    head, body, after = Block(), Block(), Block()
    f.jump(head, ())
    f.open(head)
    numbers = f.constant(op.number.value.data), f.constant(op.pieces)
    claim = call_op(CLAIM, [team, *numbers], [i64])
    f.do(claim)
    piece = claim.results[0]
    is_over = _less(f, piece, f.constant(0))
    f.branch(is_over, (after, ()), (body, ()))
    f.open(body)
    for each in op.body.block.ops:
        if isinstance(each, CallOp):
            _call(f, each, piece)
        else:
            f.lower(each)
    f.do(call_op(DONE, [team, section], []))
    f.jump(after if op.pieces == 1 else head, ())
    f.open(after)


def _call(f: Translation, op: CallOp, piece: SSAValue) -> None:
    """Call the kernel for the units of `piece`; the last one may have fewer."""
    units, step = op.units.value.data, op.step.value.data
    begin, end = f.constant(0), f.constant(units)
    if op.pieces > 1:
        begin = f.make(llvm.MulOp, [piece, f.constant(step)], i64)
        following = f.make(llvm.AddOp, [begin, f.constant(step)], i64)
        is_inside = _less(f, following, end)
        end = f.make(llvm.SelectOp, [is_inside, following, end], i64)
    f.do(call_op(op.callee.string_value(), [*f.all(op.arguments), begin, end], []))


def _less(f: Translation, a: SSAValue, b: SSAValue) -> SSAValue:
    return f.make(llvm.ICmpOp, [a, b], i1, predicate=_SLT)
