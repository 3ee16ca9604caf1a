"""Rules for `team`: workers take pieces of each strand, then wait for a section."""

from collections.abc import Sequence

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.dialects.llvm_ext.memory import BaseOp
from glow.dialects.team.notes import RECORD_WORDS, NoteOp
from glow.dialects.team.sections import CallOp, SectionOp, StrandOp
from glow.lowering.loops_to_llvm.memory import gep
from glow.lowering.loops_to_llvm.state import Translation, call_op, lowers
from glow.lowering.loops_to_llvm.types import integer
from glow.support.op_construction import build_op
from glow.support.targets import target_of
from glow.support.team_words import END, WORKER
from glow.support.walking import operands_of, ops_in, ops_of

CLAIM, WAIT = "team_claim", "team_wait"
"""
Functions of a worker: one takes pieces of a strand, or returns -1 if none is left; the
other waits until those of a section are done, or returns 1 to take more.
"""

_MOST_SECTIONS = 16
"""The most sections of a function: a scan of all blocks for each stays linear."""

_WORD: dict[str, Attribute] = {"alignment": integer(8), "ordering": integer(0)}
_SLT = IntegerAttr(llvm.ICmpPredicateFlag.SLT.to_int(), i64)


def sink_pointers(function: func.FuncOp) -> None:
    """
    Compute pointers in the strands of `function` that pass them to calls.

    A worker does few of the strands of a run, but would compute all that stands before
    them, and hold it in registers.
    """
    blocks = list(function.body.blocks)
    sections = [op for block in blocks for op in ops_of(block.ops, SectionOp)]
    sunk: dict[BaseOp, None] = {}
    for strand in (strand for section in sections for strand in section.strands):
        copies: dict[SSAValue, SSAValue] = {}
        for call in strand.calls:
            arguments = [*operands_of(call)]
            for number, value in enumerate(arguments):
                pointer = value.owner
                if not isinstance(pointer, BaseOp) or pointer.parent is call.parent:
                    continue
                if value not in copies:
                    copy = pointer.clone()
                    strand.body.block.insert_op_before(copy, call)
                    copies[value], sunk[pointer] = copy.result, None
                arguments[number] = copies[value]
            call.operands = arguments
    for pointer in sunk:
        if pointer.result.first_use is None:
            pointer.detach()
            pointer.erase()


def parts_of(function: func.FuncOp) -> list[func.FuncOp]:
    """
    Move the sections of `function` to functions that it calls, and return these.

    If it has few, it keeps them, and there are none. All have its arguments.
    """
    blocks = function.body.blocks
    if blocks.first is None or blocks.first is not blocks.last:
        return []
    body = blocks.first
    sections = ops_of(body.ops, SectionOp)
    if len(sections) <= _MOST_SECTIONS:
        return []
    parts: list[func.FuncOp] = []
    for first in range(0, len(sections), _MOST_SECTIONS):
        chosen = sections[first : first + _MOST_SECTIONS]
        name = f"{function.sym_name.data}.part_{len(parts)}"
        part = func.FuncOp(name, function.function_type, visibility="private")
        part.location = function.location
        parts.append(part)
        body.insert_op_before(func.CallOp(name, body.args, []), chosen[0])
        _move(chosen, body, part.body.block)
    return parts


def _move(sections: Sequence[SectionOp], source: Block, target: Block) -> None:
    """Move sections to a block with the same arguments, with all that they use."""
    values: dict[SSAValue, SSAValue] = {}
    for old, new in zip(source.args, target.args, strict=True):
        new.name_hint, values[old] = old.name_hint, new
    for section in sections:
        section.detach()
        for op in (section, *ops_in(*section.regions)):
            operands = [*operands_of(op)]
            for number, value in enumerate(operands):
                owner = value.owner
                is_made = value in values or type(owner) is Block
                if not is_made and owner.parent is source:
                    assert isinstance(owner, Operation)
                    copy = owner.clone(values)
                    target.add_op(copy)
                    values[value] = copy.results[0]
                operands[number] = values.get(value, value)
            op.operands = operands
        target.add_op(section)
    target.add_op(func.ReturnOp())


@lowers(SectionOp)
def _section(f: Translation, op: SectionOp) -> None:
    team, head, after = f[op.team], Block(), Block()
    f.jump(head, ())
    f.open(head)
    for order, strand in enumerate(op.strands):
        _strand(f, strand, team, order)
    wait = call_op(WAIT, [team, f.constant(op.pieces)], [i64])
    f.do(wait)
    is_over = _less(f, wait.results[0], f.constant(1))
    f.branch(is_over, (after, ()), (head, ()))
    f.open(after)


