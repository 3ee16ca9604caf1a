"""Graphs of equal structure have equal canonical text, and compute the same."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from canonical import canonical
from graph_code import module_of, run
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Commutative
from xdsl.utils.exceptions import PassFailedException

import glow
from glow.dialects.graph.activation import ReluOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.binary import AddOp, MaxOp, MulOp, SubOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.graph.unary import ExpOp, NegOp
from glow.graph_modules import context
from glow.model import Model, parse_text
from glow.passes.graph.canonical_form import CanonicalFormPass
from glow.unnamed_models import unnamed

F32 = np.float32
WEIGHTS = {"w": np.arange(12, dtype=F32), "v": np.linspace(0, 1, 12, dtype=F32)}


def random_module(random: Random) -> ModuleOp:
    """Return a module of elementwise ops, some of which are dead or twice there."""

    def body(*arguments: SSAValue, w: SSAValue, v: SSAValue) -> list[SSAValue]:
        values = [*arguments, w, v]
        for _ in range(random.randrange(1, 12)):
            kind = random.choice([AddOp, MulOp, SubOp, MaxOp, ReluOp, NegOp, LiteralOp])
            if kind is LiteralOp:
                size = random.choice([1, 12])
                array = np.array([random.randrange(3) for _ in range(size)], F32)
                values.append(LiteralOp(array).result)
            else:
                count = len(kind.get_irdl_definition().operands)
                values.append(kind(*random.choices(values, k=count)).results[0])
        return random.choices([v for v in values if v.type == w.type], k=2)

    return module_of([np.ones(12, F32)] * 2, WEIGHTS, body)


def disturb(module: ModuleOp, random: Random) -> None:
    """Rename values and constants, and reorder what may be in any order."""
    block = next(op for op in module.ops if op.name == "func.func").regions[0].block
    for op in block.ops:
        for result in op.results:
            result.name_hint = f"v{random.randrange(1000)}"
        if op.has_trait(Commutative) and random.random() < 0.5:
            op.operands = [*reversed(op.operands)]
    waiting, placed = list(block.ops), set[Operation]()
    end = waiting.pop()
    for op in (*waiting, end):
        op.detach()
    while waiting:
        ready = [
            op
            for op in waiting
            if all(
                value.owner is block or value.owner in placed for value in op.operands
            )
        ]
        op = random.choice(ready)
        waiting.remove(op)
        placed.add(op)
        block.add_op(op)
    block.add_op(end)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 1 << 32))
def test_names_and_orders_leave_the_text(seed: int, other: int) -> None:
    module = random_module(Random(seed))
    changed = module.clone()
    disturb(changed, Random(other))
    text = canonical(module, rename=True)
    assert canonical(changed, rename=True) == text
    again = parse_text(context(), text, "again.mlir")
    assert canonical(again) == text
    forms = [unnamed(Model("model", each.clone())) for each in (module, changed)]
    assert len({form.form for form in forms if form is not None}) == 1


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 32))
def test_the_form_computes_the_same_bits(seed: int) -> None:
    module = random_module(Random(seed))
    form = module.clone()
    CanonicalFormPass().apply(context(), form)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(12).astype(F32) for _ in range(2)]
    for found, expected in zip(run(form, arrays), run(module, arrays), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_another_structure_is_another_text() -> None:
    def text(op: type[GraphOp], swapped: bool) -> str:
        def body(x: SSAValue, y: SSAValue) -> list[SSAValue]:
            operands = (ExpOp(y).result, x) if swapped else (x, ExpOp(y).result)
            return [op(*operands).results[0]]

        return canonical(module_of([np.ones(3, F32)] * 2, {}, body))

    texts = {text(op, swapped) for op in (AddOp, SubOp, MaxOp) for swapped in (0, 1)}
    assert len(texts) == 5  # a sum commutes


def test_functions_that_compute_the_same_are_one_unless_composites() -> None:
    def text(names: tuple[str, str]) -> str:
        one, other = (glow.composite(name=name)(lambda x: x * 2) for name in names)
        return canonical(
            glow.trace(lambda x: one(x) - other(x), np.ones(3, F32)).module
        )

    assert text(("a", "a")).count("func.func private") == 1
    assert text(("a", "b")).count("func.func private") == 2


def test_placeholders_keep_their_names_unless_these_do_not_matter() -> None:
    text = str(module_of([np.ones(3, F32)], {}, lambda x: [ReluOp(x).result]))
    named = [
        parse_text(context(), text.replace("%0", f"%{name}"), "m") for name in "ab"
    ]
    assert canonical(named[0]) != canonical(named[1])
    assert canonical(named[0], True) == canonical(named[1], True)


def test_functions_of_several_blocks_are_refused() -> None:
    text = "func.func @main() {\n  cf.br ^bb1\n^bb1:\n  func.return\n}\n"
    module = parse_text(context(), text, "m")
    with pytest.raises(PassFailedException, match="expected @main to be one block"):
        CanonicalFormPass().apply(context(), module)
