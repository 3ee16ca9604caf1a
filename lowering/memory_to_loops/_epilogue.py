"""What follows a product: the program of its region, and how its operands vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Region, SSAValue

from glow.dialects.memory.address import Addressing, find_addressing
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra
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
    def of(a: Addressing, axis: int) -> Matrix:
        """See `axis` as columns and all others, in order, as rows."""
        axis %= len(a.shape)
        others = [i for i in range(len(a.shape)) if i != axis]
        stride = 1 if a.shape[axis] == 1 else a.strides[axis]
        return Matrix(
            tuple(a.shape[i] for i in others),
            tuple(a.strides[i] for i in others),
            a.shape[axis],
            stride,
        )


@dataclass(frozen=True)
class Epilogue:
    """The program after a product; per extra, its kind and how it is addressed."""

    program: ScalarProgram
    kinds: tuple[Extra, ...]
    extras: tuple[Matrix, ...]


def epilogue_of(
    region: Region, extras: Sequence[SSAValue], shape: Sequence[int], axis: int
) -> Epilogue | None:
    """
    Return what follows a product of `shape` with its columns along `axis`.

    None if vectors cannot compute it: an extra whose columns are no neighbours, or
    elements that are no f32.
    """
    program = ScalarProgram.of(region) if region.blocks else ScalarProgram.identity(f32)
    if not program.is_float32:
        return None
    kinds: list[Extra] = []
    matrices: list[Matrix] = []
    for extra in extras:
        found = find_addressing(buffer_type(extra))
        if found is None:
            return None
        matrix = Matrix.of(broadcast_to(found, shape), axis)
        kind = _kind(matrix)
        if kind is None:
            return None
        kinds.append(kind)
        matrices.append(matrix)
    return Epilogue(program, tuple(kinds), tuple(matrices))


def broadcast_to(a: Addressing, shape: Sequence[int]) -> Addressing:
    """Return `a` seen as a buffer of `shape`, by NumPy's rule."""
    missing = len(shape) - len(a.shape)
    strides = tuple(
        0 if extent == 1 else stride
        for extent, stride in zip(a.shape, a.strides, strict=True)
    )
    return Addressing(tuple(shape), (*(0,) * missing, *strides), a.offset)


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
