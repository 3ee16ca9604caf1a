"""Index arithmetic of kernels: the ops that are written, for all integers, by z3."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import z3
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue

from glow.codegen.conditions import is_outside
from glow.codegen.memory import rest_of
from glow.codegen.values import INDEX, Value
from glow.codegen.writer import Writer, writing_to
from glow.dialects.graph.window import Window
from glow.lowering.memory_to_loops.kernels.kernel import (
    Steps,
    single_steps,
    steps_within,
    units_within,
)
from glow.lowering.memory_to_loops.windows import window_table

pytestmark = pytest.mark.slow

BITS = 64

# By the order in which `arith.cmpi` numbers its predicates.
COMPARISONS = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
    z3.ULT,
    z3.ULE,
    z3.UGT,
    z3.UGE,
)
BINARY = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.AndIOp: lambda a, b: a & b,
    arith.DivUIOp: z3.UDiv,
    arith.MinSIOp: lambda a, b: z3.If(a < b, a, b),
    arith.MaxSIOp: lambda a, b: z3.If(a > b, a, b),
}


class Code:
    """Values of IR as terms of z3: arguments of a block are its unknowns."""

    def __init__(self, *names: str):
        self.block = Block(arg_types=[INDEX] * len(names))
        self.unknowns = [z3.BitVec(name, BITS) for name in names]
        self.values = [Value((argument,), INDEX) for argument in self.block.args]

    def writing(self) -> Any:
        return writing_to(Writer(self.block))

    def term(self, value: Value) -> Any:
        known: dict[SSAValue, Any] = dict(
            zip(self.block.args, self.unknowns, strict=True)
        )
        for op in self.block.ops:
            operands = [known[operand] for operand in op.operands]
            match op:
                case arith.ConstantOp():
                    assert isinstance(op.value, IntegerAttr)
                    known[op.result] = z3.BitVecVal(op.value.value.data, BITS)
                case arith.CmpiOp():
                    compare = COMPARISONS[op.predicate.value.data]
                    known[op.result] = compare(*operands)
                case arith.SelectOp():
                    known[op.result] = z3.If(*operands)
                case _:
                    known[op.results[0]] = BINARY[type(op)](*operands)
        return known[value.ssa]


def holds(claim: Any, *given: Any) -> bool:
    """Return whether a claim holds for all values of its unknowns."""
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(*given, z3.Not(claim))
    found = solver.check()
    assert found != z3.unknown
    return found == z3.unsat


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64, 128])
def test_rest_of_is_what_whole_steps_leave(size: int) -> None:
    code = Code("extent")
    with code.writing():
        rest = rest_of(code.values[0], size)
    (extent,), left = code.unknowns, code.term(rest)
    assert holds(z3.And(left >= 0, left < size), extent >= 0)
    assert holds(z3.URem(extent - left, size) == 0, extent >= 0)


def test_outside_is_below_0_or_not_below_the_bound() -> None:
    code = Code("place", "bound")
    with code.writing():
        outside = is_outside(*code.values)
    place, bound = code.unknowns
    wanted = z3.Or(place < 0, place >= bound)
    assert holds(code.term(outside) == wanted, bound >= 0)


@pytest.mark.parametrize("unit", [0, 1])
def test_pieces_of_a_loop_meet_and_end_with_it(unit: int) -> None:
    """A piece ends where the next begins, the last one where the loop does."""
    code = Code("first", "last", "unit", "begin", "end")
    first, last, step, begin, end = code.values
    with code.writing():
        low, high = single_steps(Steps(first, last, step), (begin, end))
    lower, upper = code.term(low), code.term(high)
    first_, last_, step_, begin_, end_ = code.unknowns
    limit = 1 << 40  # so that nothing overflows
    given = [step_ == unit, first_ >= 0, first_ <= last_, last_ < limit]
    given += [begin_ >= 0, begin_ <= end_, end_ < limit]
    if unit == 0:
        assert holds(z3.And(lower == first_, upper == last_), *given)
        return
    meets = first_ + end_
    assert holds(lower == first_ + begin_, *given)
    assert holds(upper == z3.If(meets < last_, meets, last_), *given)


# z3 cannot divide by others
@pytest.mark.parametrize("unit", [1, pytest.param(4, marks=pytest.mark.full)])
def test_units_of_loops_in_each_other_are_done_once(unit: int) -> None:
    """A unit is done by one step of the loop, as one of its own."""
    code = Code("first", "last", "unit", "begin", "end", "step")
    first, last, size, begin, end, step = code.values
    loop = Steps(first, last, size)
    with code.writing():
        steps = steps_within(loop, (begin, end))
        inner = units_within(loop, (begin, end), step)
    first_, last_, size_, begin_, end_, step_ = code.unknowns
    size_is = (size_, z3.BitVecVal(unit, BITS))
    low, high, lower, upper = (
        z3.substitute(code.term(value), size_is) for value in (*steps, *inner)
    )
    number_, limit = z3.BitVec("number", BITS), 1 << 14
    given = [first_ >= 0, first_ <= last_, last_ < limit, end_ >= 0, end_ < limit]
    given += [begin_ >= 0, begin_ <= end_, end_ <= (last_ - first_) * unit]
    given += [step_ >= first_, step_ < last_, number_ >= 0, number_ < unit]
    unit_ = (step_ - first_) * unit + number_
    is_done = z3.And(low <= step_, step_ < high, lower <= number_, number_ < upper)
    assert holds(is_done == z3.And(begin_ <= unit_, unit_ < end_), *given)
    assert holds(z3.Implies(is_done, z3.And(lower >= 0, upper <= unit)), *given)


def test_tables_of_windows_count_the_taps_inside() -> None:
    """Windows of up to 3 taps, by strides, dilations, pads and extents of a bound."""
    kernels, steps, pads = (1, 2, 3), (1, 2, 3), (0, 1, 2, 5)
    bounds = product(kernels, steps, steps, pads, pads, (1, 2, 3, 6), (False, True))
    for kernel, stride, dilation, before, after, extent, counts_pads in bounds:
        window = Window.of([kernel], [stride], [before, after], [dilation])
        places = 4
        table = window_table(window, [extent], [places], counts_pads)
        for place, (first, taps, divisor) in enumerate(table.reshape(places, 3)):
            at = place * stride - before + dilation * np.arange(kernel)
            inside = np.flatnonzero((at >= 0) & (at < extent))
            assert taps == len(inside)
            assert not taps or first == inside[0]
            counted = (at < extent + after).sum() if counts_pads else taps
            assert divisor == max(1, counted)
