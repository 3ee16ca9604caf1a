"""What follows a product: the program of its region, and how its operands vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Region, SSAValue

from glow.dialects.memory.address import addressing_of, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.dialects.memory.compute import ConvOp, MatMulOp
from glow.lowering.memory_to_loops._rows import Offsets, offsets_of
from glow.lowering.memory_to_loops.axes import strides_in
from glow.lowering.memory_to_loops.elementwise import run_program
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram


@dataclass(frozen=True)
class Matrix:
    """
    A buffer seen as rows, each of neighbouring columns.

    `shape` and `strides` are those of the axes that make up the rows.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    columns: int
    column_stride: int

    @staticmethod
    def of(shape: Sequence[int], strides: Sequence[int], axis: int) -> Matrix:
        """See `axis` as columns, and all others, in order, as rows."""
        axis %= len(shape)
        others = [i for i in range(len(shape)) if i != axis]
        return Matrix(
            tuple(shape[i] for i in others),
            tuple(strides[i] for i in others),
            shape[axis],
            1 if shape[axis] == 1 else strides[axis],
        )

    def offsets(self, axes: Sequence[int] | None = None) -> Offsets:
        """Return where each row begins; of rows along `axes` alone if given."""
        kept = range(len(self.shape)) if axes is None else axes
        return offsets_of(
            [self.shape[i] for i in kept], [self.strides[i] for i in kept]
        )


@dataclass(frozen=True)
class Epilogue:
    """The program after a product; per extra, its kind and how it is addressed."""

    program: ScalarProgram
    extras: tuple[SSAValue, ...] = ()
    kinds: tuple[Extra, ...] = ()
    matrices: tuple[Matrix, ...] = ()


IDENTITY = Epilogue(ScalarProgram.identity(f32))


def program_of(region: Region, element: Attribute = f32) -> ScalarProgram:
    """Return what follows a product of `element`."""
    return (
        ScalarProgram.of(region) if region.blocks else ScalarProgram.identity(element)
    )


def epilogue_of(
    region: Region, extras: Sequence[SSAValue], shape: Sequence[int], axis: int
) -> Epilogue | None:
    """
    Return what follows a product of `shape` with its columns along `axis`.

    None if it is not worth doing in registers: there is an extra whose columns are no
    neighbours, a function without vectors, or elements that are no f32.
    """
    program = program_of(region)
    if any(e != f32 for e in program.elements) or not program.has_vector_form:
        return None
    kinds: list[Extra] = []
    matrices: list[Matrix] = []
    for extra in extras:
        found = find_addressing(buffer_type(extra))
        if found is None:
            return None
        matrix = Matrix.of(shape, strides_in(found, shape), axis)
        kind = _kind(matrix)
        if kind is None:
            return None
        kinds.append(kind)
        matrices.append(matrix)
    return Epilogue(program, tuple(extras), tuple(kinds), tuple(matrices))


def finish_apart(main: Main, op: ConvOp | MatMulOp) -> None:
    """Append the epilogue of `op` as a pass of its own over the product."""
    program = program_of(op.epilogue)
    if not program.instructions:
        return
    buffers = [op.result, *op.extras, op.result]
    run_program(main, op, program, buffers, [addressing_of(b) for b in buffers])


def _kind(matrix: Matrix) -> Extra | None:
    varies = any(
        stride and extent > 1
        for extent, stride in zip(matrix.shape, matrix.strides, strict=True)
    )
    match matrix.column_stride:
        case 1:
            return Extra.FULL if varies else Extra.COLUMNS
        case 0:
            return Extra.ROWS
        case _:
            return None
