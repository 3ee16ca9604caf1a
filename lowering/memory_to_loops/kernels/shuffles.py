"""The shuffles of `codegen.shuffles` for kernels that are written with a `Body`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from glow.codegen import shuffles
from glow.codegen.values import Value
from glow.codegen.writer import Writer, writing_to
from glow.lowering.memory_to_loops.builder import Body


def _written(
    b: Body, rule: Callable[[Sequence[Value]], list[Value]], rows: Sequence[SSAValue]
) -> list[SSAValue]:
    with writing_to(Writer(b.block, b.entry)):
        return [value.ssa for value in rule([Value.of(row) for row in rows])]


def shuffled(b: Body, x: SSAValue, y: SSAValue, lanes: Sequence[int]) -> SSAValue:
    """Return some lanes of x followed by y."""
    with writing_to(Writer(b.block, b.entry)):
        return shuffles.shuffled(Value.of(x), Value.of(y), lanes).ssa


def transposed(b: Body, rows: list[SSAValue], bits: int) -> list[SSAValue]:
    """Return the columns of a square, of numbers of `bits`."""
    return _written(b, shuffles.transposed, rows)


def columns_of(b: Body, rows: list[SSAValue]) -> list[SSAValue]:
    """Return the columns of 2, 4, 8 or 16 rows, each of as many lanes as rows."""
    return _written(b, shuffles.columns_of, rows)


def rows_of(b: Body, columns: list[SSAValue]) -> list[SSAValue]:
    """Return the 2 or 4 rows of these columns, each as long as there are columns."""
    return _written(b, shuffles.rows_of, columns)


def interleaved(b: Body, planes: list[SSAValue], lanes: int) -> list[SSAValue]:
    """Return vectors that hold lane 0 of all planes, then lane 1, and so on."""
    return _written(b, shuffles.interleaved, planes)


def separated(b: Body, parts: list[SSAValue], lanes: int) -> list[SSAValue]:
    """Return the planes whose interleaving is `parts`."""
    return _written(b, shuffles.separated, parts)
