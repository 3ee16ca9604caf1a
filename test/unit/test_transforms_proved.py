"""
Folding of transforms, exhaustively: all pairs of layouts, with all movements between.

The bytes of each value are read where its layout says (`reference-checked`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from every_layout import layouts
from numpy.typing import NDArray
from random_movements import Program, reshape, transposed
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import SSAValue

import glow
from glow.dialects.layout.transform import TransformOp
from glow.graph_modules import context
from glow.passes.layout.fold_layout_transforms import FoldLayoutTransformsPass
from glow.passes.layout.verify_layouts import VerifyLayoutsPass
from glow.support.layout import Layout

pytestmark = pytest.mark.slow

Array = NDArray[Any]
Move = Callable[[Program, SSAValue], SSAValue | None]

MOVES: dict[str, tuple[Move, Callable[[Array], Array]]] = {
    "nothing": (lambda program, value: value, lambda x: x),
    "turned": (lambda p, value: transposed(p, value, (1, 0)), np.transpose),
}


def merged_or_split(shape: Sequence[int]) -> tuple[Move, Callable[[Array], Array]]:
    """Return a movement that takes [A, B] to another shape."""
    wanted = tuple(shape)
    return lambda p, value: reshape(p, value, wanted), lambda x: x.reshape(wanted)


MOVES |= {
    str(list(shape)): merged_or_split(shape)
    for shape in ((12,), (2, 6), (6, 2), (1, 3, 4), (3, 2, 2))
}


CASES = [(move, 1) for move in MOVES]
CASES += [pytest.param(move, 2, marks=pytest.mark.full) for move in list(MOVES)[:-2]]


def folded(module: ModuleOp) -> ModuleOp:
    """Return `module` after the pass, which must leave no more transforms."""
    before = transforms(module)
    FoldLayoutTransformsPass().apply(context(), module)
    module.verify()
    VerifyLayoutsPass(target="reference-checked").apply(context(), module)
    assert transforms(module) <= before
    return module


def transforms(module: ModuleOp) -> int:
    return sum(isinstance(op, TransformOp) for op in module.walk())


def pairs(rank: int, most: int) -> Iterator[tuple[Layout, Layout]]:
    """Return layouts of rank 2 and `rank` with `most` blocks and borders together."""
    sides = ([x for x in layouts(r) if extras(x) <= most] for r in (2, rank))
    for first, second in product(*sides):
        if extras(first) + extras(second) <= most:
            yield first, second


@cache
def extras(layout: Layout) -> int:
    """Return how many blocks and borders a layout has."""
    return len(layout.dims) - layout.rank + sum(map(sum, layout.halo))


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize(("move", "most"), CASES)
def test_transforms_around_a_movement(move: str, constant: bool, most: int) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    program, (build, expected) = Program(f32), MOVES[move]
    source = program.constant("w", x) if constant else program.input("x", x.shape)
    wanted = expected(x)
    for first, second in pairs(wanted.ndim, most):
        value = build(program, program.add(TransformOp(source, first)))
        if value is None:
            continue
        program.save(program.add(TransformOp(value, second)))
    given = {} if constant else {"x": x}
    found = glow.compile(folded(program.finish()), "reference-checked").run(given)
    assert found or move not in ("nothing", "turned")
    assert all(array.tobytes() == wanted.tobytes() for array in found.values())
