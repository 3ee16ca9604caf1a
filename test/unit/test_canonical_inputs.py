"""What choices and loops pass on has one canonical order, and means the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from canonical import canonical
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import glow
from glow.graph_modules import context
from glow.model import Model, parse_text
from glow.passes.graph.canonical_form import CanonicalFormPass
from glow.unnamed_models import unnamed

F32 = np.float32
T = "tensor<2xf32>"
INPUTS = [np.array([1.5, -2], F32), np.array([-0.5, 3], F32), np.array([2, 0.25], F32)]


@dataclass(eq=False)
class Function:
    """What a callee computes: each step reads arguments and results of earlier ones."""

    arity: int
    steps: list[tuple[Any, ...]]


def random_function(random: Random, arity: int, depth: int, known: Any) -> Function:
    """Return a function of steps, some of which choose or repeat `known` functions."""
    made = Function(arity, [])
    for _ in range(random.randrange(1, 5)):
        count = arity + len(made.steps)
        kind = random.choice(
            ["add", "sub", "literal", "if", "loop"][: 5 if depth else 3]
        )
        inputs = [random.randrange(count) for _ in range(random.randrange(1, 5))]
        if kind in ("add", "sub"):
            step = (kind, *(random.randrange(count) for _ in range(2)))
        elif kind == "literal":
            step = (kind, random.randrange(3))
        else:
            taken = len(inputs) + (kind == "loop")
            callees = [f for f in known if f.arity == taken]
            for _ in range(2 - (kind == "loop")):
                if not callees or random.random() < 0.5:
                    callees.append(random_function(random, taken, depth - 1, known))
                    known.append(callees[-1])
            step = (kind, random.randrange(count), inputs, random.choices(callees, k=2))
        made.steps.append(step)
    return made


class Text:
    """The text of a function and its callees; `random` disturbs what calls pass on."""

    def __init__(self, main: Function, random: Random | None):
        self._random = random
        self._names: dict[Function, str] = {}
        self._functions: list[str] = []
        self._write("main", main, range(main.arity), main.arity, 0)

    def __str__(self) -> str:
        return "\n".join(reversed(self._functions))

    def _write(
        self, name: str, function: Function, places: Any, count: int, first: int
    ) -> None:
        t, scalar = T, "tensor<f32>"
        at = len(self._functions)
        self._functions.append("")
        values = [f"%a{place}" for place in places]
        lines = [f"%zero = graph.literal dense<0.0> : {scalar} : {scalar}"]
        for number, (kind, *parts) in enumerate(function.steps):
            new = f"%v{number}"
            if kind == "literal":
                lines.append(f"{new} = graph.literal dense<{parts[0]}.5> : {t} : {t}")
            elif kind in ("add", "sub"):
                x, y = (values[i] for i in parts)
                lines.append(f"{new} = graph.{kind} {x}, {y} : ({t}, {t}) -> {t}")
            else:
                own, inputs, callees = parts
                passed = [values[i] for i in inputs]
                lines += self._call(kind, new, values[own], passed, values, callees)
            values.append(new)
        head = ["%iteration: tensor<i64>"] * first + [
            f"%a{n}: {t}" for n in range(count)
        ]
        kind = "" if name == "main" else "private "
        lines.append(f"func.return {values[-1]} : {t}")
        self._functions[at] = "\n  ".join(
            [f"func.func {kind}@{name}({', '.join(head)}) -> {t} {{", *lines, "}"]
        )

    def _call(
        self, kind: str, new: str, own: str, passed: Any, values: Any, callees: Any
    ) -> list[str]:
        t, loops = T, int(kind == "loop")
        taken, random = passed, self._random
        if random is not None:
            taken = [*passed, *random.choices(values, k=random.randrange(3))]
            random.shuffle(taken)
        names: list[str] = []
        for callee in callees[: 2 - loops]:
            key = (callee, loops)
            if random is None and key in self._names:
                names.append(self._names[key])
                continue
            names.append(f"f{len(self._functions)}")
            self._names[key] = names[-1]
            places = list(range(len(passed)))
            if random is not None:
                equal = [[p for p, v in enumerate(taken) if v == x] for x in passed]
                places = [random.choice(each) for each in equal]
            places = [*range(loops), *(loops + place for place in places)]
            self._write(names[-1], callee, places, loops + len(taken), loops)
        operands, types = ", ".join(taken), ", ".join([t] * len(taken))
        if kind == "loop":
            return [
                f"{new}n = graph.literal dense<2> : tensor<i64> : tensor<i64>",
                f"{new} = graph.loop @{names[0]} limit {new}n : tensor<i64> carries "
                f"({own} : {t}) with ({operands} : {types}) -> {t}",
            ]
        return [
            f"{new}s = graph.reduce_sum {own} {{axes = array<i64: 0>}} : ({t}) -> "
            "tensor<f32>",
            f"{new}c = graph.greater {new}s, %zero : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>",
            f"{new} = graph.if {new}c then @{names[0]} else @{names[1]} ({operands}) "
            f": (tensor<i1>, {types}) -> {t}",
        ]


def module_of(main: Function, random: Random | None = None) -> ModuleOp:
    return parse_text(context(), str(Text(main, random)), "m.mlir")


def outputs(module: ModuleOp) -> list[np.ndarray]:
    net = glow.compile(Model("m", module.clone()), target="reference")
    return list(net.run(INPUTS).values())


def random_main(seed: int) -> Function:
    return random_function(Random(seed), len(INPUTS), 2, [])


SEEDS = st.integers(0, 1 << 32)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(SEEDS, SEEDS)
def test_orders_and_copies_of_inputs_leave_the_text(seed: int, other: int) -> None:
    main = random_main(seed)
    module, changed = module_of(main), module_of(main, Random(other))
    text = canonical(module)
    assert canonical(changed) == text
    assert canonical(parse_text(context(), text, "again.mlir")) == text
    forms = [unnamed(Model("m", each)) for each in (module, changed)]
    assert None not in forms


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(SEEDS, SEEDS)
def test_the_form_computes_the_same(seed: int, other: int) -> None:
    module = module_of(random_main(seed), Random(other))
    form = module.clone()
    CanonicalFormPass().apply(context(), form)
    form.verify()
    np.testing.assert_array_equal(outputs(form), outputs(module))


def reached(function: Function) -> list[Function]:
    callees = [f for step in function.steps if len(step) > 3 for f in step[3]]
    return [function, *(f for callee in callees for f in reached(callee))]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(SEEDS, SEEDS)
def test_what_has_one_text_computes_the_same(seed: int, other: int) -> None:
    """Somewhere another value is passed, or another literal is there."""
    main, random = random_main(seed), Random(other)
    first = module_of(main)
    steps = random.choice(reached(main)).steps
    place = random.randrange(len(steps))
    kind, *rest = steps[place]
    if kind == "literal":
        rest[0] += 1
    elif kind in ("add", "sub"):
        rest.reverse()
    elif random.random() < 0.5:
        rest[1] = random.sample(rest[1], len(rest[1]))
    else:
        rest[2] = rest[2][::-1]
    steps[place] = (kind, *rest)
    second = module_of(main, random)
    if canonical(first) == canonical(second):
        np.testing.assert_array_equal(outputs(first), outputs(second))
