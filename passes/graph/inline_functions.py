"""Replace calls by the ops of the functions that they call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.calls import callees_first, names_called_in
from glow.analysis.directions import functions_of
from glow.dialects.graph.control_flow import (
    GRADIENT,
    CallFunctionOp,
    composite_of,
    gradient_of,
)
from glow.support.locations import fuse
from glow.support.targets import TargetQueries
from glow.support.walking import ops_in


@dataclass(frozen=True)
class InlineFunctionsPass(ModulePass):
    """
    Replace each `graph.call` and `func.call` by the ops of the function that it calls.

    Calls of composites, functions with the attribute `composite`, stay whole if that is
    one of `keep`, as a later pass wants them so, or if `target` keeps the function
    (`Backend.keeps`). Functions that choices and loops call stay too, with the calls in
    them replaced. The location of an op is then its own and that of the
    call. Functions that nothing calls any more are removed, with their gradients; for a
    `target` all gradients are.

    Level: graph -> graph. Needs: nothing.
    Errors: functions that call themselves, and ones of several blocks.
    """

    name = "inline-functions"

    keep: tuple[str, ...] = ()
    target: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in functions_of(op)}
        replaced: set[str] = set()
        for function in callees_first(functions.values()):
            for call in ops_in(function.body):
                if isinstance(call, CallFunctionOp | func.CallOp):
                    replaced |= self._inline(call, functions)
        gone = set[str]()
        for function in functions.values():
            if (gradient := gradient_of(function)) and (
                self.target or function.sym_name.data in replaced
            ):
                gone.add(gradient)
                del function.attributes[GRADIENT]
        called = {name for f in functions.values() for name in names_called_in(f)}
        for name in (replaced | gone) - called:
            Rewriter.erase_op(functions[name])

    def _inline(
        self, call: CallFunctionOp | func.CallOp, functions: Mapping[str, FuncOp]
    ) -> set[str]:
        """Replace one call; return the name of its function, if that has a body."""
        name = call.callee.string_value()
        function = functions.get(name)
        if function is None or self._stays(function):
            return set()
        block = function.body.blocks.first
        if block is None or not isinstance(block.last_op, ReturnOp):
            raise PassFailedException(f"expected @{name} to be one block that returns")
        inside: dict[SSAValue, SSAValue] = dict(
            zip(block.args, call.operands, strict=True)
        )
        *ops, end = block.ops
        copies = [copied(op, call, inside) for op in ops]
        results = [inside.get(value, value) for value in end.operands]
        Rewriter.replace_op(call, copies, results)
        return {name}

    def _stays(self, function: FuncOp) -> bool:
        composite = composite_of(function)
        if not composite or composite in self.keep or not self.target:
            return composite in self.keep
        return TargetQueries.of(self.target).keeps(function)


def copied(
    op: Operation, call: Operation, inside: dict[SSAValue, SSAValue]
) -> Operation:
    """Return a copy of `op` with operands by `inside`; note its results there."""
    copy = op.clone(inside)
    for old, new in zip(op.walk(), copy.walk(), strict=True):
        new.location = fuse(old.location, call.location)
    for old, new in zip(op.results, copy.results, strict=True):
        new.name_hint = old.name_hint
    return copy
