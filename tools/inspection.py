"""Reports and drawings that `glow-opt` shows instead of a module's text."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from glow.analysis.levels import level_of
from glow.support.errors import CompilationError
from glow.tools.graph_drawing import dot_of
from glow.tools.layout_report import layout_report

_FORMATS = (".dot", ".svg", ".png", ".pdf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--layout-report",
        action="store_true",
        help="list what data still moves after stage layout, or memory",
    )
    add(
        "--emit-graph",
        metavar="FILE",
        help="draw the graph as .svg, .png, .pdf or .dot",
    )


@dataclass(frozen=True)
class Inspection:
    """The report or drawing to show, checked against the rest of the command line."""

    report: bool
    drawing: Path | None
    target: str
    stage: str | None
    """The stage that the module has gone through, if one was asked for."""

    @staticmethod
    def of(args: argparse.Namespace, target: str) -> Inspection:
        """
        Return the inspection that `args` ask for; a report runs the stages it needs.

        Errors: ValueError for a stage or a file that does not go with it.
        """
        if args.layout_report and not args.passes and args.stop_after is None:
            args.stop_after = "layout"
        drawing = None if args.emit_graph is None else Path(args.emit_graph)
        stop = args.stop_after
        if args.layout_report and stop not in (None, "layout", "memory"):
            raise ValueError(
                "expected --stop-after layout or memory with --layout-report, "
                f"got {stop}"
            )
        if drawing is not None:
            _check_drawing(drawing, args)
        return Inspection(args.layout_report, drawing, target, args.stop_after)

    @property
    def is_asked(self) -> bool:
        return self.report or self.drawing is not None

    def show(self, module: ModuleOp) -> str:
        """Write the drawing; return the text to print."""
        if not self.is_asked:
            return ""
        level = self.stage or level_of(module)
        if self.drawing is not None:
            if level not in ("import", "graph", "layout"):
                raise CompilationError(
                    f"expected graph or layout IR to draw, got {level} IR"
                )
            draw(dot_of(module), self.drawing)
        return layout_report(module, level, self.target) if self.report else ""


def _check_drawing(drawing: Path, args: argparse.Namespace) -> None:
    if drawing.suffix not in _FORMATS:
        raise ValueError(
            f"expected a file ending in {', '.join(_FORMATS)} to draw to, got {drawing}"
        )
    if args.stop_after not in (None, "import", "graph", "layout"):
        raise ValueError(
            "expected --stop-after import, graph or layout with --emit-graph, "
            f"got {args.stop_after}"
        )


def draw(text: str, path: Path) -> None:
    """
    Write the drawing `text` to `path`; where Graphviz is missing, as a `.dot` beside.
    """
    image = None if path.suffix == ".dot" else _rendered(text, path.suffix[1:])
    if image is not None:
        path.write_bytes(image)
        return
    source = path.with_suffix(".dot")
    source.write_text(text)
    if path.suffix != ".dot":
        print(
            f"note: wrote {source}, as the graphviz package and the dot command, "
            f"which make {path.name} of it, are not both here",
            file=sys.stderr,
        )


def _rendered(text: str, format_: str) -> bytes | None:
    """
    Return the image that Graphviz makes, or None where it is not installed.

    Errors: CompilationError in the words of Graphviz where it cannot.
    """
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
