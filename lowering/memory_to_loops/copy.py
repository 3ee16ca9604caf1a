"""Lower copies: runs, squares or single elements, whatever both orders allow."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from glow.dialects.memory.address import find_addressing, is_blocked
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.elementwise import CopyOp
from glow.lowering.memory_to_loops.axes import Axis, collapse, nest_row
from glow.lowering.memory_to_loops.elementwise import plan
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.transpose import Interleave, Transpose
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.memory_to_loops.segments import padding_of, segments_of
from glow.support.targets import Target
from glow.support.types import dtype_of, number_attribute

Plan = tuple[Kernel, list[int]]

SOURCE, RESULT = 0, 1
_MOST_PLANES = 4


@lowers(CopyOp)
def lower_copy(main: Main, op: CopyOp) -> None:
    """Append a call per strided part; a result with padding is zero before."""
    element, shape = buffer_type(op.result).element_type, extents_of(op.result)
    if is_blocked(op.result):
        clear_padding(main, op.result)
    if 0 in shape:
        return
    for part in segments_of([op.source, op.result]):
        kernel, row = plan_copy(main.target, element, part.axes)
        bases = [
            main.base(buffer, start)
            for buffer, start in zip((op.source, op.result), part.starts, strict=True)
        ]
        main.call(kernel, bases, row)


def clear_padding(main: Main, buffer: SSAValue) -> None:
    """Append calls that write zero to what `buffer` stores but its elements."""
    type_ = buffer_type(buffer)
    element, found = type_.element_type, find_addressing(type_)
    first = 0 if found is None else -found.offset
    program = ScalarProgram.constant(number_attribute(0, element), element)
    for part in padding_of(buffer):
        kernel, row = plan(main.target, program, collapse(part.axes, (0,)))
        main.call(kernel, [main.base(buffer, first + part.starts[0])], row)


def plan_copy(target: Target, element: Attribute, axes: Sequence[Axis]) -> Plan:
    """Return the kernel that copies over `axes` of (source, result), and its row."""
    axes = collapse(axes, (RESULT, SOURCE))
    return (
        _interleave(target, element, axes)
        or _transpose(target, element, axes)
        or plan(target, ScalarProgram.identity(element), axes)
    )


def _find(axes: Sequence[Axis], operand: int) -> Axis | None:
    """Return the axis along which `operand` moves by 1."""
    return next((axis for axis in axes if axis.strides[operand] == 1), None)


def _interleave(target: Target, element: Attribute, axes: list[Axis]) -> Plan | None:
    """Plan a copy of few planes to or from elements that take turns."""
    source, result = _find(axes, SOURCE), _find(axes, RESULT)
    if source is None or result is None or dtype_of(element).itemsize < 4:
        return None
    for inverse, planes, line in ((False, result, source), (True, source, result)):
        joined = SOURCE if inverse else RESULT
        if line.strides[joined] == planes.extent <= _MOST_PLANES:
            rest = [axis for axis in axes if axis not in (planes, line)]
            lanes = target.f32_lanes
            kernel = Interleave(element, len(rest), planes.extent, lanes, inverse)
            distance = planes.strides[1 - joined]
            return kernel, [*nest_row(rest), line.extent, distance]
    return None


def _transpose(target: Target, element: Attribute, axes: list[Axis]) -> Plan | None:
    rows, columns = _find(axes, RESULT), _find(axes, SOURCE)
    size = dtype_of(element).itemsize
    lanes = target.vector_bytes // size
    if rows is None or columns is None or rows is columns or size < 4:
        return None
    if rows.extent < lanes or columns.extent < lanes:
        return None
    rest = [axis for axis in axes if axis not in (rows, columns)]
    square = [
        rows.extent,
        rows.strides[SOURCE],
        columns.extent,
        columns.strides[RESULT],
    ]
    return Transpose(element, len(rest), lanes), [*nest_row(rest), *square]
