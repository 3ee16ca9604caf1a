"""Rewrites that move nothing but elements, exhaustively: all operands of a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest
from graph_code import module_of, run
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from glow.dialects.graph.indexing import GatherOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.slicing import SliceOp
from glow.graph_modules import context
from glow.passes.graph.fold_gathers import FoldGathersPass
from glow.passes.graph.fold_movement import FoldMovementPass
from glow.passes.graph.remove_identities import RemoveIdentitiesPass
from glow.support.errors import ExecutionError

pytestmark = pytest.mark.slow

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def numbered(shape: Shape) -> Array:
    return np.arange(prod(shape), dtype=np.float32).reshape(shape)


def same(
    given: Sequence[Array],
    body: Callable[..., Sequence[SSAValue]],
    each: type[ModulePass] = FoldMovementPass,
    **constants: Array,
) -> ModuleOp:
    """Return a module after a pass, which must give what it gave before."""
    module = module_of(given, constants, body)
    expected = run(module, given)
    each().apply(context(), module)
    for found, wanted in zip(run(module, given), expected, strict=True):
        assert (found.shape, found.tobytes()) == (wanted.shape, wanted.tobytes())
    return module


def count(module: ModuleOp, *kinds: type) -> int:
    return sum(isinstance(op, kinds) for op in module.walk())


def shapes(rank: int, extents: Sequence[int] = (1, 2)) -> Iterator[Shape]:
    return product(extents, repeat=rank)


@pytest.mark.parametrize("rank", [1, 2, 3, pytest.param(4, marks=pytest.mark.full)])
def test_two_transposes_are_one(rank: int) -> None:
    x = numbered((2, 3, 4, 5)[:rank])
    for p, q in product(permutations(range(rank)), repeat=2):

        def body(value: SSAValue, p: Shape = p, q: Shape = q) -> Sequence[SSAValue]:
            inner = TransposeOp(value, permutation=p)
            return [TransposeOp(inner.result, permutation=q).result]

        assert count(same([x], body), TransposeOp) <= 1, (p, q)


def test_transposes_of_one_value_are_shared_where_they_are_equal() -> None:
    x = numbered((2, 2, 2))
    for p, q in product(permutations(range(3)), repeat=2):

        def body(value: SSAValue, p: Shape = p, q: Shape = q) -> Sequence[SSAValue]:
            return [TransposeOp(value, permutation=each).result for each in (p, q)]

        wanted = len({p, q} - {(0, 1, 2)})
        assert count(same([x], body), TransposeOp) == wanted, (p, q)


def test_transposes_and_expansions_of_ones_are_reshapes() -> None:
    for shape, order in product(shapes(3), permutations(range(3))):

        def turn(value: SSAValue, order: Shape = order) -> Sequence[SSAValue]:
            return [TransposeOp(value, permutation=order).result]

        left = same([numbered(shape)], turn)
        kept = [axis for axis in order if shape[axis] > 1]
        assert count(left, TransposeOp) == (kept != sorted(kept)), (shape, order)
    for shape, rank in product(shapes(2), (2, 3)):
        for after in shapes(rank):
            if any(
                n not in (1, m) for n, m in zip(shape[::-1], after[::-1], strict=False)
            ):
                continue

            def widen(value: SSAValue, after: Shape = after) -> Sequence[SSAValue]:
                return [ExpandOp(value, shape=after).result]

            left = same([numbered(shape)], widen)
            grows = prod(after) > prod(shape)
            assert count(left, ExpandOp) == grows, (shape, after)


def test_chains_of_reshapes_and_of_expansions_are_one() -> None:
    for one, two, three in product(((2, 6), (12,), (3, 1, 4), (1, 12)), repeat=3):

        def reshape(
            value: SSAValue, two: Shape = two, three: Shape = three
        ) -> Sequence[SSAValue]:
            return [ReshapeOp(ReshapeOp(value, shape=two).result, shape=three).result]

        assert count(same([numbered(one)], reshape), ReshapeOp) <= 1
    for first, second in (((1, 3), (2, 3)), ((2, 1), (2, 4)), ((1, 1, 1), (2, 3, 4))):

        def expand(
            value: SSAValue, first: Shape = first, second: Shape = second
        ) -> Sequence[SSAValue]:
            inner = ExpandOp(value, shape=first)
            return [ExpandOp(inner.result, shape=second).result]

        assert count(same([numbered((1, 1))], expand), ExpandOp) == 1


def test_transposes_of_factors_are_flags() -> None:
    """Of square matrices, so that a wrong order changes numbers and not shapes."""
    for rank in (2, 3):
        a, b = numbered((2,) * rank), numbered((2,) * rank)[::-1].copy()
        flags = product((False, True), repeat=2)
        orders = product(permutations(range(rank)), repeat=2)
        for (left, right), (p, q) in product(flags, orders):

            def body(
                x: SSAValue,
                y: SSAValue,
                p: Shape = p,
                q: Shape = q,
                left: bool = left,
                right: bool = right,
            ) -> Sequence[SSAValue]:
                factors = (
                    TransposeOp(x, permutation=p).result,
                    TransposeOp(y, permutation=q).result,
                )
                flags = {"transpose_lhs": left, "transpose_rhs": right}
                return [MatMulOp(*factors, **flags).result]

            same([a, b], body)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_gathers_of_every_short_list_of_places(length: int) -> None:
    """Regular places inside become slices, others stay, wrong ones fail as before."""
    folded = 0
    for extent, axis in product((1, 2, 3), (0, 1)):
        x = numbered((extent, 2) if axis == 0 else (2, extent))
        for places in product(range(-extent - 1, extent + 2), repeat=length):
            indices = np.array(places, np.int64)

            def body(
                value: SSAValue, at: SSAValue, axis: int = axis
            ) -> Sequence[SSAValue]:
                return [GatherOp(value, at, axis=axis).result]

            if all(-extent <= place < extent for place in places):
                left = same([x], body, FoldGathersPass, at=indices)
                folded += not count(left, GatherOp)
                continue
            module = module_of([x], {"at": indices}, body)
            FoldGathersPass().apply(context(), module)
            assert count(module, GatherOp) == 1, (extent, places)
            with pytest.raises((ExecutionError, IndexError)):
                run(module, [x])
    assert folded


def test_slices_go_only_where_they_take_all_in_order() -> None:
    for extent, step in product((1, 2, 3, 4), (-2, -1, 1, 2)):
        for start, size in product(range(extent), range(1, extent + 1)):
            if not 0 <= start + (size - 1) * step < extent:
                continue

            def body(
                value: SSAValue, start: int = start, size: int = size, step: int = step
            ) -> Sequence[SSAValue]:
                parameters = {"starts": [start], "sizes": [size], "steps": [step]}
                return [SliceOp(value, **parameters).result]

            left = same([numbered((extent,))], body, RemoveIdentitiesPass)
            taken = [start + i * step for i in range(size)]
            assert count(left, SliceOp) == (taken != list(range(extent)))