def _strand(f: Translation, op: StrandOp, team: SSAValue, order: int) -> None:
    head, body, after = Block(), Block(), Block()
    f.jump(head, ())
    f.open(head)
    numbers = (op.number.value.data, order, op.pieces)
    claim = call_op(CLAIM, [team, *map(f.constant, numbers)], [i64])
    f.do(claim)
    first = claim.results[0]
    is_over = _less(f, first, f.constant(0))
    f.branch(is_over, (after, ()), (body, ()))
    f.open(body)
    if op.pieces == 1:
        _pieces(f, op, team, first, None)
        f.jump(after, ())
    else:
        end = f.make(llvm.LoadOp, [gep(f, team, i64, END)], i64, **_WORD)
        near_bytes = target_of(f.target).costs.strand_bytes
        together = pieces_together(op, op.pieces, near_bytes)
        if together < op.pieces:
            body = Block(arg_types=[i64])
            f.jump(body, (first,))
            f.open(body)
            first = body.args[0]
            following = f.make(llvm.AddOp, [first, f.constant(together)], i64)
            is_inside = _less(f, following, end)
            last = f.make(llvm.SelectOp, [is_inside, following, end], i64)
            _pieces(f, op, team, first, last)
            f.branch(is_inside, (body, (following,)), (head, ()))
        else:
            _pieces(f, op, team, first, end)
            f.jump(head, ())
    f.open(after)


def pieces_together(op: StrandOp, pieces: int, near_bytes: int) -> int:
    """
    Return the most pieces of a strand that one call of a kernel does.

    Fewer calls are faster, but what a kernel writes should be near when the next one
    reads it. Notes are of one piece each.
    """
    if ops_of(op.body.block.ops, NoteOp):
        return 1
    calls = op.calls
    if len(calls) == 1:
        return pieces
    steps = [
        abs(touch.step) * call.step.value.data
        for call in calls
        for touch in call.touches
    ]
    return max(1, min(pieces, near_bytes // max(sum(steps), 1)))


def _pieces(
    f: Translation,
    op: StrandOp,
    team: SSAValue,
    first: SSAValue,
    end: SSAValue | None,
) -> None:
    """Call the kernels for pieces from `first` to `end`, or for all if it is None."""
    record: SSAValue | None = None
    for each in op.body.block.ops:
        match each:
            case NoteOp():
                record = _begin_record(f, each, first, team)
            case CallOp():
                _call(f, each, first, end)
                if record is not None:
                    _store_time(f, record, 2)
                record = None
            case _:
                f.lower(each)


def _call(f: Translation, op: CallOp, first: SSAValue, end: SSAValue | None) -> None:
    """Call the kernel for the units of some pieces; the last piece may have fewer."""
    units, step = f.constant(op.units.value.data), f.constant(op.step.value.data)
    low, high = f.constant(0), units
    if end is not None:
        low, high = (f.make(llvm.MulOp, [n, step], i64) for n in (first, end))
        high = f.make(llvm.SelectOp, [_less(f, high, units), high, units], i64)
    f.do(call_op(op.callee.string_value(), [*f.all(op.arguments), low, high], []))


def _begin_record(
    f: Translation, op: NoteOp, piece: SSAValue, team: SSAValue
) -> SSAValue:
    """Note which worker does `piece`, and when it begins; return the record."""
    first = f.constant(op.first.value.data)
    number = f.make(llvm.AddOp, [first, piece], i64)
    words = f.make(llvm.MulOp, [number, f.constant(RECORD_WORDS)], i64)
    record = gep(f, f[op.records], i64, words)
    worker = gep(f, team, i64, WORKER)
    loaded = f.make(llvm.LoadOp, [worker], i64, **_WORD)
    f.do(build_op(llvm.StoreOp, operands=[loaded, record], properties=_WORD))
    _store_time(f, record, 1)
    return record


def _store_time(f: Translation, record: SSAValue, word: int) -> None:
    time = f.intrinsic("llvm.readcyclecounter", [], i64).results[0]
    place = gep(f, record, i64, word)
    f.do(build_op(llvm.StoreOp, operands=[time, place], properties=_WORD))


def _less(f: Translation, a: SSAValue, b: SSAValue) -> SSAValue:
    return f.make(llvm.ICmpOp, [a, b], i1, predicate=_SLT)
