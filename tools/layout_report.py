"""The text of `glow-opt --layout-report`: what data still moves, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr

from glow.analysis.copies import copies_in
from glow.analysis.movements import Movement, movements_in
from glow.support.errors import CompilationError

ASSIGNMENT = "layout.assignment"
"""The attribute in which `assign-layouts` says what it found."""

_HEADER = ("value", "bytes", "from", "to", "where", "made by", "needed by", "cost")
_NUMBERS = frozenset((1, 7))


def layout_report(module: ModuleOp, level: str, target: str) -> str:
    """
    Return a table of the movements in `module`, which has IR of `level`.

    Errors: CompilationError for a level that has no tensors and no buffers.
    """
    match level:
        case "import" | "graph" | "layout":
            moves = movements_in(module)
        case "memory":
            moves = copies_in(module)
        case _:
            raise CompilationError(
                f"expected layout or memory IR to report on, got {level} IR"
            )
    lines = [f"{level} level, target {target}", ""]
    if moves:
        rows = [_HEADER, *(row for move in moves for row in _rows(move))]
        lines += [*_aligned(rows), ""]
    lines += [_total(moves), *_assignment(module)]
    return "\n".join(lines) + "\n"


def _rows(move: Movement) -> list[tuple[str, ...]]:
    """Return a row per reader; columns that they share are filled in the first."""
    first, *others = [str(end) for end in move.needed_by] or ["nothing"]
    row = (
        move.value,
        str(move.bytes),
        move.source,
        move.target,
        move.place,
        str(move.made_by),
        first,
        str(move.cost),
    )
    blank = ("",) * 6
    return [row, *((*blank, other, "") for other in others)]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if k in _NUMBERS else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _total(moves: Sequence[Movement]) -> str:
    if not moves:
        return "nothing moves"
    bytes_, cost = sum(m.bytes for m in moves), sum(m.cost for m in moves)
    counts = ", ".join(
        f"{count} {label}"
        for label, place in (("of inputs", "input"), ("of outputs", "output"))
        if (count := sum(m.place == place for m in moves))
    )
    plural = "s" * (len(moves) != 1)
    split = f" ({counts})" if counts else ""
    return f"{len(moves)} movement{plural}{split}, {bytes_} bytes, cost {cost}"


def _assignment(module: ModuleOp) -> list[str]:
    """Return the figures that the solver left, if one ran."""
    attribute = module.attributes.get(ASSIGNMENT)
    if not isinstance(attribute, DictionaryAttr):
        return []
    data = attribute.data
    cost, width = (cast(IntegerAttr, data[key]).value.data for key in ("cost", "width"))
    method = cast(StringAttr, data["method"]).data
    return [f"assignment: {method}, width {width}, cost {cost}"]
