"""Sinking and hoisting transposes ends, pays and changes no value of random graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter

from glow.analysis.validity import verify_module
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.logic import LessOp
from glow.dialects.graph.movement import ReshapeOp, TileOp, TransposeOp
from glow.dialects.graph.pooling import GlobalMaxPoolOp
from glow.dialects.graph.reduction import ReduceMaxOp, ReduceSumOp
from glow.dialects.graph.reordering import Reordering
from glow.dialects.graph.select import WhereOp
from glow.dialects.graph.slicing import PadOp, SliceOp
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.graph.unary import NegOp
from glow.graph_modules import context
from glow.pass_manager import parse_passes, run_passes
from glow.passes.graph.reordered_ops import Reorderer
from glow.passes.graph.transposes import cost_of
from glow.support.types import element_type_of, shape_of, tensor

Array = NDArray[Any]
Draw = Callable[..., Any]
F32 = element_type_of(np.dtype(np.float32))
SHAPES = [(2, 3, 4, 5), (1, 4, 4, 2), (3, 2, 2), (4, 6)]


class Graph:
    """A function under construction, and the values that ops can take."""

    def __init__(self, shapes: Sequence[tuple[int, ...]]):
        self.block = Block(arg_types=[tensor(F32, shape) for shape in shapes])
        self.values: list[SSAValue] = list(self.block.args)

    def add(self, op: Any) -> None:
        self.block.add_op(op)
        self.values += op.results

    def module(self, results: Sequence[SSAValue]) -> ModuleOp:
        self.block.add_op(ReturnOp(*results))
        inputs = [argument.type for argument in self.block.args]
        type_ = FunctionType.from_lists(inputs, [value.type for value in results])
        return ModuleOp([FuncOp("main", type_, Region(self.block))])


def permutation(draw: Draw, value: SSAValue) -> tuple[int, ...]:
    return tuple(draw(st.permutations(range(len(shape_of(value))))))


def transposed(graph: Graph, value: SSAValue, draw: Draw) -> None:
    graph.add(TransposeOp(value, permutation=permutation(draw, value)))


def with_partner(graph: Graph, value: SSAValue, draw: Draw) -> None:
    """Join two values, of which one may have to be transposed to fit."""
    shape = shape_of(value)
    fitting = [v for v in graph.values if sorted(shape_of(v)) == sorted(shape)]
    other = draw(st.sampled_from(fitting))
    if shape_of(other) != shape:
        left = list(range(len(shape)))
        order: list[int] = []
        for extent in shape:
            axis = next(a for a in left if shape_of(other)[a] == extent)
            left.remove(axis)
            order.append(axis)
        graph.add(TransposeOp(other, permutation=order))
        other = graph.values[-1]
    match draw(st.integers(0, 3)):
        case 0:
            graph.add(AddOp(value, other))
        case 1:
            less = LessOp(value, other)
            graph.block.add_op(less)
            graph.add(WhereOp(less.result, other, value))
        case 2:
            axis = draw(st.integers(0, len(shape) - 1)) if shape else None
            if axis is not None and shape[axis] < 6:
                graph.add(ConcatOp([value, other], axis=axis))
        case _:
            graph.add(AddOp(other, value))


def with_constant(graph: Graph, value: SSAValue, draw: Draw) -> None:
    shape = shape_of(value)[draw(st.integers(0, len(shape_of(value)))) :]
    extents = [draw(st.sampled_from([1, extent])) for extent in shape]
    literal = LiteralOp(np.arange(np.prod(extents, dtype=int), dtype=np.float32) % 3)
    literal = LiteralOp(literal.array.reshape(extents))
    graph.block.add_op(literal)
    graph.add(draw(st.sampled_from([AddOp, MulOp]))(value, literal.result))


def with_product(graph: Graph, value: SSAValue, draw: Draw) -> None:
    """Flatten, multiply by a constant, and split the columns."""
    shape = shape_of(value)
    if len(shape) < 2:
        return
    columns = int(np.prod(shape[1:]))
    flat = ReshapeOp(value, shape=(shape[0], columns))
    numbers = np.random.default_rng(columns).integers(-1, 2, (columns, 12))
    weight = LiteralOp(numbers.astype(np.float32))
    is_transposed = draw(st.booleans())
    if is_transposed:
        weight = LiteralOp(np.ascontiguousarray(weight.array.T))
    biases = [None, LiteralOp(np.arange(12, dtype=np.float32))]
    bias = draw(st.sampled_from(biases))
    graph.block.add_ops([flat, weight, *([] if bias is None else [bias])])
    product = MatMulOp(
        flat.result,
        weight.result,
        None if bias is None else bias.result,
        transpose_rhs=is_transposed,
    )
    graph.add(product)
    graph.add(ReshapeOp(product.result, shape=(shape[0], 3, 2, 2)))


def alone(graph: Graph, value: SSAValue, draw: Draw) -> None:
    shape = shape_of(value)
    axis = draw(st.integers(0, max(len(shape) - 1, 0)))
    match draw(st.integers(0, 9)) if shape else 0:
        case 1:
            pads = [0] * (2 * len(shape))
            pads[axis] = 1
            graph.add(PadOp(value, pads=pads))
        case 2:
            starts = [0] * len(shape)
            sizes = [max(1, extent - 1) for extent in shape]
            graph.add(
                SliceOp(value, starts=starts, sizes=sizes, steps=[1] * len(shape))
            )
        case 3:
            first = shape[axis] // 2
            graph.add(SplitOp(value, axis=axis, sizes=(first, shape[axis] - first)))
        case 4:
            cls = draw(st.sampled_from([ReduceSumOp, ReduceMaxOp]))
            graph.add(cls(value, axes=[axis], keepdims=draw(st.booleans())))
        case 5 if axis + 1 < len(shape):
            merged = shape[axis] * shape[axis + 1]
            graph.add(
                ReshapeOp(value, shape=(*shape[:axis], merged, *shape[axis + 2 :]))
            )
        case 6 if shape[axis] % 2 == 0:
            new = (*shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :])
            graph.add(ReshapeOp(value, shape=new))
        case 7 if len(shape) > 2:
            graph.add(GlobalMaxPoolOp(value))
        case 8 if np.prod(shape) < 200:
            graph.add(
                TileOp(
                    value, repeats=[2 if a == axis else 1 for a in range(len(shape))]
                )
            )
        case _:
            graph.add(NegOp(value))


@st.composite
def modules(draw: Draw) -> str:
    """Return the text of a module, which a failure can show."""
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=2))
    graph = Graph(shapes)
    steps = [transposed, transposed, with_partner, with_constant, with_product, alone]
    for _ in range(draw(st.integers(2, 10))):
        step = draw(st.sampled_from(steps))
        usable = [v for v in graph.values if 0 not in shape_of(v)]
        step(graph, draw(st.sampled_from(usable[-4:])), draw)
    unread = [value for value in graph.values if not value.uses]
    return str(graph.module(unread or graph.values[-1:]))


def constants_of(module: ModuleOp) -> dict[str, Array]:
    return {
        op.sym_name.data: op.array
        for op in module.ops
        if isinstance(op, ConstantOp) and op.array is not None
    }


def evaluated(module: ModuleOp) -> list[Array]:
    """Return what `main` returns for inputs of small whole numbers."""
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    known: dict[SSAValue, Array] = {}
    for argument in main.body.block.args:
        shape = shape_of(argument)
        numbers = np.random.default_rng(len(known)).integers(-3, 4, shape)
        known[argument] = numbers.astype(np.float32)
    constants = constants_of(module)
    for op in main.body.block.ops:
        match op:
            case LiteralOp():
                known[op.result] = op.array
            case LoadOp():
                known[op.result] = constants[op.symbol.string_value()]
            case GraphOp():
                found = op.evaluate([known[value] for value in op.operands])
                known |= zip(op.results, found, strict=True)
            case _:
                return [known[value] for value in op.operands]
    raise AssertionError("expected a terminator")


Measure = tuple[int, list[int]]


def measure(module: Operation, downwards: bool) -> Measure:
    """
    Return what the transposes cost, and how many other ops follow (or precede) each.

    Lists, largest first, compare as the multisets that they are.
    """
    transposes = [op for op in module.walk() if isinstance(op, TransposeOp)]
    read = [op for op in transposes if op.result.uses and cost_of(op)]
    pairs = {(op.input, op.permutation): op for op in read}
    counts = sorted((len(beyond(op, downwards)) for op in pairs.values()), reverse=True)
    return sum(map(cost_of, pairs.values())), counts


def beyond(op: Operation, downwards: bool) -> set[Operation]:
    found: set[Operation] = set()
    pending = [op]
    while pending:
        for other in neighbors(pending.pop(), downwards):
            if other not in found and not isinstance(other, LiteralOp | LoadOp):
                found.add(other)
                pending.append(other)
    return {op for op in found if not isinstance(op, TransposeOp)}


def neighbors(op: Operation, downwards: bool) -> list[Operation]:
    if downwards:
        return [use.operation for result in op.results for use in result.uses]
    return [v.owner for v in op.operands if isinstance(v.owner, Operation)]


def root_of(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None:
        op = parent
    return op


@pytest.fixture(scope="module")
def turns_that_pay() -> Any:
    """Raise where a turn does not lower the measure."""
    downwards = [True]
    plain = Reorderer.reorder

    def reorder(
        self: Reorderer, ops: Mapping[GraphOp, Reordering], rewriter: PatternRewriter
    ) -> None:
        root = root_of(next(iter(ops)))
        before = measure(root, downwards[0])
        plain(self, ops, rewriter)
        after = measure(root, downwards[0])
        assert after < before, f"expected less than {before}, got {after}"

    Reorderer.reorder = reorder
    yield downwards
    Reorderer.reorder = plain


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sink-transposes", "hoist-transposes"])
@settings(max_examples=60)
@given(modules())
def test_random_graphs(turns_that_pay: list[bool], name: str, text: str) -> None:
    module = Parser(context(), text).parse_module()
    turns_that_pay[0] = name == "sink-transposes"
    expected = evaluated(module)
    run_passes(parse_passes("fold-movement,remove-identities"), context(), module)
    before = measure(module, turns_that_pay[0])[0]
    (sink,) = parse_passes(name)
    run_passes([sink], context(), module)
    verify_module(module)
    for found, array in zip(evaluated(module), expected, strict=True):
        np.testing.assert_allclose(found, array, rtol=1e-5)  # sums in another order
    assert measure(module, turns_that_pay[0])[0] <= before
    once = str(module)
    run_passes([sink], context(), module)
    assert str(module) == once
    # What came to lie side by side may vanish, such as a negation of a negation.
    before = measure(module, turns_that_pay[0])[0]
    merging = parse_passes("fold-movement,remove-identities")
    run_passes([*merging, sink], context(), module)
    assert measure(module, turns_that_pay[0])[0] <= before
