"""The layouts of small graphs against all that there are, and of large ones in time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.movements import movement_cost, whole_layout_of
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.pooling import GlobalAvgPoolOp
from glow.dialects.graph.unary import ExpOp
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout.assign_layouts import assign
from glow.passes.layout.problem import Problem
from glow.support.layout import Layout, parse_layout, permuted
from glow.support.targets import (
    AnyOrder,
    Asked,
    Backend,
    LayoutChoice,
    Layouts,
    Offers,
    Target,
    TargetQueries,
    target_of,
)
from glow.support.types import tensor

SHAPE = (2, 3, 4)
LAYOUTS = [permuted(order) for order in permutations(range(3))]

Choices = dict[Operation, Sequence[LayoutChoice]]


def queries(choices: Choices) -> TargetQueries:
    """Ask a target that has `choices` and carries everything."""

    def ask(op: Operation, target: Target, offers: Offers) -> Sequence[LayoutChoice]:
        return choices.get(op, ())

    machine = target_of("reference")
    return TargetQueries(
        Backend("toy", lambda _: machine, "layout", print, layout_choices=ask), machine
    )


class RandomGraph:
    """Up to nine ops over tensors of one shape; some ask for one of three layouts."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.choices: Choices = {}
        self.block = Block(arg_types=[tensor(f32, SHAPE)])
        self.values: list[SSAValue] = [self.block.args[0]]
        for _ in range(int(self.rng.integers(2, 10))):
            self.grow()
        returned = [self.pick() for _ in range(int(self.rng.integers(0, 3)))]
        self.block.add_op(ReturnOp(*returned))

    def pick(self) -> SSAValue:
        return self.values[int(self.rng.integers(len(self.values)))]

    def grow(self) -> None:
        x, y = self.pick(), self.pick()
        match self.rng.integers(6):
            case 0 | 1 | 2:
                op = AddOp(x, y) if self.rng.integers(2) else ExpOp(x)
                self.choices[op] = self.some_choices(len(op.operands))
            case 3:
                op = AddOp(x, y)
            case 4:
                op = ReluOp(x)
            case _:
                # Twice, so that all values have one shape.
                op = TransposeOp(x, permutation=(1, 2, 0))
                self.block.add_op(op)
                op = TransposeOp(op.result, permutation=(2, 0, 1))
        self.block.add_op(op)
        self.values.append(op.results[0])

    def some_choices(self, operands: int) -> list[LayoutChoice]:
        count = int(self.rng.integers(1, 4))
        return [
            LayoutChoice(
                tuple(self.asked() for _ in range(operands)),
                (self.asked(),),
                cost=float(self.rng.integers(0, 3) * 1000),
            )
            for _ in range(count)
        ]

    def asked(self) -> Asked:
        layout = LAYOUTS[int(self.rng.integers(3))]
        if self.rng.integers(8) == 0:
            return AnyOrder((int(self.rng.integers(3)),))
        return None if layout.is_row_major else LayoutAttr(layout)


def brute_force(problem: Problem) -> float:
    """Return the least cost over all combinations of ways."""
    ways = problem.search.ways
    return min(
        problem.cost(dict(zip(ways, combination, strict=True)))
        for combination in product(*ways.values())
    )


def combinations_of(problem: Problem) -> int:
    return int(np.prod([len(ways) for ways in problem.search.ways.values()]))


@pytest.mark.parametrize("count", [7, 8, 9, 12])
def test_costs_are_not_the_least_for_sure_where_layouts_are_left_out(
    count: int,
) -> None:
    block = Block(arg_types=[tensor(f32, (2, 3, 4, 5))])
    ops = [ExpOp(block.args[0])]
    for cls in (ReluOp, ReluOp, ExpOp):
        ops.append(cls(ops[-1].result))
    block.add_ops([*ops, ReturnOp(ops[-1].result)])
    layouts = [permuted(order) for order in permutations(range(4))][:count]
    asked = [None if lay.is_row_major else LayoutAttr(lay) for lay in layouts]
    # All are expensive but the last one, if there is room for it.
    costs = [10000.0] * (count - 1) + [0.0]
    choices: Choices = {
        ops[0]: [
            LayoutChoice((None,), (a,), c) for a, c in zip(asked, costs, strict=True)
        ],
        ops[-1]: [
            LayoutChoice((a,), (None,), c) for a, c in zip(asked, costs, strict=True)
        ],
    }
    problem = Problem(block, queries(choices))
    ways, solution = problem.solve()
    assert solution.is_exact == (count <= 8)
    if solution.is_exact:
        assert problem.cost(ways) == 0


