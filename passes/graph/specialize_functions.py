"""Move known values into the functions that ops call; drop arguments not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from glow.analysis.calls import callees_first, calls_in
from glow.analysis.directions import functions_of
from glow.analysis.symbols import named_in
from glow.dialects.graph.control_flow import CallingOp, ControlFlowOp, IfOp, LoopOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.passes.constants import Constants


class SpecializeFunctionsPass(ModulePass):
    """
    Move constants that ops pass into the functions that they call.

    There they are folded, packed and seen by recognizers. A carried value that
    the body of a loop returns unchanged becomes an input; an argument that nothing
    reads is left out. A choice whose condition is known becomes the ops of the
    function that it calls. A function that several ops call stays as it is.

    Level: graph -> graph. Needs: nothing; `remove-dead-constants` afterwards.
    """

    name = "specialize-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op)
        counts = Counter(n for f in functions for c in calls_in(f) for n in c.callees)
        shared = {name for name, count in counts.items() if count > 1}
        work = _Specialization(op, {f.sym_name.data: f for f in functions})
        for function in reversed(callees_first(functions)):
            waiting = calls_in(function)
            while waiting:
                call = waiting.pop()
                if shared.isdisjoint(call.callees):
                    waiting += work.specialize(call)


class _Specialization:
    """The functions and the constants of a module."""

    def __init__(self, module: ModuleOp, functions: Mapping[str, FuncOp]):
        self._functions = functions
        self._constants = Constants(module)
        self._symbols = named_in(module, ConstantOp)

    def specialize(self, op: CallingOp) -> list[CallingOp]:
        """Specialize what `op` calls; return the calls that take its place, if any."""
        if isinstance(op, IfOp):
            condition = self._constants.array_of(op.condition)
            if condition is not None:
                name = op.callees[0 if condition.item() else 1]
                return _inline(op, self._functions[name], op.inputs)
            self._choice(op)
        elif isinstance(op, LoopOp):
            self._loop(op, self._functions[op.callees[0]])
        return []

    def _choice(self, op: IfOp) -> None:
        then, otherwise = op.callees
        called = [self._functions[then], self._functions[otherwise]]
        kept = self._keep(called, 0, op.inputs)
        if len(kept) < len(op.inputs):
            types = [value.type for value in op.outputs]
            _replace(op, IfOp(op.condition, then, otherwise, kept, types))

    def _loop(self, op: LoopOp, body: FuncOp) -> None:
        block, end = body.body.block, body.body.block.last_op
        assert isinstance(end, ReturnOp)
        first = len(end.arguments) - len(op.outputs)
        returned = list(end.arguments)[first:]
        stays = [value is block.args[1 + k] for k, value in enumerate(returned)]
        if all(stays):
            return  # a loop must carry something
        carried, inputs = list(op.initial), list(op.inputs)
        for k in [k for k, same in reversed([*enumerate(stays)]) if same]:
            argument = block.args[1 + k]
            moved = block.insert_arg(argument.type, 1 + len(carried))
            moved.name_hint = argument.name_hint
            end.operands = [v for i, v in enumerate(end.operands) if i != first + k]
            argument.replace_all_uses_with(moved)
            block.erase_arg(argument)
            inputs.insert(0, carried.pop(k))
        kept = self._keep([body], 1 + len(carried), inputs)
        if any(stays) or len(kept) < len(inputs):
            new = LoopOp(
                op.callees[0],
                carried,
                kept,
                limit=op.limit,
                condition=op.condition,
                must_end=op.must_end is not None,
            )
            made = iter(new.outputs)
            results = [
                initial if same else next(made)
                for initial, same in zip(op.initial, stays, strict=True)
            ]
            _replace(op, new, results)

    def _keep(
        self, functions: Sequence[FuncOp], first: int, inputs: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """
        Return those of `inputs` that functions still take, from argument `first` on.

        Constants are loaded inside instead; values that are not read are not passed.
        """
        kept: list[SSAValue] = []
        for value in inputs:
            at = first + len(kept)
            arguments = [function.body.block.args[at] for function in functions]
            source = value.owner
            if isinstance(source, LiteralOp) or (
                isinstance(source, LoadOp)
                and source.symbol.string_value() in self._symbols
            ):
                for argument in arguments:
                    if argument.first_use is not None:
                        copy = _copied(source, argument.block)
                        argument.replace_all_uses_with(copy)
            elif any(argument.first_use is not None for argument in arguments):
                kept.append(value)
                continue
            for argument in arguments:
                argument.block.erase_arg(argument)
        for function in functions:
            _update_type(function)
        return kept


def _copied(source: LiteralOp | LoadOp, block: Block) -> SSAValue:
    """Return the result of a copy of `source` at the top of `block`."""
    copy = source.clone()
    copy.location = source.location
    copy.result.name_hint = source.result.name_hint
    first = block.first_op
    assert first is not None
    block.insert_op_before(copy, first)
    return copy.result


def _inline(
    op: Operation, function: FuncOp, inputs: Iterable[SSAValue]
) -> list[CallingOp]:
    """Replace `op` by the ops of `function`, which is gone; return calls among them."""
    block = function.body.block
    calls = calls_in(function)
    for argument, value in zip(block.args, inputs, strict=True):
        argument.replace_all_uses_with(value)
    *ops, end = list(block.ops)
    results = list(end.operands)
    for inner in ops:
        inner.detach()
    Rewriter.replace_op(op, ops, results)
    Rewriter.erase_op(function)
    return calls


def _update_type(function: FuncOp) -> None:
    block = function.body.block
    end = block.last_op
    assert isinstance(end, ReturnOp)
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in block.args],
        [value.type for value in end.arguments],
    )


def _replace(
    op: ControlFlowOp, new: ControlFlowOp, results: Sequence[SSAValue] | None = None
) -> None:
    new.location = op.location
    for old, made in zip(op.results, results or new.results, strict=True):
        if made.name_hint is None:
            made.name_hint = old.name_hint
    Rewriter.replace_op(op, new, results)
