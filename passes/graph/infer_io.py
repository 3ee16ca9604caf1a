"""Infer the direction of placeholders from their loads and saves."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from glow.analysis.symbols import NO_USES, Uses, uses_of_symbols, verify_symbols
from glow.dialects.graph.placeholder import INFER, RUN
from glow.dialects.graph.storage import PlaceholderOp


class InferIoPass(ModulePass):
    """
    Infer the direction of placeholders that declare none from their uses.

    A placeholder that is loaded or unused is `in`; one that is saved is `out`; one that
    is both, in one function or in several, is `inout` and, unless it declares another
    residency, resident. A declared direction or residency stays, or is refused where a
    load or save contradicts it.

    Level: graph -> graph. Needs: nothing.
    Errors: every contradiction in one message, with the place of the declaration and
    that of the load or save: a load of an out or scratch placeholder, a save of one
    that is in or bound, an out or inout one that nothing saves, a resident one that
    is only saved; and, in the same message, all that verify-symbols refuses.
    """

    name = "infer-io"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_symbols(op, infers=True)
        uses = uses_of_symbols(op)
        for placeholder in op.body.ops:
            if not isinstance(placeholder, PlaceholderOp):
                continue
            if placeholder.direction.data == INFER:
                _infer(placeholder, uses.get(placeholder.sym_name.data, NO_USES))


def _infer(placeholder: PlaceholderOp, uses: Uses) -> None:
    if placeholder.residency.data == "scratch":
        placeholder.direction = StringAttr("out")
        return
    if uses.direction == "inout" and placeholder.residency.data == RUN:
        placeholder.residency = StringAttr("resident")
    placeholder.direction = StringAttr(uses.direction)
