"""Outline the ops that have gradients as functions, and add their gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from glow.analysis.symbols import named_in
from glow.dialects.graph.outlining import outlined
from glow.dialects.graph.storage import LiteralOp, LoadOp, SaveOp
from glow.passes.gradients import reason_against
from glow.passes.graph.arguments_to_placeholders import body_of
from glow.passes.graph.differentiate import DifferentiatePass
from glow.support.names import Names
from glow.support.types import element_of, is_float


def levels_of(ops: Sequence[Operation]) -> dict[Operation, int]:
    """
    Return a number for each op; ops of equal number form convex groups, and few.

    It is the largest number of steps from an op with a gradient to one without on any
    path to the op. Along a path it never falls, and between two ops of one group it
    does not rise, so no op without a gradient lies between them. There cannot be fewer
    groups: on a path to the highest number, the ops with a gradient that such steps
    leave are all in different ones.
    """
    levels: dict[Operation, int] = {}
    for op in ops:
        cuts = bool(reason_against(op))
        read = [v.owner for v in op.operands if isinstance(v.owner, Operation)]
        levels[op] = max(
            (
                levels[each] + (cuts and not reason_against(each))
                for each in read
                if each in levels
            ),
            default=0,
        )
    return levels


def merge_groups(
    one: Sequence[Operation], other: Sequence[Operation]
) -> list[Operation] | None:
    """
    Return the ops of two groups of a block in its order, None if they are not convex.

    They are not where a path from one of these ops to another has an op of neither
    group. Source: `mergeNodes` of PyTorch's `create_autodiff_subgraphs.cpp`.
    """
    inside = {*one, *other}
    seen, waiting = set[Operation](), list(inside)
    while waiting:
        op = waiting.pop()
        for user in (use.operation for result in op.results for use in result.uses):
            if user in inside:
                if op not in inside:
                    return None
            elif user not in seen:
                seen.add(user)
                waiting.append(user)
    block = one[0].parent_block()
    assert block is not None, "ops of no block"
    return [op for op in block.ops if op in inside]


@dataclass(frozen=True)
class OutlineDifferentiablePass(ModulePass):
    """
    Outline the ops that have gradients as functions, and add their gradients.

    The groups of ops are the fewest possible that are convex: no value that a group
    needs depends on one that it makes. Each becomes a private function `@f_part`, with
    its gradient `@f_part_gradient` by `differentiate`. Groups of fewer than `least` ops
    stay where they are, as do constants, loads and saves.

    Level: graph -> graph. Needs: nothing.
    Errors: no function of that name, or one of several blocks.
    """

    name = "outline-differentiable"

    function: str = "main"
    least: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = named_in(op, FuncOp)
        if self.function not in functions:
            known = ", ".join(f"@{name}" for name in functions) or "none"
            raise PassFailedException(
                f"expected a function to outline out of {known}, got @{self.function}"
            )
        function = functions[self.function]
        block, end = body_of(function)
        inner = [each for each in block.ops if each.results and not _is_source(each)]
        levels = levels_of(inner)
        _sort(block, end, inner, levels)
        names = Names(functions, separator="_")
        for level in sorted(set(levels.values())):
            group = [
                each
                for each in inner
                if levels[each] == level and not reason_against(each)
            ]
            if group and len(group) >= self.least:
                self._outline(group, names, function, ctx, op)

    def _outline(
        self,
        group: Sequence[Operation],
        names: Names,
        function: FuncOp,
        ctx: Context,
        module: ModuleOp,
    ) -> None:
        """Move ops that are neighbors into a function, and call that instead."""
        results = _used_outside(group)
        place = group[-1].next_op
        assert place is not None
        block = Block()
        for each in group:
            each.detach()
            block.add_op(each)
        name = names.fresh(f"{self.function}_part")
        made = outlined(name, block, results, group[-1].location, lambda _: None)
        call = CallOp(name, made.captured, [value.type for value in results])
        call.location = group[-1].location
        Rewriter.insert_op(call, InsertPoint.before(place))
        returned = made.function.body.block.last_op
        for value, result in zip(results, call.results, strict=True):
            value.replace_uses_with_if(
                result, lambda use: use.operation.parent is not block
            )
            result.name_hint = value.name_hint
        assert returned is not None
        module.body.block.insert_op_after(made.function, function)
        has_floats = any(is_float(element_of(v)) for v in (*made.captured, *results))
        if has_floats:
            names.fresh(f"{name}_gradient")
            DifferentiatePass(name).apply(ctx, module)
            gradient = named_in(module, FuncOp)[f"{name}_gradient"]
            gradient.sym_visibility = StringAttr("private")


def _is_source(op: Operation) -> bool:
    return isinstance(op, LiteralOp | LoadOp)


def _sort(
    block: Block,
    end: Operation,
    inner: Sequence[Operation],
    levels: Mapping[Operation, int],
) -> None:
    """Put ops in the order of their levels: first sources, last what is saved."""

    def place(op: Operation) -> tuple[int, int]:
        if _is_source(op):
            return -1, 0
        if isinstance(op, SaveOp):
            return len(inner) + 1, 0
        return levels.get(op, 0), not reason_against(op)

    for op in sorted(list(block.ops)[:-1], key=place):
        op.detach()
        block.insert_op_before(op, end)


def _used_outside(group: Sequence[Operation]) -> list[SSAValue]:
    """Return the results of a group that other ops use."""
    inside = set(group)
    return [
        result
        for op in group
        for result in op.results
        if any(use.operation not in inside for use in result.uses)
    ]
