"""Make placeholders of constants, which keep their bytes."""

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import named_in
from glow.dialects.graph.storage import ConstantOp, PlaceholderOp


@dataclass(frozen=True)
class DemoteConstantsPass(ModulePass):
    """
    Replace constants by placeholders with the same bytes: all, or those in `names`.

    They are bound, so that a run computes the same and needs no further input. With
    `residency=resident` they start with these bytes and callers may bind others, for
    example weights that are exchanged without recompiling.

    Level: graph -> graph. Needs: nothing. Inverse: promote-placeholders.
    Errors: a name that no constant has.

    ```
    demote-constants{names=w residency=resident}
    ```
    """

    name = "demote-constants"

    names: tuple[str, ...] = ()
    residency: Literal["bound", "resident"] = "bound"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = named_in(op, ConstantOp)
        unknown = [name for name in self.names if name not in constants]
        if unknown:
            listed = ", ".join(f'"{name}"' for name in constants) or "none"
            problems = (
                f'no constant is called "{n}", expected {listed}' for n in unknown
            )
            raise PassFailedException("; ".join(problems))
        for name in self.names or constants:
            made = placeholder_of(constants[name], self.residency)
            Rewriter.replace_op(constants[name], made, [])


def placeholder_of(constant: ConstantOp, residency: str) -> PlaceholderOp:
    """Return a placeholder with the name, the bytes and the notes of `constant`."""
    made = PlaceholderOp(
        constant.sym_name.data,
        "in",
        constant.type,
        constant.axes,
        residency,
        constant.resource,
    )
    made.attributes.update(constant.attributes)
    made.location = constant.location
    return made
