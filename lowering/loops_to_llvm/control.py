"""Rules for `scf`, `cf` and `func`: blocks and branches, calls and returns."""

from collections.abc import Sequence

from xdsl.dialects import cf, func, llvm, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.dialects.llvm_ext.memory import CallPointerOp
from glow.dialects.llvm_ext.time import CycleCounterOp
from glow.lowering.loops_to_llvm.state import Translation, call_op, lowers
from glow.lowering.loops_to_llvm.types import VOID, converted
from glow.support.op_construction import build_op

_SLT = IntegerAttr(llvm.ICmpPredicateFlag.SLT.to_int(), i64)
_NSW = IntegerAttr(1, 32)


def _exit_block(f: Translation, op: Operation) -> Block:
    """Return a block whose arguments are the results of `op`."""
    block = Block(arg_types=[converted(result.type) for result in op.results])
    for result, arg in zip(op.results, block.args, strict=True):
        arg.name_hint = result.name_hint
        f.values[result] = arg
    return block


def _less(f: Translation, a: SSAValue, b: SSAValue) -> SSAValue:
    return f.make(llvm.ICmpOp, [a, b], i1, predicate=_SLT)


@lowers(scf.ForOp)
def _for(f: Translation, op: scf.ForOp) -> None:
    """Test at the end; and in front, unless `nonempty` says that it runs."""
    bounds, initial = f.all([op.lb, op.ub, op.step]), f.all(op.iter_args)
    lower, upper, step = bounds
    body = op.body.block
    head, exit_ = f.block_for(body), _exit_block(f, op)
    if "nonempty" in op.attributes:
        f.jump(head, [lower, *initial])
    else:
        runs = _less(f, lower, upper)
        f.branch(runs, (head, [lower, *initial]), (exit_, initial))
    f.open(head)
    carried = f.all(f.body(body).operands)
    index = head.args[0]
    following = f.make(llvm.AddOp, [index, step], index.type, overflowFlags=_NSW)
    more = _less(f, following, upper)
    f.branch(more, (head, [following, *carried]), (exit_, carried))
    f.open(exit_)


@lowers(scf.IfOp)
def _if(f: Translation, op: scf.IfOp) -> None:
    exit_ = _exit_block(f, op)
    then, otherwise = Block(), exit_
    if op.false_region.blocks:
        otherwise = Block()
    f.branch(f[op.cond], (then, ()), (otherwise, ()))
    f.open(then)
    f.jump(exit_, f.all(f.body(op.true_region.block).operands))
    if otherwise is not exit_:
        f.open(otherwise)
        f.jump(exit_, f.all(f.body(op.false_region.block).operands))
    f.open(exit_)


@lowers(scf.WhileOp)
def _while(f: Translation, op: scf.WhileOp) -> None:
    exit_ = _exit_block(f, op)
    before = f.block_for(op.before_region.block)
    after = f.block_for(op.after_region.block)
    f.jump(before, f.all(op.arguments))
    f.open(before)
    condition, *forwarded = f.all(f.body(op.before_region.block).operands)
    f.branch(condition, (after, forwarded), (exit_, forwarded))
    f.open(after)
    f.jump(before, f.all(f.body(op.after_region.block).operands))
    f.open(exit_)


@lowers(cf.BranchOp)
def _br(f: Translation, op: cf.BranchOp) -> None:
    f.jump(f.blocks[op.successor], f.all(op.arguments))


@lowers(cf.ConditionalBranchOp)
def _cond_br(f: Translation, op: cf.ConditionalBranchOp) -> None:
    then = f.blocks[op.then_block], f.all(op.then_arguments)
    otherwise = f.blocks[op.else_block], f.all(op.else_arguments)
    f.branch(f[op.cond], then, otherwise)


def result_type(types: Sequence[Attribute]) -> Attribute:
    """Return the one type that a function of these results returns in LLVM."""
    results = [converted(type_) for type_ in types]
    if len(results) > 1:
        return llvm.LLVMStructType.from_type_list(results)
    return results[0] if results else VOID


def _at(position: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [position])


@lowers(func.CallOp)
def _call(f: Translation, op: func.CallOp) -> None:
    result = result_type([result.type for result in op.results])
    results = [] if result == VOID else [result]
    callee = op.callee.root_reference.data
    call = call_op(callee, f.all(op.arguments), results)
    f.do(call)
    if len(op.results) == 1:
        f.replace(op, call.results[0])
        return
    for position, value in enumerate(op.results):
        f.values[value] = f.make(
            llvm.ExtractValueOp,
            [call.results[0]],
            converted(value.type),
            position=_at(position),
        )


@lowers(CallPointerOp)
def _call_pointer(f: Translation, op: CallPointerOp) -> None:
    f.do(call_op(None, f.all(op.operands), []))


@lowers(CycleCounterOp)
def _cycle_counter(f: Translation, op: CycleCounterOp) -> None:
    f.replace(op, f.intrinsic("llvm.readcyclecounter", [], i64).results[0])


@lowers(func.ReturnOp)
def _return(f: Translation, op: func.ReturnOp) -> None:
    values = f.all(op.operands)
    if len(values) > 1:
        type_ = result_type([value.type for value in op.operands])
        packed = f.undef(type_)
        for position, value in enumerate(values):
            operands = [packed, value]
            packed = f.make(llvm.InsertValueOp, operands, type_, position=_at(position))
        values = [packed]
    f.do(build_op(llvm.ReturnOp, operands=values))
