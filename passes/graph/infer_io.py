"""Derive the direction of placeholders from what loads and saves them."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from glow.analysis.symbols import uses_of_symbols
from glow.dialects.graph.storage import PlaceholderOp


@dataclass(frozen=True)
class InferIoPass(ModulePass):
    """
    Set each placeholder's direction: loaded is in, saved is out, both is inout.

    A placeholder without uses keeps what it says.

    Level: graph -> graph. Needs: nothing.
    """

    name = "infer-io"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        uses = uses_of_symbols(op)
        for placeholder in op.body.ops:
            if not isinstance(placeholder, PlaceholderOp):
                continue
            found = uses.get(placeholder.sym_name.data)
            if found is None:
                continue
            direction = ("in" if found.loads else "") + ("out" if found.saves else "")
            placeholder.direction = StringAttr(direction)
