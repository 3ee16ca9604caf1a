"""Groups of ops that have gradients: convex, and as few as a search over all finds."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from graph_code import module_of, run
from xdsl.context import Context
from xdsl.dialects.builtin import f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from glow.dialects.graph.binary import AddOp
from glow.dialects.graph.select import BitcastOp
from glow.passes.gradients import reason_against
from glow.passes.graph.inline_functions import InlineFunctionsPass
from glow.passes.graph.outline_differentiable import (
    OutlineDifferentiablePass,
    levels_of,
    merge_groups,
)

X = np.float32([1.5, -2.0])


def random_ops(seed: int, count: int, x: object) -> list[Operation]:
    """Return ops that read values before them; some of them have no gradient."""
    rng, ops, values = np.random.default_rng(seed), list[Operation](), [x]
    for _ in range(count):
        one, other = (values[i] for i in rng.integers(0, len(values), 2))
        is_cut = rng.random() < 0.4
        ops.append(BitcastOp(one, to=f32) if is_cut else AddOp(one, other))
        values.append(ops[-1].results[0])
    return ops


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        for place in range(len(rest)):
            yield [*rest[:place], [items[0], *rest[place]], *rest[place + 1 :]]
        yield [[items[0]], *rest]


def reachable(ops: Sequence[Operation]) -> np.ndarray:
    """Return which ops depend on which: row by column."""
    numbers = {op: i for i, op in enumerate(ops)}
    found = np.zeros((len(ops), len(ops)), bool)
    for i, op in enumerate(ops):
        for operand in op.operands:
            if operand.owner in numbers:
                j = numbers[operand.owner]
                found[i] |= found[j]
                found[i, j] = True
    return found


def is_convex(group: Sequence[int], depends: np.ndarray) -> bool:
    inside = np.isin(np.arange(len(depends)), group)
    behind, before = depends[:, inside].any(1), depends[inside].any(0)
    return not (behind & before & ~inside).any()


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_convex_and_as_few_as_can_be(seed: int) -> None:
    module = module_of([X], {}, lambda x: [x])
    (main,) = (op for op in module.ops if isinstance(op, FuncOp))
    ops = random_ops(seed, 7, main.body.block.args[0])
    levels, depends = levels_of(ops), reachable(ops)
    smooth = [i for i, op in enumerate(ops) if not reason_against(op)]
    groups = [
        [i for i in smooth if levels[ops[i]] == level]
        for level in {levels[ops[i]] for i in smooth}
    ]
    assert all(is_convex(group, depends) for group in groups)
    least = min(
        len(each)
        for each in partitions(smooth)
        if all(is_convex(group, depends) for group in each)
    )
    assert len(groups) == least


@pytest.mark.parametrize("seed", range(100))
def test_groups_are_merged_if_that_is_convex(seed: int) -> None:
    module = module_of([X], {}, lambda x: [x])
    (main,) = (op for op in module.ops if isinstance(op, FuncOp))
    block = main.body.block
    ops = random_ops(seed, 9, block.args[0])
    for op in ops:
        block.insert_op_before(op, block.last_op)
    rng = np.random.default_rng(seed)
    one, other = ([*np.flatnonzero(rng.random(9) < 0.3)] or [0] for _ in range(2))
    union = sorted({*one, *other})
    made = merge_groups([ops[i] for i in one], [ops[i] for i in other])
    if is_convex(union, reachable(ops)):
        assert made == [ops[i] for i in union]
    else:
        assert made is None


@pytest.mark.parametrize("seed", range(8))
def test_the_function_computes_what_it_did(seed: int) -> None:
    module = module_of([X], {}, lambda x: _results(seed, x))
    before = run(module, [X])
    OutlineDifferentiablePass(least=1).apply(Context(), module)
    module.verify()
    assert sum(isinstance(op, FuncOp) for op in module.ops) > 1
    InlineFunctionsPass().apply(Context(), module)
    for op in list(module.ops):
        if isinstance(op, FuncOp) and op.sym_name.data != "main":
            op.detach()
    for expected, found in zip(before, run(module, [X]), strict=True):
        np.testing.assert_array_equal(found, expected)


def _results(seed: int, x: object) -> list[object]:
    return [op.results[0] for op in random_ops(seed, 7, x)[-3:]]
