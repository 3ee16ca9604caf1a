"""Grouping changes neither what a module computes nor how often."""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from counted_calls import is_linear
from grids import slow_but
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import dce

from glow.analysis.validity import verify_module
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.along_axis import SoftmaxOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MaxOp, MulOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.logic import LessOp
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.unary import AbsOp, NegOp
from glow.lowering.group_ops import MEMBERS, GroupOpsPass
from glow.lowering.memory_to_loops.rules import RULES, rule_of
from glow.support.types import element_of, shape_of, tensor

SIDE = 4


def random_module(seed: int, size: int) -> ModuleOp:
    """Return a function of `size` random ops over small square matrices and rows."""
    random = np.random.default_rng(seed)
    f32 = _f32()
    shapes = [(SIDE, SIDE), (SIDE, SIDE), (SIDE,), (SIDE, 1)]
    block = Block(arg_types=[tensor(f32, shape) for shape in shapes])
    builder = Builder(InsertPoint.at_end(block))
    numbers: list[SSAValue] = list(block.args)
    flags: list[SSAValue] = []

    def pick(values: list[SSAValue]) -> SSAValue:
        recent = min(len(values), 6)
        return values[-1 - int(random.integers(recent))]

    for _ in range(size):
        x, y = pick(numbers), pick(numbers)
        square = [v for v in numbers if shape_of(v) == (SIDE, SIDE)]
        op: GraphOp
        match int(random.integers(10)):
            case 0:
                op = MatMulOp(pick(square), pick(square))
            case 1:
                op = SoftmaxOp(x, axis=-1)
            case 2:
                op = LessOp(x, y)
            case 3 if flags:
                op = WhereOp(pick(flags), x, y)
            case kind:
                unary, binary = [ReluOp, NegOp, AbsOp], [AddOp, MulOp, MaxOp]
                op = unary[kind % 3](x) if kind % 2 else binary[kind % 3](x, y)
        builder.insert(op)
        result = op.results[0]
        (flags if element_of(result) == i1 else numbers).append(result)
    builder.insert(ReturnOp(numbers[-1], pick(numbers)))
    types = [value.type for value in block.last_op.operands]  # pyright: ignore
    function = FuncOp("main", ([arg.type for arg in block.args], types), Region(block))
    return ModuleOp([function])


def _f32() -> Any:
    from xdsl.dialects.builtin import f32

    return f32


def evaluate(module: ModuleOp) -> list[Any]:
    (function,) = module.body.ops
    assert isinstance(function, FuncOp)
    block = function.body.block
    random = np.random.default_rng(99)
    values: dict[SSAValue, Any] = {
        arg: random.standard_normal(shape_of(arg)).astype(np.float32)
        for arg in block.args
    }
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, ReturnOp):
            return operands
        assert isinstance(op, GraphOp | FusedOp)
        values |= zip(op.results, op.evaluate(operands), strict=True)
    raise AssertionError


def work(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in module.walk() if isinstance(op, GraphOp))


def grouped(module: ModuleOp) -> ModuleOp:
    result = module.clone()
    GroupOpsPass().apply(Context(), result)
    return result


@pytest.mark.parametrize("seed", slow_but(range(40), *range(10)))
def test_results_and_work_stay_the_same(seed: int) -> None:
    module = random_module(seed, size=30)
    verify_module(module)
    after = grouped(module)
    verify_module(after)
    live = module.clone()
    dce(live)
    assert work(after) == work(live)
    for one, other in zip(evaluate(after), evaluate(module), strict=True):
        np.testing.assert_array_equal(one, other)
    assert str(grouped(module)) == str(after)
    again = after.clone()
    GroupOpsPass().apply(Context(), again)
    assert str(again) == str(after)


def test_interiors_have_one_shape_and_one_reader() -> None:
    found = 0
    for seed in range(20):
        for op in grouped(random_module(seed, size=40)).walk():
            if not isinstance(op, FusedOp):
                continue
            found += 1
            (output,) = op.outputs
            inner = [i for i in op.body.block.ops if isinstance(i, GraphOp)]
            assert all(shape_of(i.results[0]) == shape_of(output) for i in inner)
            assert 2 <= len(inner) <= MEMBERS
            assert not any(isinstance(i, MatMulOp) for i in inner[1:])
            assert not any(isinstance(i, SoftmaxOp) for i in inner)
    assert found > 20


def chain(length: int) -> ModuleOp:
    block = Block(arg_types=[tensor(_f32(), (2, 2))])
    value: SSAValue = block.args[0]
    for number in range(length):
        op = MatMulOp(value, value) if number % 9 == 0 else ReluOp(value)
        block.add_op(op)
        value = op.results[0]
    block.add_op(ReturnOp(value))
    type_ = block.args[0].type
    return ModuleOp([FuncOp("main", ([type_], [type_]), Region(block))])


def test_long_chains_become_groups_of_bounded_size() -> None:
    block = Block(arg_types=[tensor(_f32(), (2,))])
    value: SSAValue = block.args[0]
    for _ in range(3 * MEMBERS):
        op = ReluOp(value)
        block.add_op(op)
        value = op.results[0]
    block.add_op(ReturnOp(value))
    type_ = block.args[0].type
    module = ModuleOp([FuncOp("main", ([type_], [type_]), Region(block))])
    sizes = [
        sum(1 for _ in op.body.block.ops) - 1
        for op in grouped(module).walk()
        if isinstance(op, FusedOp)
    ]
    assert sizes == [MEMBERS] * 3


def test_long_epilogues_are_bounded() -> None:
    block = Block(arg_types=[tensor(_f32(), (2, 2))])
    value: SSAValue = block.args[0]
    for number in range(MEMBERS + 10):
        op = ReluOp(value) if number else MatMulOp(value, value)
        block.add_op(op)
        value = op.results[0]
    block.add_op(ReturnOp(value))
    type_ = block.args[0].type
    module = ModuleOp([FuncOp("main", ([type_], [type_]), Region(block))])
    first, second = (op for op in grouped(module).walk() if isinstance(op, FusedOp))
    assert sum(isinstance(op, GraphOp) for op in first.walk()) == MEMBERS
    assert sum(isinstance(op, GraphOp) for op in second.walk()) == 10


@pytest.mark.slow
def test_ten_thousand_ops_are_grouped_in_linear_time() -> None:
    assert is_linear(
        lambda length: partial(GroupOpsPass().apply, Context(), chain(length)), 250
    )
    module = chain(10_000)
    GroupOpsPass().apply(Context(), module)
    verify_module(module)
    assert sum(isinstance(op, FusedOp) for op in module.walk()) == 1111


def test_the_rule_of_a_kernel_says_what_takes_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def groups() -> int:
        block = Block(arg_types=[tensor(_f32(), (2, 2))])
        softmax = SoftmaxOp(block.args[0])
        relu = ReluOp(softmax.result)
        block.add_ops([softmax, relu, ReturnOp(relu.result)])
        type_ = block.args[0].type
        main = FuncOp("main", ([type_], [type_]), Region(block))
        return sum(isinstance(op, FusedOp) for op in grouped(ModuleOp([main])).walk())

    assert groups() == 0
    rule = rule_of(SoftmaxOp)
    assert rule is not None
    monkeypatch.setitem(RULES, SoftmaxOp, replace(rule, epilogue=-1))
    assert groups() == 1
