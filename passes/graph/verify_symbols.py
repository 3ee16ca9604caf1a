"""Check that loads and saves fit the symbols they name."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from glow.analysis.symbols import verify_symbols


class VerifySymbolsPass(ModulePass):
    """
    Refuse a module whose loads and saves contradict its placeholders and constants.

    Level: graph -> graph. Needs: nothing.
    Errors: every problem in one message, see `analysis/symbols.py`.
    """

    name = "verify-symbols"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_symbols(op)
