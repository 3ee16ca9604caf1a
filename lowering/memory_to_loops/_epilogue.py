"""Epilogues of products: the program of a region, and how its operands vary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.buffers import holder_of
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.products import ConvOp, MatMulOp
from glow.lowering.memory_to_loops.axes import strides_in
from glow.lowering.memory_to_loops.kernels.finish import Epilogue
from glow.lowering.memory_to_loops.kernels.gemm_row import Extra, ExtraRow
from glow.lowering.memory_to_loops.kernels.kernel import Argument
from glow.lowering.memory_to_loops.main import Main
from glow.lowering.memory_to_loops.rows import Offsets, OffsetTable, offsets_of
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import signless


@dataclass(frozen=True)
class Matrix:
    """
    A buffer seen as rows, each of neighboring columns.

    `shape` and `strides` are those of the axes that make up the rows.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    columns: int
    column_stride: int
    start: int = 0
    """Where element 0 lies."""

    @staticmethod
    def of(
        shape: Sequence[int], strides: Sequence[int], axis: int, start: int = 0
    ) -> Matrix:
        """See `axis` as columns, and all others, in order, as rows."""
        axis %= len(shape)
        others = [i for i in range(len(shape)) if i != axis]
        return Matrix(
            tuple(shape[i] for i in others),
            tuple(strides[i] for i in others),
            shape[axis],
            1 if shape[axis] == 1 else strides[axis],
            start,
        )

    def offsets(self, axes: Sequence[int] | None = None) -> Offsets:
        """Return where each row begins; of rows along `axes` alone if given."""
        return self.start + self.moves(range(len(self.shape)) if axes is None else axes)

    def moves(self, axes: Sequence[int]) -> Offsets:
        """Return how far rows along `axes` lie from the first one."""
        return offsets_of(
            [self.shape[i] for i in axes], [self.strides[i] for i in axes]
        )


@dataclass(frozen=True)
class EpiloguePlan:
    """The epilogue of a product, and how the extras that it reads are addressed."""

    form: Epilogue
    matrices: tuple[Matrix, ...] = ()
    in_place: bool = False
    """Whether an extra may lie where the result goes."""

    def places(
        self,
        table: OffsetTable,
        choice: Sequence[int] | Offsets,
        rows: Sequence[Offsets],
    ) -> tuple[ExtraRow[int], ...]:
        """Return the part of a kernel's row on extras, for the rows that tiles have."""
        return tuple(
            ExtraRow(table.add(begins[choice]), matrix.column_stride)
            for begins, matrix in zip(rows, self.matrices, strict=True)
        )


IDENTITY = EpiloguePlan(Epilogue(ScalarProgram.identity(f32), f32))


def program_of(region: Region, element: Attribute = f32) -> ScalarProgram:
    """Return the program of what follows a product of `element`."""
    return (
        ScalarProgram.of(region) if region.blocks else ScalarProgram.identity(element)
    )


def form_of(op: ConvOp | MatMulOp, element: Attribute) -> Epilogue:
    """Return the epilogue of a product of `element`, without kinds of extras."""
    return Epilogue(
        program_of(op.epilogue, element), buffer_type(op.result).element_type
    )


def plain(main: Main, buffer: SSAValue, start: int = 0) -> Argument:
    """Return `buffer` with elements without a sign, as programs have them."""
    return main.base(buffer, start, signless(buffer_type(buffer).element_type))


def epilogue_arguments(
    main: Main, op: ConvOp | MatMulOp, starts: Sequence[int] = ()
) -> dict[str, Argument]:
    """Return what is read after a product: the bias, and extras from `starts` on."""
    bias = {} if op.bias is None else {"bias": plain(main, op.bias)}
    return bias | extra_arguments(main, op.extras, starts)


def extra_arguments(
    main: Main, extras: Sequence[SSAValue], starts: Sequence[int] = ()
) -> dict[str, Argument]:
    """Return the extras, from `starts` on, as a kernel is passed them."""
    places = zip(extras, starts or (0,) * len(extras), strict=True)
    return {f"extra{n}": plain(main, *place) for n, place in enumerate(places)}


def epilogue_of(
    op: ConvOp | MatMulOp,
    axis: int,
    seen: Callable[[SSAValue], Addressing] | None = None,
    batch: Sequence[int] = (),
) -> EpiloguePlan:
    """
    Return the epilogue of a product whose columns lie along `axis`.

    `seen` says how extras are addressed; by default they broadcast to the result.
    `batch` are the axes of a `Matrix`'s rows that tell batches apart.
    Errors: a division of integers, which reports faults.
    """
    form = form_of(op, f32)
    if form.program.divides_integers:
        raise PassFailedException(f"cannot divide integers after {op.name} of f32")
    addressed = [(seen or _broadcast(op))(extra) for extra in op.extras]
    matrices = [Matrix.of(a.shape, a.strides, axis, a.offset) for a in addressed]
    kinds = tuple(_kind(matrix, batch) for matrix in matrices)
    return EpiloguePlan(replace(form, extras=kinds), tuple(matrices), is_in_place(op))


def is_in_place(op: ConvOp | MatMulOp) -> bool:
    """Say whether an extra may lie where the result goes."""
    holder = holder_of(op.result) if op.extras else None
    return any(holder_of(extra) == holder for extra in op.extras)


def _broadcast(op: ConvOp | MatMulOp) -> Callable[[SSAValue], Addressing]:
    """Return a function that broadcasts an extra to the result, from its base on."""
    shape = extents_of(op.result)
    return lambda extra: Addressing(shape, strides_in(addressing_of(extra), shape))


def _kind(matrix: Matrix, batch: Sequence[int]) -> Extra:
    varies = any(
        matrix.strides[i] and matrix.shape[i] > 1
        for i in range(len(matrix.shape))
        if i not in batch
    )
    match matrix.column_stride:
        case 1:
            return Extra.FULL if varies else Extra.COLUMNS
        case 0:
            return Extra.ROWS
        case _:
            return Extra.STRIDED
