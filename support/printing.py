"""Text of IR that says which layer of the model an op belongs to."""

from __future__ import annotations

from io import StringIO
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, NameLoc
from xdsl.ir import Attribute, Operation
from xdsl.printer import Printer

from glow.support.locations import name_at

_CALLS = ("func.call", "llvm.call")
_SILENT = tuple(
    f"memory.{name}" for name in ("get", "placeholder", "constant", "yield", "dealloc")
)


class LayerPrinter(Printer):
    """
    A printer that ends ops of the memory level, and calls, with the name of their node.

    It is a comment, as values below the graph level are not called as the model's are.
    """

    def print_op(self, op: Operation) -> None:
        super().print_op(op)
        is_step = op.name.startswith("memory.") and op.name not in _SILENT
        if not (is_step or op.name in _CALLS) or self.print_debuginfo:
            return
        if _is_of_model(op.location):
            name = name_at(op.location)
            self.print_string(f"  // {name if name.isprintable() else repr(name)}")


def _is_of_model(location: Attribute) -> bool:
    """Return whether a location is a node's, and not a place in a text."""
    if isinstance(location, FusedLoc):
        parts = cast(ArrayAttr[Attribute], location.locations)
        return any(map(_is_of_model, parts))
    return isinstance(location, NameLoc)


def layer_text(module: Operation) -> str:
    """Return the text of a module as `LayerPrinter` prints it."""
    text = StringIO()
    LayerPrinter(text).print_op(module)
    return text.getvalue()
