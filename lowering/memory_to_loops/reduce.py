"""Lower reductions, and the indices of extremes: on vectors if the axes allow it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, f64, i32
from xdsl.ir import Attribute

from glow.codegen.casts import convert, highest, lowest, truncated
from glow.codegen.conditions import is_nan, select
from glow.codegen.functions import Combination, combined, exp, fma, log, sqrt
from glow.codegen.strips import Strips
from glow.codegen.values import Value, absolute, compare
from glow.dialects.graph import reduction
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.pooling import GlobalAvgPoolOp, GlobalMaxPoolOp
from glow.dialects.graph.reduction import ArgMaxOp, ArgMinOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import Instruction, ScalarProgram
from glow.support.types import (
    compute_type,
    is_bool,
    is_float,
    normalize_axes,
    normalize_axis,
    number_attribute,
    signless,
)

_SUMS = ("sum", "mean", "l1", "l2", "sum_square", "log_sum", "log_sum_exp")
_ROOTS_AND_LOGARITHMS = ("l2", "log_sum", "log_sum_exp")


@dataclass(frozen=True)
class Reduce(Rule):
    """
    Reduce a line to one element.

    Sums of f32 are sums of f64, so that a million elements do not blur the result.
    """

    NUMBERS: ClassVar = ("count",)

    kind: str
    compute: Attribute

    @property
    def has_vector_form(self) -> bool:
        """Whether vectors do all of it: roots of integers go through floats."""
        is_whole = not is_float(self.compute)
        return not (is_whole and self.kind in (*_ROOTS_AND_LOGARITHMS, "mean"))

    @property
    def accumulator(self) -> Attribute:
        """The type of partial results."""
        is_sum = self.kind in _SUMS
        if (is_sum and self.compute == f32) or self.kind == "log_sum_exp":
            return f64
        return self.compute

    def line(self, line: Line) -> None:
        peak = None
        if self.kind == "log_sum_exp":
            peak = self._peak(self._extreme(line, "max"))
        if self.kind in ("max", "min"):
            result = self._extreme(line, self.kind)
        else:
            result = self._finished(self._sum(line, peak), line.numbers["count"], peak)
        line.store(result)

    def _extreme(self, line: Line, kind: str) -> Value:
        """Return the greatest or the least element; of bools, any or all."""
        if is_bool(self.compute):
            bound, combination = (0, "or") if kind == "max" else (-1, "and")
        else:
            bound = (lowest if kind == "max" else highest)(self.compute)
            combination = "max" if kind == "max" else "min"
        total = line.total(bound, self.compute)
        for at in line.along(total):
            x = at.load("x", bound)
            total.value = combined(combination, total.value, x)
        return total.result(combination)

    def _sum(self, line: Line, peak: Value | None) -> Value:
        """Return the sum of elements, of powers or magnitudes, or the product."""
        combination: Combination = "mul" if self.kind == "prod" else "add"
        neutral = 1 if self.kind == "prod" else 0
        absent = lowest(self.compute) if peak is not None else neutral
        total = line.total(neutral, self.accumulator)
        for at in line.along(total):
            x = at.load("x", absent)
            if self.kind in ("l2", "sum_square"):
                x = convert(x, self.accumulator)
                total.value = fma(x, x, total.value)
            else:
                term = convert(self._term(x, peak), self.accumulator)
                total.value = combined(combination, total.value, term)
        return total.result(combination)

    def _term(self, x: Value, peak: Value | None) -> Value:
        if self.kind == "l1":
            return absolute(x)
        if peak is None:
            return x
        if not is_float(self.compute):
            x, peak = convert(x, f64), convert(peak, f64)
        return exp(x - peak)

    def _finished(self, total: Value, count: Value, peak: Value | None) -> Value:
        """Return the result of `count` elements."""
        if self.kind == "mean":
            total = total / convert(count, self.accumulator)
        if not is_float(self.compute):
            return self._finished_integer(total, peak)
        total = convert(total, self.compute)
        match self.kind:
            case "l2":
                return sqrt(total)
            case "log_sum":
                return log(total)
            case "log_sum_exp":
                assert peak is not None
                return log(total) + peak
            case _:
                return total

    def _finished_integer(self, total: Value, peak: Value | None) -> Value:
        """Take roots and logarithms in f64, and truncate."""
        if self.kind not in _ROOTS_AND_LOGARITHMS:
            return total
        total = convert(total, f64)
        total = sqrt(total) if self.kind == "l2" else log(total)
        if peak is not None:
            total = total + convert(peak, f64)
        return truncated(total, self.compute)

    def _peak(self, greatest: Value) -> Value:
        """Return what exponents are relative to: the maximum, 0 if it is infinite."""
        if not is_float(self.compute):
            return greatest
        return select(absolute(greatest) < float("inf"), greatest, 0)


SOURCE, RESULT = 0, 1


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
    GlobalAvgPoolOp: "mean",
    GlobalMaxPoolOp: "max",
}


@lowers(*_KINDS)
def lower_reduce(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    source, result = addressing_of(x), addressing_of(y)
    element, kind = buffer_type(x).element_type, _KINDS[type(graph_op)]
    p, rank = graph_op.parameters(), len(source.shape)
    reduced_axes = normalize_axes(p.get("axes", range(2, rank)), rank)
    if not p.get("keepdims", True):
        result = with_axes(result, reduced_axes)
    axes = list(enumerate(axes_of(source.shape, [source, result])))
    kept = collapse([a for i, a in axes if i not in reduced_axes], (SOURCE, RESULT))
    reduced = collapse([a for i, a in axes if i in reduced_axes], (SOURCE, RESULT))
    count = prod(axis.extent for axis in reduced)
    if count == 0 and kind == "mean" and not is_float(element):
        program = _division_by_zero(element)
        run_program(main, op, program, [y], [result])
        return
    compute = compute_type(element)
    rule = Reduce(kind, compute)
    strips, across = Strips(0), None
    if rule.has_vector_form:
        strips = across = main.strips(x, unroll=4)
    lines = LinesOf(rule, reduced, kept, (count,), frozenset({"y"}))
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, {"x": x, "y": y}, row, work)


def _division_by_zero(element: Attribute) -> ScalarProgram:
    """Return the program that fails: the mean of no integers."""
    element = signless(element)
    one, zero = (
        ScalarProgram.constant(number_attribute(value, element), element)
        for value in (1, 0)
    )
    division = Instruction(arith.DivSIOp, (0, 1), (), element)
    steps = (*one.instructions, *zero.instructions, division)
    return ScalarProgram((), steps, (2,))


@dataclass(frozen=True)
class ArgReduce(Rule):
    """
    Index of the greatest (max) or least (min) element; of equal ones the first or last.

    NaN is never better than what came before, and nothing is better than NaN.
    """

    kind: str
    last: bool

    def line(self, line: Line) -> None:
        is_vector = line.across is None and line.strips.lanes
        line.store(self._located(line) if is_vector else self._searched(line))

    def _searched(self, line: Line) -> Value:
        """Return the index, looking at one element after the other."""
        first = line.first().load()
        best, place = line.carry(first), line.carry(line.lanes.constant(0, i32))
        predicate = "gt" if self.kind == "max" else "lt"
        if self.last:
            predicate = "ge" if self.kind == "max" else "le"
        for at in line.along(best, place, start=1):
            x = at.load()
            is_better = compare(predicate, x, best.value)
            best.value = select(is_better, x, best.value)
            place.value = select(is_better, convert(at.i, i32), place.value)
        return place.result("add")

    def _located(self, line: Line) -> Value:
        """Return the index: find the best element on vectors, then where it is."""
        best = self._best(line)
        nowhere = -1 if self.last else highest(i32)
        further = "max" if self.last else "min"
        places = line.total(nowhere, i32)
        for at in line.along(places):
            is_here = at.load() == best
            if at.strip.masks:
                is_here &= at.strip.mask
            place = select(is_here, at.numbers(i32), nowhere)
            places.value = combined(further, places.value, place)
        place = places.result(further)
        if is_float(line.compute):
            place = select(is_nan(line.first().load()), 0, place)
        return place

    def _best(self, line: Line) -> Value:
        """Return the greatest or least element, NaN aside."""
        compute = line.compute
        bound = (lowest if self.kind == "max" else highest)(compute)
        kind: Combination = "max" if self.kind == "max" else "min"
        if is_float(compute):
            kind = "larger" if self.kind == "max" else "smaller"
        best = line.total(bound, compute)
        for at in line.along(best):
            best.value = combined(kind, at.load("x", bound), best.value)
        return best.result(kind)


@lowers(ArgMaxOp, ArgMinOp)
def lower_arg_reduce(main: Main, op: ApplyOp) -> None:
    x, y, graph_op = op.buffer("input"), op.buffer("result"), op.graph_op()
    p, kind = graph_op.parameters(), "max" if isinstance(graph_op, ArgMaxOp) else "min"
    source, result = addressing_of(x), addressing_of(y)
    at = normalize_axis(p["axis"], len(source.shape))
    if not p["keepdims"]:
        result = with_axes(result, [at])
    axes = axes_of(source.shape, [source, result])
    axis = axes.pop(at)
    rule = ArgReduce(kind, p["select_last_index"])
    lines = LinesOf(rule, [axis], collapse(axes, (1, 0)), still=frozenset({"y"}))
    strips = main.strips(x, y, unroll=4)
    if axis.strides[0] == 1 and axis.extent >= strips.lanes:
        kernel, row, work = lines.plan(strips, None)
    else:
        kernel, row, work = lines.plan(Strips(0), replace(strips, unroll=2))
    main.call(kernel, {"x": x, "y": main.base(y, compute=i32)}, row, work)
