"""Lower reductions: axes merged, the fastest one kept or reduced on vectors."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.codegen.memory import Strips
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import ReduceOp
from glow.lowering.memory_to_loops.axes import axes_of, collapse
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.lines import LinesOf
from glow.lowering.memory_to_loops.kernels.reduce import Reduce
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import Instruction, ScalarProgram
from glow.support.types import compute_type, is_float, number_attribute, signless

SOURCE, RESULT = 0, 1


@lowers(ReduceOp)
def lower_reduce(main: Main, op: ReduceOp) -> None:
    source, result = addressing_of(op.input), addressing_of(op.result)
    if 0 in result.shape:
        return
    element = buffer_type(op.input).element_type
    reduced_axes = op.axes.get_values()
    axes = list(enumerate(axes_of(source.shape, [source, result])))
    kept = collapse([a for i, a in axes if i not in reduced_axes], (SOURCE, RESULT))
    reduced = collapse([a for i, a in axes if i in reduced_axes], (SOURCE, RESULT))
    count = prod(axis.extent for axis in reduced)
    if count == 0 and op.kind.data == "mean" and not is_float(element):
        program = _division_by_zero(element)
        run_program(main, op, program, [op.result], [result])
        return
    compute = compute_type(element)
    rule = Reduce(op.kind.data, element, compute)
    strips, across = Strips(0), None
    if rule.has_vector_form:
        strips = across = Strips.of(main.target, [element, compute], unroll=4)
    lines = LinesOf(rule, reduced, kept, (count,), frozenset({"y"}))
    if not (kept and kept[-1].strides == (1, 1)):
        across = None
    kernel, row, work = lines.plan(strips, across)
    main.call(kernel, [main.base(op.input), main.base(op.result)], row, work)


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
