"""Lower reductions: axes merged, the fastest one kept or reduced on vectors."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.codegen.memory import Strips
from glow.dialects.graph import reduction
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.global_pooling import GlobalAvgPoolOp, GlobalMaxPoolOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_of, collapse, with_axes
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.reduce import Reduce
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import Instruction, ScalarProgram
from glow.support.types import (
    compute_type,
    is_float,
    normalize_axes,
    number_attribute,
    signless,
)

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
    if 0 in result.shape:
        return
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
    rule = Reduce(kind, element, compute)
    strips, across = Strips(0), None
    if rule.has_vector_form:
        strips = across = Strips.of(main.target, [element, compute], unroll=4)
    lines = LinesOf(rule, reduced, kept, (count,), frozenset({"y"}))
    if not (kept and kept[-1].strides == (1, 1)):
        across = None
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, [main.base(x), main.base(y)], row, work)


def _division_by_zero(element: Attribute) -> ScalarProgram:
    """Return the program that fails: the mean of no integers."""
    element = signless(element)
    constants = [
        Instruction(
            arith.ConstantOp,
            (),
            (("value", number_attribute(value, element)),),
            element,
        )
        for value in (1, 0)
    ]
    division = Instruction(arith.DivSIOp, (0, 1), (), element)
    return ScalarProgram((), (*constants, division), (2,))
