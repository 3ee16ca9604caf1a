"""Lower reductions: axes merged, the fastest one kept or reduced on vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.window import ReduceOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.reduce import ReduceColumns, ReduceRows
from glow.lowering.memory_to_loops.kernels.reductions import Reduction
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import Instruction, ScalarProgram
from glow.support.targets import Target
from glow.support.types import is_float, number_attribute, signless

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
    reduction = Reduction(op.kind.data, element)
    kernel, row = plan_reduce(main.target, reduction, kept, reduced)
    main.call(kernel, [main.base(op.input), main.base(op.result)], [*row, count])


def plan_reduce(
    target: Target,
    reduction: Reduction,
    kept: Sequence[Axis],
    reduced: Sequence[Axis],
) -> tuple[Kernel, list[int]]:
    """Return the kernel that reduces over axes of (source, result), and its row."""
    strips = Strips.of(target, [reduction.element], unroll=4)
    is_vector = reduction.has_vector_form
    if not (is_vector and _is_fastest(kept, (1, 1))):
        rows = strips if is_vector and _is_fastest(reduced, (1, 0)) else Strips(0)
        if reduced:
            return _rows(reduction, kept, reduced, rows)
        strips = Strips(0)
        kept = kept or [Axis(1, (0, 0))]
    row = [*nest_row(kept), *_loops(reduced)]
    return ReduceColumns(reduction, len(kept) - 1, len(reduced), strips), row


def _rows(
    reduction: Reduction,
    kept: Sequence[Axis],
    reduced: Sequence[Axis],
    strips: Strips,
) -> tuple[Kernel, list[int]]:
    row = [*nest_row(kept), *_loops(reduced)]
    return ReduceRows(reduction, len(kept), len(reduced) - 1, strips), row


def _is_fastest(axes: Sequence[Axis], strides: tuple[int, int]) -> bool:
    """Return whether the last axis has these strides."""
    return bool(axes) and axes[-1].strides == strides


def _loops(reduced: Sequence[Axis]) -> list[int]:
    return [number for a in reduced for number in (a.extent, a.strides[SOURCE])]


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
