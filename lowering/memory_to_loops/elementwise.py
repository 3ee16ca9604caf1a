"""Lower elementwise ops and fills: one kernel, its axes collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.loops import Level
from glow.codegen.strips import Strips
from glow.dialects.memory.address import Addressing, addressing_of, is_blocked
from glow.dialects.memory.base import MemoryOp, buffer_type, extents_of
from glow.dialects.memory.elementwise import ElementwiseOp, FillOp
from glow.lowering.memory_to_loops.axes import LoopAxes, axes_of, collapse
from glow.lowering.memory_to_loops.kernels.kernel import (
    Fault,
)
from glow.lowering.memory_to_loops.kernels.line_kernels import LinesOf
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.memory_to_loops.segments import segments_of
from glow.support.types import compute_type


@dataclass(frozen=True)
class Elementwise(Rule):
    """Run `program` on an element of each input; `code` is that of its faults."""

    INDEPENDENT: ClassVar = True
    NUMBERS: ClassVar = ("code",)

    program: ScalarProgram

    @property
    def name(self) -> str:
        if not self.program.inputs:
            return "fill"
        return "elementwise" if self.program.instructions else "copy"

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(f"x{i}" for i in range(len(self.program.inputs)))

    @property
    def results(self) -> tuple[str, ...]:
        return tuple(f"y{i}" for i in range(len(self.program.outputs)))

    @property
    def moving(self) -> tuple[str, ...]:
        return (*self.inputs, *self.results)

    def line(self, line: Line) -> None:
        report = None
        if self.program.divides_integers:
            report = Fault(line.call["fault"], line.numbers["code"]).report
        for at in line.along(hoist=self.inputs):
            inputs = [at.load(name) for name in self.inputs]
            values = self.program.run(inputs, report, at.strip)
            for name, value in zip(self.results, values, strict=True):
                at.store(value, name)


@lowers(ElementwiseOp)
def lower_elementwise(main: Main, op: ElementwiseOp) -> None:
    """
    Append a call, or where operands are in blocks, one per strided part of them.

    Errors: operands in blocks, and of several shapes.
    """
    program, operands = ScalarProgram.of(op.body), [*op.inputs, *op.results_]
    if not any(map(is_blocked, operands)):
        addressing = list(map(addressing_of, operands))
        run_program(main, op, program, operands, addressing)
        return
    shapes = {extents_of(value) for value in operands}
    if len(shapes) > 1:
        raise PassFailedException(
            f"expected operands of one shape where one is blocked, got {len(shapes)}"
        )
    if any(0 in shape for shape in shapes):
        return
    with main.shared.beside():
        for part in segments_of(operands):
            axes = collapse(part.axes, _loop_order(program))
            places = list(zip(operands, part.starts, strict=True))
            call_program(main, program, places, axes, op)


def _loop_order(program: ScalarProgram) -> list[int]:
    """Return the operands by whose strides loops are ordered: results come first."""
    count = len(program.inputs)
    return [*range(count, len(program.elements)), *range(count)]


@lowers(FillOp)
def lower_fill(main: Main, op: FillOp) -> None:
    program = ScalarProgram.constant(op.value, buffer_type(op.result).element_type)
    run_program(main, op, program, [op.result], [addressing_of(op.result)])


def run_program(
    main: Main,
    op: MemoryOp,
    program: ScalarProgram,
    buffers: Sequence[SSAValue],
    addressing: Sequence[Addressing],
) -> None:
    """Append a call that runs `program` on buffers, inputs first, as addressed."""
    shape = addressing[-1].shape
    if 0 in shape:
        return
    axes = collapse(axes_of(shape, addressing), _loop_order(program))
    call_program(main, program, [(buffer, 0) for buffer in buffers], axes, op)


def call_program(
    main: Main,
    program: ScalarProgram,
    places: Sequence[tuple[SSAValue, int]],
    axes: LoopAxes,
    op: MemoryOp | None = None,
    *,
    around: bool = False,
) -> None:
    """
    Append a call that runs `program` over `axes` of buffers, each from a start on.

    `op` is named where integers are divided by zero. `around`: the axes cover what
    buffers store around their elements.
    """
    rule, code = Elementwise(program), 0
    passed = main.base if _converts(main, program) else main.stored
    named = zip(rule.moving, places, program.elements, strict=True)
    arguments = {
        name: passed(*place, element)._replace(is_around=around)
        for name, place, element in named
    }
    if program.divides_integers:
        assert op is not None
        arguments["fault"] = main.fault
        code = main.message(op, "integer division by zero")
    *outer, inner = axes or [Level(1, (1,) * len(program.elements))]
    lines = LinesOf(rule, [inner], outer, (code,), frozenset(rule.inputs))
    strips = Strips(0)
    if program.has_vector_form:
        types = program.types if program.instructions else program.elements
        wide = map(compute_type, types) if _converts(main, program) else ()
        strips = Strips.of(main.target, [*types, *wide], unroll_of(program))
    kernel, row, work = lines.plan(strips, None)
    main.call(kernel, arguments, row, work)


def _converts(main: Main, program: ScalarProgram) -> bool:
    """Return whether narrow elements are computed on in a wider type."""
    # Conversions take longer than a sum or product of f16, but not than a division.
    is_direct = main.target.adds_f16 and program.is_one_step_in_f16
    return bool(program.instructions) and not is_direct


def unroll_of(program: ScalarProgram) -> int:
    """
    Return how many vectors one step handles: several where the loop costs most.

    The processor overlaps the steps of long programs by itself.
    """
    length = sum(step.op is not arith.ConstantOp for step in program.instructions)
    return 4 if length <= 2 else 2 if length <= 8 else 1
