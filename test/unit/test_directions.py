"""Graph, memory and compiled code agree on what is an input and what an output."""

from __future__ import annotations

import models
import numpy as np
import pytest
from hypothesis import given, settings
from outputs_ready import outputs_ready
from random_states import Program, programs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import glow
from glow.analysis.directions import (
    accesses_to_symbols,
    directions_of,
    functions_of,
)
from glow.dialects.graph.placeholder import Placeholder
from glow.dialects.memory.storage import ReadyOp
from glow.graph_modules import context
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between
from glow.runtime.interface import Executable


def lowered(module: ModuleOp, done: str, last: str) -> ModuleOp:
    """Return a copy of `module`, which has come to `done`, at a later level."""
    found = module.clone()
    text = pipeline_text(stages_between(done, last), "cpu")
    run_passes(parse_passes(text), context(), found)
    return found


def declared(module: ModuleOp) -> dict[str, str]:
    return {
        op.sym_name.data: op.direction.data
        for op in module.ops
        if isinstance(op, Placeholder)
    }


def used(module: ModuleOp) -> dict[str, str]:
    """Return what the ops of `module` do to its placeholders."""
    names = declared(module)
    found = directions_of(functions_of(module))
    return {name: found[name] for name in found if name in names}


def compiled(net: Executable) -> dict[str, str]:
    """Return the directions by the table of symbols of compiled code."""
    return net.signature.directions


def is_within(used: str, declared: str) -> bool:
    """An update may be optimized to an input or an output; nothing else changes."""
    return declared in (used, "inout")


def check(module: ModuleOp) -> None:
    graph = lowered(module, "import", "layout")
    memory = lowered(graph, "layout", "memory")
    assert declared(graph) == declared(memory)
    assert compiled(glow.compile(glow.Model("net", module))) == (declared(memory))
    for level in (graph, memory):
        said = declared(level)
        assert all(is_within(each, said[name]) for name, each in used(level).items())
    # An update with what was there is no write to memory, and then no read either.
    kept = {p for p, d in used(graph).items() if used(memory).get(p) != d}
    assert all(_is_kept(graph, name) for name in kept)
    _check_last_writes(memory)


def _is_kept(graph: ModuleOp, name: str) -> bool:
    (main,) = functions_of(graph)
    found = accesses_to_symbols(main)[name]
    return (
        found.reads is not None
        and found.writes is not None
        and found.writes.operands[0] is found.reads.results[0]
    )


def _check_last_writes(memory: ModuleOp) -> None:
    """The mark of each output stands behind its last write, and before other ops."""
    (main,) = functions_of(memory)
    found, ready = accesses_to_symbols(main), outputs_ready(main)
    ops = list(main.body.block.ops)
    outputs = {n for n, direction in declared(memory).items() if direction != "in"}
    assert set(ready) == outputs
    for op in ops:
        if isinstance(op, ReadyOp):
            known = found.get(op.symbol.string_value())
            before = ops[: ops.index(op)]
            while before and isinstance(before[-1], ReadyOp):
                before.pop()
            writer = None if known is None else known.writes
            assert (before[-1] if before else None) is writer


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mlp", "lstm"])
def test_levels_agree_on_small_models(name: str) -> None:
    check(glow.load(models.build(name)).module)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted({*models.MODELS} - {*models.FILES}))
def test_levels_agree_on_all_models(name: str) -> None:
    check(glow.load(models.build(name)).module)


@pytest.mark.slow
@given(programs())
@settings(max_examples=5, deadline=None)
def test_levels_agree_on_random_programs(program: Program) -> None:
    check(parse_text(context(), program.text, "program"))


@pytest.mark.full
@given(programs())
@settings(max_examples=100, deadline=None)
def test_levels_agree_on_many_random_programs(program: Program) -> None:
    check(parse_text(context(), program.text, "program"))


@pytest.mark.slow
@given(programs())
@settings(max_examples=10, deadline=None)
def test_what_is_not_said_is_what_it_would_be(program: Program) -> None:
    text = program.text
    for direction in ("in", "out", "inout"):
        text = text.replace(f' "{direction}"', "")
    module = parse_text(context(), text, "program")
    run_passes(parse_passes("infer-io,verify-symbols"), context(), module)
    said = declared(parse_text(context(), program.text, "program"))
    assert declared(module) == said


TWO_FUNCTIONS = """
graph.placeholder @x "in" : tensor<2xf32>
graph.placeholder @w : tensor<2xf32>
graph.placeholder @y "out" : tensor<2xf32>
func.func @infer() {
  %x = graph.load @x : tensor<2xf32>
  %w = graph.load @w : tensor<2xf32>
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @y, %y : tensor<2xf32>
  func.return
}
func.func @train() {
  %x = graph.load @x : tensor<2xf32>
  %w = graph.load @w : tensor<2xf32>
  %v = graph.sub %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  graph.save @w, %v : tensor<2xf32>
  func.return
}
"""


def test_a_placeholder_is_what_each_function_makes_of_it() -> None:
    module = parse_text(context(), TWO_FUNCTIONS, "two")
    run_passes(parse_passes("infer-io,verify-symbols"), context(), module)
    infer, train = [op for op in module.ops if isinstance(op, FuncOp)]
    assert directions_of([infer]) == {"x": "in", "w": "in", "y": "out"}
    assert directions_of([train]) == {"x": "in", "w": "inout"}
    assert directions_of([infer, train]) == {"x": "in", "w": "inout", "y": "out"}
    assert declared(module) == directions_of(functions_of(module))


def test_last_writes_can_be_asked_of_the_graph_too() -> None:
    module = parse_text(context(), TWO_FUNCTIONS, "two")
    infer, train = functions_of(module)
    assert accesses_to_symbols(infer)["w"].writes is None
    assert accesses_to_symbols(infer)["w"].direction == "in"
    last = accesses_to_symbols(train)["w"].writes
    assert last is not None
    assert last.name == "graph.save"


def test_the_order_of_calls_is_that_of_the_last_writes() -> None:
    text = """
graph.placeholder @x "in" : tensor<4xf32>
graph.placeholder @b "out" : tensor<4xf32>
graph.placeholder @a "out" : tensor<4xf32>
func.func @main() {
  %x = graph.load @x : tensor<4xf32>
  %a = graph.cumsum %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.cumsum %a {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  graph.save @b, %b : tensor<4xf32>
  graph.save @a, %a : tensor<4xf32>
  func.return
}
"""
    module = parse_text(context(), text, "order")
    (main,) = functions_of(lowered(module, "import", "memory"))
    net = glow.compile(glow.Model("order", module))
    received: list[str] = []
    net.run(
        {"x": np.ones(4, np.float32)}, on_output=lambda name, _: received.append(name)
    )
    assert received == list(outputs_ready(main)) == ["a", "b"]