@pytest.mark.slow
@pytest.mark.parametrize("count", [300, pytest.param(1000, marks=pytest.mark.full)])
def test_small_graphs_cost_the_least_there_is(count: int) -> None:
    compared, seed, better = 0, 0, 0
    while compared < count:
        seed += 1
        graph = RandomGraph(seed)
        problem = Problem(graph.block, queries(graph.choices))
        if combinations_of(problem) > 500:
            continue
        ways, solution = problem.solve()
        assert solution.is_exact
        assert problem.cost(ways) == brute_force(problem), seed
        greedy = problem.cost(problem.greedy())
        assert problem.cost(ways) <= greedy, seed
        better += problem.cost(ways) < greedy
        moves = problem.cost(ways) - sum(way.cost for way in ways.values())
        assign(problem, ways, graph.block)
        transforms = [op for op in graph.block.ops if isinstance(op, TransformOp)]
        assert moves == sum(
            movement_cost(op.input, whole_layout_of(op.result)) for op in transforms
        )
        compared += 1
    # The graphs are no easy ones: looking ahead pays in some.
    assert better > count // 20


def solved(block: Block, choices: Choices) -> list[Operation]:
    problem = Problem(block, queries(choices))
    ways, _ = problem.solve()
    assign(problem, ways, block)
    return list(block.ops)


def test_of_several_ways_the_cheaper_one_with_its_movements_is_taken() -> None:
    nhwc = LayoutAttr(parse_layout("NHWC"))
    moved = 2 * 4 * 64 + 4096
    for cost, count in ((moved - 1, 0), (moved + 1, 1)):
        block = Block(arg_types=[tensor(f32, (1, 4, 4, 4))])
        op = GlobalAvgPoolOp(block.args[0])
        block.add_ops([op, ReturnOp(op.result)])
        ways = [LayoutChoice((nhwc,), (None,)), LayoutChoice((None,), (None,), cost)]
        ops = solved(block, {op: ways})
        assert sum(isinstance(op, TransformOp) for op in ops) == count


def test_a_choice_can_follow_what_an_operand_offers() -> None:
    block = Block(arg_types=[tensor(f32, (2, 3, 4))])
    turned = TransposeOp(block.args[0], permutation=(1, 2, 0))
    op = ExpOp(turned.result)
    block.add_ops([turned, op, ReturnOp()])
    seen: list[Sequence[Layout]] = []

    def ask(op: Operation, target: Target, offers: Offers) -> Sequence[LayoutChoice]:
        if not isinstance(op, ExpOp):
            return ()
        seen.append(offers(0))
        layout = LayoutAttr(offers(0)[0])
        return (LayoutChoice((layout,), (layout,)),)

    machine = target_of("reference")
    toy = Backend("toy", lambda _: machine, "layout", print, layout_choices=ask)
    problem = Problem(block, TargetQueries(toy, machine))
    ways, _ = problem.solve()
    assign(problem, ways, block)
    assert seen == [(permuted((2, 0, 1)),)]
    assert whole_layout_of(op.result) == permuted((2, 0, 1))


@pytest.mark.parametrize("refused", [False, True])
def test_a_target_says_what_is_carried(refused: bool) -> None:
    blocked = parse_layout("NCHW8c")
    block = Block(arg_types=[tensor(f32, (1, 9, 4, 4))])
    first = ExpOp(block.args[0])
    middle = ReluOp(first.result)
    last = ExpOp(middle.result)
    block.add_ops([first, middle, last, ReturnOp()])
    wants = [LayoutChoice((LayoutAttr(blocked),), (LayoutAttr(blocked),))]

    def ask(op: Operation, target: Target, offers: Offers) -> Sequence[LayoutChoice]:
        return wants if isinstance(op, ExpOp) else ()

    def carry(
        op: Operation, operands: Layouts, results: Layouts, target: Target
    ) -> float | None:
        return None if refused and blocked in operands else 0.0

    machine = target_of("reference")
    toy = Backend(
        "toy",
        lambda _: machine,
        "layout",
        print,
        layout_choices=ask,
        carry_cost=carry,
    )
    problem = Problem(block, TargetQueries(toy, machine))
    ways, _ = problem.solve()
    assign(problem, ways, block)
    moves = [op for op in block.ops if isinstance(op, TransformOp)]
    assert len(moves) == (3 if refused else 1)
    assert (whole_layout_of(middle.result) == blocked) is not refused
