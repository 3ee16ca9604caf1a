"""What a product is at run time: a row of integers, and how its operands vary."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from enum import Enum


class Extra(Enum):
    """How what an epilogue reads beside the product varies over the result."""

    FULL = "full"
    """Over rows and columns; columns are neighbours in memory."""
    COLUMNS = "columns"
    """Over columns alone; they are neighbours in memory."""
    ROWS = "rows"
    """Over rows alone, or not at all."""
    STRIDED = "strided"
    """Over columns that are no neighbours, and maybe over rows."""
    TURNED = "turned"
    """As `STRIDED`, but the rows of each tile are neighbours in memory."""

    def __repr__(self) -> str:
        return self.value


@dataclass(frozen=True)
class GemmRow:
    """
    One product for a `Gemm`: counts, strides, and where parts of the table begin.

    Units: strides in elements; `*_at` in entries of the table.
    """

    batches: int
    batch_at: int
    """Per batch: offsets of left, right, bias, result and each extra."""
    first: int
    last: int
    """The panels to compute: first <= panel < last."""
    width: int
    """The columns from one panel to the next."""
    columns: int
    """All columns that exist."""
    panel_stride: int
    pitch: int
    """From one k to the next in a panel."""
    slice: int
    """The part of the next panel that a tile fetches."""
    slice_step: int
    """How far that moves per k."""
    tiles: int
    left_at: int
    """Where each row of the left factor begins, `tiles * tile.rows` of them."""
    result_at: int
    """Where each row of the result begins."""
    segments_at: int
    """What lies between the begin of a row and of each stretch of its elements."""
    segments: int
    run: int
    """The elements of a stretch."""
    step: int
    """From one element of a stretch to the next."""
    extras: tuple[int, ...]
    """Per extra: where each row begins, and the distance of columns."""

    def of_panels(self, first: int, last: int) -> tuple[int, ...]:
        """Return the integers of the row for these panels alone."""
        *numbers, extras = astuple(replace(self, first=first, last=last))
        return (*numbers, *extras)


def extra_names(count: int) -> list[str]:
    """Return the names of what a row says about `count` extras."""
    return [f"extra{i}_{what}" for i in range(count) for what in ("at", "step")]
