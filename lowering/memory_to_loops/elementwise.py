"""Lower elementwise ops and fills: one kernel, its axes collapsed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.elementwise import ElementwiseOp, FillOp
from glow.lowering.memory_to_loops.axes import Axis, axes_of, collapse, nest_row
from glow.lowering.memory_to_loops.kernels.elementwise import Elementwise
from glow.lowering.memory_to_loops.kernels.strips import Strips
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.targets import Target


@lowers(ElementwiseOp)
def lower_elementwise(main: Main, op: ElementwiseOp) -> None:
    program = ScalarProgram.of(op.body)
    operands = [*op.inputs, *op.results_]
    run_program(
        main, op, program, operands, [addressing_of(value) for value in operands]
    )


@lowers(FillOp)
def lower_fill(main: Main, op: FillOp) -> None:
    element = buffer_type(op.result).element_type
    program = ScalarProgram.constant(op.value, element)
    run_program(main, op, program, [op.result], [addressing_of(op.result)])


def run_program(
    main: Main,
    op: Operation,
    program: ScalarProgram,
    buffers: Sequence[SSAValue],
    addressing: Sequence[Addressing],
) -> None:
    """Append a call that runs `program` on buffers, inputs first, as addressed."""
    shape = addressing[-1].shape
    if 0 in shape:
        return
    count = len(program.inputs)
    results = range(count, len(buffers))
    axes = collapse(axes_of(shape, addressing), [*results, *range(count)])
    arguments = [main.base(buffer) for buffer in buffers]
    if program.divides_integers:
        arguments.append(main.fault)
    kernel, row = plan(main.target, program, axes)
    if program.divides_integers:
        row.append(main.message(op, "integer division by zero"))
    main.call(kernel, arguments, row)


def plan(
    target: Target, program: ScalarProgram, axes: Sequence[Axis]
) -> tuple[Elementwise, list[int]]:
    """Return the kernel that runs `program` over `axes`, and its row."""
    count = len(program.inputs)
    *outer, inner = axes or [Axis(1, (1,) * len(program.elements))]
    inputs, results = inner.strides[:count], inner.strides[count:]
    row = [*nest_row(outer), inner.extent]
    runs = all(s in (0, 1) for s in inputs) and all(s == 1 for s in results)
    if runs and program.has_vector_form:
        strips = Strips.of(target, program.elements, unroll_of(program))
        moves = tuple(stride == 1 for stride in inputs)
        return Elementwise(program, len(outer), moves, strips), row
    kernel = Elementwise(program, len(outer), (True,) * count, Strips(0))
    return kernel, [*row, *inner.strides]


def unroll_of(program: ScalarProgram) -> int:
    """
    Return how many vectors one step handles: several where the loop costs most.

    The processor overlaps the steps of long programs without it.
    """
    length = sum(step.op is not arith.ConstantOp for step in program.instructions)
    return 4 if length <= 2 else 2 if length <= 8 else 1
