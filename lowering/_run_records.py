"""Records of runs as code sees them: their words, and functions of C that they name."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, i8, i64
from xdsl.ir import Attribute, SSAValue

from glow.codegen.memory import Memory, flat, on_stack
from glow.codegen.values import INDEX, Value, index
from glow.codegen.writer import emit, perform
from glow.dialects.llvm_ext.memory import BaseOp, CallPointerOp
from glow.support import team_words as words
from glow.support.op_construction import build_op

WORDS = flat(i64)
BYTES = flat(i8)

# Of Linux: what `futex` does for threads of one process.
SLEEP, WAKE, SLEEP_WITH_BITS, WAKE_BITS = 128, 129, 137, 138
ALL = (1 << 31) - 1
_MONOTONIC = 1
_SECOND = 1_000_000_000


def words_of(base: SSAValue) -> Memory:
    """Return integers of 64 bits that begin at `base`."""
    return Memory.of(base, i64, INDEX)


def pointer_in(record: Memory, word: int, to: Attribute = BYTES) -> SSAValue:
    """Return the buffer whose address is in a word of a record of this run."""
    table = build_op(
        BaseOp,
        operands=[record.base],
        result_types=[flat(BYTES)],
        properties={"offset": IntegerAttr(0, i64)},
    )
    entry = {"offset": IntegerAttr(0, i64), "entry": IntegerAttr(word, i64)}
    return emit(
        build_op(BaseOp, operands=[emit(table)], result_types=[to], properties=entry)
    )


def address_in(memory: Memory, at: Value | int) -> Value:
    """Return the address of an integer of 64 bits."""
    base = emit(memref.ExtractAlignedPointerAsIndexOp.get(memory.base))
    return Value((base,), INDEX) + index(at) * 8


def call_function(
    record: Memory, word: int, *arguments: Value | SSAValue | int
) -> None:
    """Call the C function whose address is in a word of a record."""
    values = [index(a) if isinstance(a, int) else a for a in arguments]
    passed = [value.ssa if isinstance(value, Value) else value for value in values]
    perform(CallPointerOp(pointer_in(record, word), passed))


def futex(record: Memory, address: Value, does: int, *numbers: Value | int) -> None:
    """Call `futex` with a number, and a set of bits if it takes one."""
    number, *bits = numbers
    arguments = [record[words.FUTEX], address, does, number, 0, 0, *bits]
    call_function(record, words.SYSCALL, *arguments)


def now(record: Memory) -> Value:
    """Return the time in nanoseconds; the call also makes room for an SMT sibling."""
    time = on_stack(i64, 2)
    call_function(record, words.CLOCK, _MONOTONIC, time.base)
    seconds, nanoseconds = (words_of(time.base)[i] for i in range(2))
    return seconds * _SECOND + nanoseconds
