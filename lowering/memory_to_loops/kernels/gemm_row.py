"""Rows of integers that products take, and how their extra operands vary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Generic

from glow.codegen.loops import N
from glow.lowering.memory_to_loops.kernels.kernel import Steps


class Extra(Enum):
    """How an extra operand of an epilogue varies over the result."""

    FULL = "full"
    """Over rows and columns; columns are neighbors in memory."""
    COLUMNS = "columns"
    """Over columns alone; they are neighbors in memory."""
    ROWS = "rows"
    """Over rows alone, or not at all."""
    STRIDED = "strided"
    """Over columns that are not neighbors, and maybe over rows."""
    TURNED = "turned"
    """As `STRIDED`, but the rows of each tile are neighbors in memory."""


@dataclass(frozen=True)
class ExtraRow(Generic[N]):
    """Where in the table each row of an extra begins; the distance of its columns."""

    at: N
    step: N


@dataclass(frozen=True)
class GemmRow(Generic[N]):
    """
    One product for a `Gemm`: loops, strides, and where parts of the table begin.

    Units: strides in elements; `*_at` in entries of the table.
    """

    batches: Steps[N]
    batch_at: N
    """Per batch: offsets of left, right, bias, result and each extra."""
    panels: Steps[N]
    width: N
    """The columns from one panel to the next."""
    columns: N
    """All columns that exist."""
    panel_stride: N
    pitch: N
    """From one k to the next in a panel."""
    slice: N
    """The part of the next panel, or of its next part, that a tile prefetches."""
    slice_step: N
    """How far that moves per k, or per iteration where it fetches in streams."""
    tiles: Steps[N]
    stretch: N
    """The tiles that are done with all panels before others, as they share a cache."""
    left_at: N
    """The offset of each row of the left factor, for the rows of all tiles."""
    result_at: N
    """Where each row of the result begins."""
    result_step: N
    """From one column of the result to the next."""
    segments_at: N
    """The distance from the start of a row to that of each stretch of its elements."""
    segments: N
    block: N
    """
    The stretches that are added up before their sum is added to the total.

    If tiles take turns with parts of a sum, it is the stretches of a part.
    """
    runs_at: N
    """The elements of each stretch."""
    step: N
    """From one element of a stretch to the next."""
    extras: tuple[ExtraRow[N], ...]
