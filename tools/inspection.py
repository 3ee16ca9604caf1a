"""Reports and drawings that `glow-opt` shows instead of a module's text."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr

from glow.analysis.copies import copies_in
from glow.analysis.levels import level_of
from glow.analysis.movements import Movement, movements_in
from glow.c_files import check_header, write_c_files
from glow.memory_report import memory_report
from glow.support.errors import CompilationError
from glow.support.files import check_parent
from glow.support.tables import aligned
from glow.tools.drawing_page import FORMATS, page_of
from glow.tools.graph_drawing import dot_of
from glow.tools.options import AnyParser

_DRAWN = ("import", "graph", "layout")
_CODE = "llvm"
"""The stage whose code is compiled for C."""
_REPORTS = {"layout": ("layout", "memory"), "memory": ("graph",)}
"""After which stages a report can be made, the usual one first."""
ASSIGNMENT = "layout.assignment"
"""The attribute in which `assign-layouts` says what it found."""

_HEADER = ("value", "bytes", "from", "to", "where", "made by", "needed by", "cost")
_NUMBERS = frozenset((1, 7))


def add_arguments(parser: AnyParser) -> None:
    text = "list what data still moves after stage layout, or memory"
    parser.add_argument("--layout-report", action="store_true", help=text)
    text = "list what a training step keeps for its gradient, and computes again"
    parser.add_argument("--memory-report", action="store_true", help=text)
    text = (
        "draw the graph as .html, .svg, .png, .pdf or .dot; after stage layout its "
        "edges have the colors of layouts"
    )
    parser.add_argument("--emit-graph", metavar="FILE", help=text)
    text = "write FILE.o and FILE.weights.o to link with C, and the header FILE.h"
    parser.add_argument("--emit-c", metavar="FILE.h", help=text)


def check_arguments(args: argparse.Namespace) -> None:
    """
    Raise ValueError for a stage or file that a report or drawing does not go with.

    A report runs the stages that it needs.
    """
    for report, stages in _REPORTS.items():
        if not getattr(args, f"{report}_report"):
            continue
        if not args.passes and args.stop_after is None:
            args.stop_after = stages[0]
        if args.stop_after not in (None, *stages):
            raise ValueError(
                f"expected --stop-after {' or '.join(stages)} with --{report}-report, "
                f"got {args.stop_after}"
            )
    if args.memory_report:  # the report decides it
        args.disable = [*args.disable, "recompute-values"]
    if args.emit_c is not None:
        _check_c(args)
    stop = args.stop_after
    if args.emit_graph is None:
        return
    if Path(args.emit_graph).suffix not in FORMATS:
        raise ValueError(
            f"expected a file ending in {', '.join(FORMATS)} to draw to, "
            f"got {args.emit_graph}"
        )
    check_parent(Path(args.emit_graph))
    if stop not in (None, *_DRAWN):
        raise ValueError(
            "expected --stop-after import, graph or layout with --emit-graph, "
            f"got {stop}"
        )


def _check_c(args: argparse.Namespace) -> None:
    """Raise ValueError for options that do not go with C files; choose their stage."""
    check_header(Path(args.emit_c))
    if args.passes or args.stop_after not in (None, _CODE):
        given = f"--stop-after {args.stop_after}" if args.stop_after else "--passes"
        raise ValueError(f"expected --emit-c with --stop-after {_CODE}, got {given}")
    args.stop_after = _CODE


def inspected(module: ModuleOp, args: argparse.Namespace, target: str) -> str | None:
    """Write the requested drawing; return the requested report, if any."""
    if args.emit_c is not None:
        write_c_files(module, target, Path(args.emit_c))
    elif not (args.layout_report or args.memory_report or args.emit_graph):
        return None
    level = args.stop_after or level_of(module)
    if args.emit_graph is not None:
        if level not in _DRAWN:
            raise CompilationError(
                f"expected graph or layout IR to draw, got {level} IR"
            )
        draw(dot_of(module), Path(args.emit_graph))
    text = layout_report(module, level, target) if args.layout_report else ""
    if args.memory_report:
        text += memory_report(module, args.memory_bytes or 0)
    return text


def draw(text: str, path: Path) -> None:
    """
    Write the drawing `text` to `path`, as its suffix says.

    Errors: CompilationError where Graphviz is missing; the text is in a `.dot` beside.
    """
    if path.suffix == ".dot":
        path.write_text(text)
        return
    form = path.suffix[1:]
    image = _rendered(text, "svg" if form == "html" else form)
    if image is None:
        source = path.with_suffix(".dot")
        source.write_text(text)
        raise CompilationError(
            f"expected the dot command of Graphviz and the package graphviz (pip "
            f"install 'glow-xdsl[draw]') to draw {path}; wrote {source}"
        )
    path.write_bytes(page_of(image, path.stem) if form == "html" else image)


def _rendered(text: str, format_: str) -> bytes | None:
    """Return the image that Graphviz makes, or None where it is not installed."""
    try:
        graphviz: Any = import_module("graphviz")
    except ImportError:
        return None
    try:
        return graphviz.Source(text).pipe(format=format_, quiet=True)
    except graphviz.ExecutableNotFound:
        return None
    except CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip()
        raise CompilationError(f"dot makes no {format_}: {reason}") from None


def layout_report(module: ModuleOp, level: str, target: str) -> str:
    """Return a table of the movements in `module`, which has IR of `level`."""
    if level not in (*_DRAWN, "memory"):
        raise CompilationError(
            f"expected layout or memory IR to report on, got {level} IR"
        )
    moves = copies_in(module) if level == "memory" else movements_in(module)
    lines = [f"{level} level, target {target}", ""]
    if moves:
        rows = [_HEADER, *(row for move in moves for row in _rows(move))]
        lines += [*aligned(rows, _NUMBERS), ""]
    lines += [_total(moves), *_assignment(module)]
    return "\n".join(lines) + "\n"


def _rows(move: Movement) -> list[tuple[str, ...]]:
    """Return a row per reader; columns that they share are filled in the first."""
    first, *others = [str(end) for end in move.needed_by] or ["nothing"]
    row = (move.value, str(move.bytes), move.source, move.target, move.place)
    row += (str(move.made_by), first, str(move.cost))
    return [row, *((*("",) * 6, other, "") for other in others)]


def _total(moves: Sequence[Movement]) -> str:
    if not moves:
        return "nothing moves"
    bytes_, cost = sum(m.bytes for m in moves), sum(m.cost for m in moves)
    places = Counter(m.place for m in moves)
    ends = [place for place in ("input", "output") if places[place]]
    counts = ", ".join(f"{places[place]} of {place}s" for place in ends)
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
