"""Lower copies: runs, squares or single elements, whatever both orders allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute, SSAValue

from glow.codegen.loops import Level
from glow.dialects.layout.attribute import layout_of
from glow.dialects.memory.address import find_addressing, is_blocked
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.elementwise import CopyOp, ZeroHaloOp
from glow.lowering.memory_to_loops.axes import LoopAxes, collapse
from glow.lowering.memory_to_loops.elementwise import call_program
from glow.lowering.memory_to_loops.kernels.copies import (
    UNROLL,
    BlockTranspose,
    Interleave,
    InterleaveRow,
    PlaneRow,
    Runs,
    RunsRow,
    Transpose,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel, Work
from glow.lowering.memory_to_loops.kernels.unit_rows import UnitRows, rows_along
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.rows import Offsets, largest_divisor, offsets_of
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.memory_to_loops.segments import padding_of, segments_of
from glow.lowering.tiles import lines_together
from glow.support.targets import LINE_BYTES, SEGMENT_BYTES, Target
from glow.support.types import dtype_of, is_bool, number_attribute, signless

Row = RunsRow[int] | InterleaveRow[int] | PlaneRow[int]


@dataclass(frozen=True, eq=False)
class CopyPlan:
    """A kernel, its row, how many units of work there are, and a table it reads."""

    kernel: Kernel
    row: Row
    units: int
    places: Offsets | None = None
    together: int = 1
    """The iterations of the outermost loop that are a unit, if there is such a loop."""


SOURCE, RESULT = 0, 1
_MOST_PLANES = 4
_MOST_LANES = 16
"""The most elements of a vector that is shuffled: more take too many registers."""
_MOST_VECTORS = 4
"""The most vectors of a line that is copied without a loop."""
_LINES = {1: 4, 2: 2, 3: 1, 4: 1}
"""How many lines are copied together, by the number of their vectors."""
# Squares go in blocks, whose lines of the result stay in the first-level cache until
# they are full.
_BLOCK, _LONG_BLOCK = 64, 256
_LISTED = 1024
"""The most columns whose places are in a table."""
_STAGE_ROWS, _STAGE_COLUMNS = 128, (48, 32)
"""A block on the stack; of its widths, the first that copies few columns twice."""


def copy_whole(main: Main, op: CopyOp) -> None:
    """Append a call per strided part; a result with padding is zero before."""
    with main.shared.beside():
        if is_blocked(op.result):
            clear_padding(main, op.result)
        if 0 in extents_of(op.result):
            return
        for part in segments_of([op.source, op.result]):
            source, result = zip((op.source, op.result), part.starts, strict=True)
            call_copy(main, source, result, part.axes)


@lowers(ZeroHaloOp)
def lower_zero_halo(main: Main, op: ZeroHaloOp) -> None:
    if layout_of(buffer_type(op.result)) is not None:
        clear_padding(main, op.result)


def clear_padding(main: Main, buffer: SSAValue) -> None:
    """Append calls that zero what `buffer` stores besides its elements."""
    type_ = buffer_type(buffer)
    element, addressing = type_.element_type, find_addressing(type_)
    first = 0 if addressing is None else -addressing.offset
    program = ScalarProgram.constant(number_attribute(0, element), element)
    with main.shared.beside():
        for part in padding_of(buffer):
            axes, start = collapse(part.axes, (0,)), first + part.starts[0]
            call_program(main, program, [(buffer, start)], axes, around=True)


def call_copy(
    main: Main,
    source: tuple[SSAValue, int],
    result: tuple[SSAValue, int],
    axes: LoopAxes,
    order: tuple[int, int] = (RESULT, SOURCE),
) -> None:
    """
    Append the call that copies over `axes`, from starts on; bools go as bytes.

    Elements go in the order in which the first operand of `order` has them.
    """
    target, element = main.target, buffer_type(result[0]).element_type
    axes = collapse(axes, order)
    seen_as = i8 if is_bool(element) else signless(element)
    planned = (
        _runs(target, seen_as, axes)
        or _interleave(target, seen_as, axes)
        or _transpose(target, seen_as, axes)
    )
    if planned is None:
        program = ScalarProgram.identity(element)
        call_program(main, program, [source, result], axes)
        return
    x, y = (main.stored(*place, seen_as) for place in (source, result))
    given = {"x": x, "y": y}
    if planned.places is not None:
        given["places"] = main.offsets(planned.places)
    elements, units = prod(axis.extent for axis in axes), planned.units
    work = Work(units, -(-elements // units), _unit_rows(planned, axes))
    main.call(planned.kernel, given, planned.row, work)


def _unit_rows(planned: CopyPlan, axes: LoopAxes) -> dict[str, UnitRows]:
    """Return the rows that units of work touch, none if the last overlaps others."""
    outer, each = planned.row.outer[:1], planned.together
    if not outer or outer[0] not in axes or planned.units * each != outer[0].extent:
        return {}
    inner = [axis for axis in axes if axis != outer[0]]
    return rows_along([*outer, *inner], ("x", "y"), each)


def _find(axes: LoopAxes, operand: int) -> Level[int] | None:
    """Return the axis along which `operand` moves by 1."""
    return next((axis for axis in axes if axis.strides[operand] == 1), None)


def _units(outer: LoopAxes, inside: int) -> int:
    """Return the units of work: iterations of the outermost loop, else those inside."""
    return outer[0].extent if outer else inside


def _lanes(target: Target, element: Attribute, extent: int) -> int:
    """Return the number of elements of the longest vector that fits into `extent`."""
    most = target.vector_bytes // dtype_of(element).itemsize
    return min(most, 1 << (extent.bit_length() - 1))


def _runs(target: Target, element: Attribute, axes: LoopAxes) -> CopyPlan | None:
    """Plan a copy of neighbors to neighbors."""
    if not axes or axes[-1].strides != (1, 1):
        return None
    *outer, inner = axes
    lanes = _lanes(target, element, inner.extent)
    vectors = -(-inner.extent // lanes)
    if vectors > _MOST_VECTORS:
        vectors = 0
    several = vectors and outer and outer[-1].extent >= _LINES[vectors]
    lines = _LINES[vectors] if several else 1
    units = _units(outer, 1 if vectors else -(-inner.extent // (lanes * UNROLL)))
    together = lines if len(outer) == 1 else 1
    units = -(-units // together)
    row = RunsRow(tuple(outer), inner.extent)
    kernel = Runs(lanes, vectors, lines)
    return CopyPlan(kernel, row, units, together=together)


def _interleave(target: Target, element: Attribute, axes: LoopAxes) -> CopyPlan | None:
    """Plan a copy of few planes to or from elements that take turns."""
    source, result = _find(axes, SOURCE), _find(axes, RESULT)
    if source is None or result is None:
        return None
    for inverse, planes, line in ((False, result, source), (True, source, result)):
        joined = SOURCE if inverse else RESULT
        if line.strides[joined] == planes.extent <= _MOST_PLANES:
            rest = [axis for axis in axes if axis not in (planes, line)]
            lanes = min(_lanes(target, element, line.extent), _MOST_LANES)
            kernel = Interleave(planes.extent, lanes, inverse)
            distance = planes.strides[1 - joined]
            row = InterleaveRow(tuple(rest), line.extent, distance)
            return CopyPlan(kernel, row, _units(rest, -(-line.extent // lanes)))
    return None


def _transpose(target: Target, element: Attribute, axes: LoopAxes) -> CopyPlan | None:
    """Plan a copy along two axes, each of them the fastest on one side."""
    rows, columns = _find(axes, RESULT), _find(axes, SOURCE)
    if rows is None or columns is None:
        return None
    size = dtype_of(element).itemsize
    together = lines_together(target, columns.strides[RESULT] * size)
    lanes = _side(target, element, rows.extent, columns.extent, together)
    rest = [axis for axis in axes if axis not in (rows, columns)]
    listed = _listed(target, element, rows, columns, rest)
    if listed is not None:
        return listed
    if lanes < 2:
        return None
    row = PlaneRow(tuple(rest), rows, columns)
    staged = _staged(target, element, rows, columns)
    if staged is not None:
        units = _units(rest, -(-columns.extent // staged[-1]))
        return CopyPlan(BlockTranspose(*staged), row, units)
    # Where few lines fit, few columns go along all their rows.
    few = together < _BLOCK
    block = (_LONG_BLOCK, max(together, lanes)) if few else (_BLOCK, _BLOCK)
    beside = _beside(target, size, lanes, min(columns.extent, block[1]))
    kernel = Transpose(lanes, *block, beside)
    return CopyPlan(kernel, row, _units(rest, -(-rows.extent // block[0])))


def _listed(
    target: Target,
    element: Attribute,
    rows: Level[int],
    columns: Level[int],
    rest: Sequence[Level[int]],
) -> CopyPlan | None:
    """
    Plan a copy of squares by a table of where their columns lie in the result.

    The columns are neighbors in the source along several axes, such as the window and
    the channels of a filter. None where squares along the first axis are as wide.
    """
    lanes, most = _side(target, element, rows.extent, _LISTED, _LISTED), _LISTED
    if columns.extent >= most or columns.extent % lanes == 0 or lanes < 2:
        return None
    run, outer = [columns], list(rest)
    while (width := prod(axis.extent for axis in run)) < most:
        after = next((n for n in outer if n.strides[SOURCE] == width), None)
        taken = 1 if after is None else largest_divisor(after.extent, most // width)
        if after is None or taken == 1:
            break
        outer.remove(after)
        if taken < after.extent:
            steps = tuple(taken * stride for stride in after.strides)
            outer.append(Level(after.extent // taken, steps))
        run.append(Level(taken, after.strides))
    if width < 2 * max(columns.extent, lanes):
        return None
    run.reverse()
    extents, strides = zip(*((n.extent, n.strides[RESULT]) for n in run), strict=True)
    lanes = _side(target, element, rows.extent, width, width)
    plane = PlaneRow(tuple(outer), rows, Level(width, (1, 0)))
    units = _units(outer, -(-rows.extent // _BLOCK))
    places = offsets_of(extents, strides)
    return CopyPlan(Transpose(lanes, _BLOCK, _BLOCK), plane, units, places)


def _staged(
    target: Target, element: Attribute, rows: Level[int], columns: Level[int]
) -> tuple[int, int, int] | None:
    """
    Return the side of squares and the extents of blocks that go by way of the stack.

    None unless fewer lines of the result fit into the cache than a cache line has
    elements, and no more lines of the source than a block has rows.
    """
    size, extent = dtype_of(element).itemsize, columns.extent
    strides = columns.strides[RESULT], rows.strides[SOURCE]
    result, source = (lines_together(target, stride * size) for stride in strides)
    if size < 4 or result * size >= LINE_BYTES or source > _STAGE_ROWS:
        return None
    widths = [
        n
        for n in _STAGE_COLUMNS
        if n <= extent and 8 * -(-extent // n) * n <= 9 * extent
    ]
    if rows.extent < _STAGE_ROWS or not widths:
        return None
    return min(target.vector_bytes // size, _MOST_LANES), _STAGE_ROWS, widths[0]


def _beside(target: Target, size: int, lanes: int, columns: int) -> int:
    """
    Return how many squares of bytes are transposed at once, each row in one register.

    Shuffles stay within segments of a register: a square must be as wide as one.
    """
    if lanes < _MOST_LANES or size * lanes != SEGMENT_BYTES:
        return 1
    most = min(target.vector_bytes, columns) // lanes

    def instructions(beside: int) -> int:
        vectors = -(-columns // (lanes * beside))
        return vectors * lanes * (lanes.bit_length() + beside)

    return min((1 << i for i in range(most.bit_length())), key=instructions)


def _side(
    target: Target, element: Attribute, rows: int, columns: int, most: int
) -> int:
    """
    Return the side of the squares that cover a plane in the fewest instructions.

    It is no longer than `most`.
    """
    widest = min(_lanes(target, element, min(rows, columns)), _MOST_LANES, most)

    def instructions(lanes: int) -> int:
        squares = -(-rows // lanes) * -(-columns // lanes)
        return squares * lanes * (2 + lanes.bit_length() - 1)

    sides = [1 << i for i in range(widest.bit_length())]
    return min(reversed(sides), key=instructions)
