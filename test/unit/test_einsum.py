"""Einstein sums as products of pairs: the same numbers, no more work than needed."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from string import ascii_letters

import numpy as np
import pytest
from counted_calls import count_calls
from graph_code import module_of
from random_ops import calls
from random_ops.call import Call
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

import glow
from glow.dialects.graph.linear import EinsumOp, MatMulOp
from glow.passes.graph.decompose_einsum import DecomposeEinsumPass
from glow.support.types import shape_of


def decomposed(call: Call) -> ModuleOp:
    """Return a module with `call` in its parts."""

    def body(*values: SSAValue) -> list[SSAValue]:
        return [call.build(values).results[0]]

    module = module_of(call.arrays, {}, body)
    DecomposeEinsumPass().apply(Context(), module)
    assert not any(isinstance(op, EinsumOp) for op in module.walk())
    return module


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_parts_give_what_the_equation_says(seed: int) -> None:
    for call in calls("graph.einsum", 25, seed):
        (array,) = call.expected()
        found = glow.compile(decomposed(call), target="reference")(*call.arrays)
        wide = 1e-12 if array.dtype == np.float64 else 1e-4
        np.testing.assert_allclose(found, array, wide, wide, err_msg=str(call))


def work(equation: str, *shapes: tuple[int, ...]) -> int:
    """Return how many multiplications the matrix products of a sum take."""
    arrays = [np.zeros(shape, np.float32) for shape in shapes]
    module = decomposed(Call(EinsumOp, (arrays,), {"equation": equation}))
    products = [op for op in module.walk() if isinstance(op, MatMulOp)]
    depths = [shape_of(op.lhs)[-2 if op.transpose_lhs else -1] for op in products]
    results = [prod(shape_of(op.result)) for op in products]
    return sum(depth * size for depth, size in zip(depths, results, strict=True))


def test_chains_are_contracted_from_their_short_end() -> None:
    shapes = (2, 30), (30, 40), (40, 50)
    assert work("ab,bc,cd->ad", *shapes) == 2 * 30 * 40 + 2 * 40 * 50
    swapped = tuple(shape[::-1] for shape in shapes[::-1])
    assert work("dc,cb,ba->da", *swapped) == 2 * 30 * 40 + 2 * 40 * 50


def test_many_operands_take_no_joint_loop() -> None:
    letters = "abcdefghijkl"
    terms = [x + y for x, y in pairwise(letters)]
    equation = f"{','.join(terms)}->{letters[0]}{letters[-1]}"
    assert work(equation, *[(8, 8)] * len(terms)) == (len(terms) - 1) * 8**3


@pytest.mark.slow
def test_a_thousand_operands_are_paired() -> None:
    labels = [
        f"{ascii_letters[i % 52]}{ascii_letters[(i + 1) % 52]}" for i in range(1_000)
    ]
    b = glow.Builder()
    inputs = [b.input(f"x{i}", (2, 2)) for i in range(len(labels))]
    b.output("y", b.einsum(inputs, equation=",".join(labels) + "->a"))
    module = b.model().module
    calls = count_calls(lambda: DecomposeEinsumPass().apply(Context(), module))
    assert calls < 10_500_000  # a tenth more than it does
    names = [op.name for op in module.walk()]
    assert names.count("graph.matmul") + names.count("graph.mul") == 999
