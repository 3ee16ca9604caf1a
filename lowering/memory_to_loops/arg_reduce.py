"""Lower arg_max and arg_min: along the axis, across neighbors, or by scalars."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import i32

from glow.codegen.casts import convert, highest, lowest
from glow.codegen.functions import Combination, combined
from glow.codegen.strips import Strips
from glow.codegen.values import Value, compare, is_nan, select
from glow.dialects.graph.reduction import ArgMaxOp, ArgMinOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import is_float, normalize_axis


@dataclass(frozen=True)
class ArgReduce(Rule):
    """
    Index of the greatest (max) or least (min) element; of equal ones the first or last.

    NaN is never better than what came before, and nothing is better than NaN.
    """

    kind: str
    last: bool

    @property
    def name(self) -> str:
        return f"arg_{self.kind}"

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
