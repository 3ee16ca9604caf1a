"""Text of IR that says which layer of the model an op belongs to."""

from __future__ import annotations

from io import StringIO

from xdsl.ir import Operation
from xdsl.printer import Printer

from glow.support.locations import layer_of

_CALLS = ("func.call", "llvm.call")
_SILENT = tuple(
    f"memory.{name}" for name in ("get", "placeholder", "constant", "yield", "dealloc")
)


class LayerPrinter(Printer):
    """
    A printer that ends ops of the memory level, and calls, with the name of their node.

    It is a comment, as values below the graph level do not have the model's names.
    """

    def print_op(self, op: Operation) -> None:
        super().print_op(op)
        is_step = op.name.startswith("memory.") and op.name not in _SILENT
        if not (is_step or op.name in _CALLS) or self.print_debuginfo:
            return
        if layer := layer_of(op):
            self.print_string(f"  // {layer}")


def layer_text(module: Operation) -> str:
    """Return the text of a module as `LayerPrinter` prints it."""
    text = StringIO()
    LayerPrinter(text).print_op(module)
    return text.getvalue()
