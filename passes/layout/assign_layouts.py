"""Give every value the layout with which the whole network costs least."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from glow.analysis.directions import functions_of
from glow.analysis.movements import whole_layout_of
from glow.dialects.layout.attribute import with_layout
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._candidates import source_of
from glow.passes.layout.problem import Problem, Ways
from glow.support.targets import TargetQueries
from glow.support.types import tensor_type


@dataclass(frozen=True)
class AssignLayoutsPass(ModulePass):
    """
    Choose a layout for each value at the least cost for `target`.

    Each op runs in one of the layouts that the target offers for it. Ops without an
    offer pass on the layouts of their operands, and a transposed or reshaped value
    keeps its bytes. Transforms are inserted where layouts differ, once per value and
    layout, for all readers; the cost is that of the target's choices plus the bytes
    that transforms move. Arguments, placeholders and results of functions keep their
    layouts.

    The attribute `layout.assignment` of the module has the cost, and whether it is the
    least possible (`exact`) or that of a bounded search: of a network that is too
    large, or where a value may be in more than 8 layouts, of which 8 are kept.

    Level: graph -> layout. Needs: nothing. Then: fold-layout-transforms.
    """

    name = "assign-layouts"

    target: str = "cpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        queries = TargetQueries.of(self.target)
        cost, is_exact, width = 0.0, True, 0
        for function in functions_of(op):
            for block in function.body.blocks:
                problem = Problem(block, queries)
                ways, solution = problem.solve()
                cost += problem.cost(ways)
                is_exact &= solution.is_exact
                width = max(width, solution.width)
                assign(problem, ways, block)
        op.attributes["layout.assignment"] = DictionaryAttr(
            {
                "cost": IntegerAttr(round(cost), i64),
                "method": StringAttr("exact" if is_exact else "bounded"),
                "width": IntegerAttr(width, i64),
            }
        )


def assign(problem: Problem, ways: Ways, block: Block) -> None:
    """Give the values of `block` the layouts that go with `ways` to run its ops."""
    _Assignment(problem, ways).apply(block)


class _Assignment:
    """Writes the chosen layouts into a block."""

    def __init__(self, problem: Problem, ways: Ways):
        self.problem, self.ways = problem, ways
        self.made: dict[tuple[SSAValue, int], SSAValue] = {}
        """Each value in each of its layouts, by the original and the candidate."""

    def apply(self, block: Block) -> None:
        ops = list(block.ops)
        demands = [self._demands(op) for op in ops]
        last = block.last_op
        types = [value.type for value in last.operands] if last else []
        transforms = {
            op: source_of(op.input) for op in ops if isinstance(op, TransformOp)
        }
        for value in self.problem.search.fixed:
            self.made[value, self.problem.made_in(value, self.ways)] = value
        for op, wanted in zip(ops, demands, strict=True):
            if wanted:
                operands = list(op.operands)
                for index, source, wish in wanted:
                    operands[index] = self._laid_out(op, source, wish)
                op.operands = operands  # at once: each change copies all of them
            if isinstance(op, TransformOp):
                self._keep(op, transforms[op])
            if op in self.ways:
                self._set(op)
        if isinstance(last, ReturnOp):
            self._return(last, types)
        for op in reversed(transforms):
            if op.result.first_use is None:
                Rewriter.erase_op(op)

    def _demands(self, op: Operation) -> list[tuple[int, SSAValue, tuple[int, ...]]]:
        """Return operands, their origins and the candidates they may be in."""
        if isinstance(op, TransformOp):
            return []
        way = self.ways.get(op)
        demands: list[tuple[int, SSAValue, tuple[int, ...]]] = []
        for index, value in enumerate(op.operands):
            source = source_of(value)
            if way is not None:
                demands.append((index, source, way.operands[index]))
            elif source in self.problem.values:
                known = self.problem.search.values[source]
                demands.append((index, source, (known.add(whole_layout_of(value)),)))
        return demands

    def _laid_out(
        self, op: Operation, source: SSAValue, wish: tuple[int, ...]
    ) -> SSAValue:
        """Return an operand of `op`, made of `source`, in a layout of `wish`."""
        made = self.problem.made_in(source, self.ways)
        if made in wish:
            chosen = made
        else:
            moved = self.problem.moved_to(source, self.ways)
            chosen = next(candidate for candidate in moved if candidate in wish)
        if (source, chosen) not in self.made:
            layout = self.problem.search.values[source].layouts[chosen]
            new = TransformOp(self.made[source, made], layout)
            self.made[source, chosen] = self._placed(new, op)
        return self.made[source, chosen]

    def _return(self, op: ReturnOp, types: Sequence[Attribute]) -> None:
        """Return the declared types, also where other types have the same bytes."""
        for index, (value, type_) in enumerate(zip(op.operands, types, strict=True)):
            if value.type != type_:
                new = TransformOp.to(value, tensor_type(type_))
                op.operands[index] = self._placed(new, op)

    @staticmethod
    def _placed(new: TransformOp, op: Operation) -> SSAValue:
        """Return the result of `new`, which now stands before `op`."""
        new.location = op.location
        new.result.name_hint = new.input.name_hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        return new.result

    def _keep(self, op: TransformOp, source: SSAValue) -> None:
        """Keep transform `op` if its layout is needed and nothing before it has it."""
        if source not in self.problem.values:
            return  # nothing reads it
        candidate = self.problem.search.values[source].find(whole_layout_of(op.result))
        if candidate not in self.problem.moved_to(source, self.ways):
            return
        if (source, candidate) not in self.made:
            op.operands[0] = self.made[source, self.problem.made_in(source, self.ways)]
            self.made[source, candidate] = op.result

    def _set(self, op: Operation) -> None:
        for value, candidate in zip(
            tuple(op.results), self.ways[op].results, strict=True
        ):
            layout = self.problem.search.values[value].layouts[candidate]
            type_ = with_layout(value, layout)
            new = value
            if type_ != value.type:
                new = Rewriter.replace_value_with_new_type(value, type_)
            self.made[value, candidate] = new
