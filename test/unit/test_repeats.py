"""Calls that are repeated for ops alike are those that their rules would make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any

import exported
import models
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

import glow
from glow.graph_modules import context
from glow.lowering.memory_to_loops import MemoryToLoopsPass
from glow.lowering.memory_to_loops.repeats import Repeats
from glow.model import parse_text
from glow.pass_manager import parse_passes, pipeline_text, run_passes
from glow.pipeline import stages_between


def memory_of(source: Any, dims: Mapping[str, int]) -> ModuleOp:
    """Return a model at the memory level."""
    module = glow.load(source, dims=dims).module
    text = pipeline_text(stages_between("import", "memory"), "cpu")
    run_passes(parse_passes(text), context(), module)
    return module


def both(
    module: ModuleOp, piece_ns: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str, int]:
    """Return the loops level with and without repeats, and how many there were."""
    found: list[int] = []
    find = Repeats.find

    def counted(self: Repeats, likeness: Any) -> Any:
        known = find(self, likeness)
        found.append(known is not None)
        return known

    texts: list[str] = []
    for way in (counted, lambda *_: None):
        copy = module.clone()
        with monkeypatch.context() as patch:
            patch.setattr(Repeats, "find", way)
            run = MemoryToLoopsPass("cpu", "declared", piece_ns=piece_ns)
            run_passes([run], context(), copy)
        texts.append(text_of(copy))
    return texts[0], texts[1], sum(found)


def text_of(module: ModuleOp) -> str:
    text = StringIO()
    Printer(stream=text).print_op(module)
    return text.getvalue()


SOURCES: dict[str, tuple[Callable[[], Any], dict[str, int], int]] = {
    "bert": (lambda: exported.read("bert"), {"batch": 2, "sequence": 24}, 8),
    "encoder": (lambda: models.encoder(2), {}, 20),
    "shufflenet": (lambda: models.build("shufflenet"), {}, 40),
    "unet": (lambda: models.build("unet"), {}, 1),
}
"""Models, their extents, and how many of their ops are like others, at least."""


@pytest.mark.slow
@pytest.mark.parametrize("piece_ns", [0, 500])
@pytest.mark.parametrize("name", SOURCES)
def test_repeated_calls_are_those_of_the_rules(
    name: str, piece_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, dims, least = SOURCES[name]
    repeated, made, count = both(memory_of(source(), dims), piece_ns, monkeypatch)
    assert repeated == made
    assert count >= least


ALIKE = """
builtin.module attributes {glow.arena_bytes = 4096 : i64} {
  memory.constant @c #graph.resource<"DIGEST"> : memref<64xi32>
  memory.placeholder @x "in" : memref<64xi32>
  memory.placeholder @y "out" : memref<64xi32>
  func.func @main() {
    %c = memory.get @c : memref<64xi32>
    %x = memory.get @x : memref<64xi32>
    %y = memory.get @y : memref<64xi32>
    %a = memory.alloc {offset = 0 : i64} : memref<64xi32>
    %b = memory.alloc {offset = 256 : i64} : memref<64xi32>
    %small = memory.alloc {offset = 512 : i64} : memref<64xf32>
    %large = memory.alloc {offset = 1024 : i64} : memref<128xf32>
    %p = memory.view %small : memref<64xf32> -> memref<64xi32>
    %q = memory.view %large : memref<128xf32> -> memref<64xi32>
    STEPS
    func.return
  }
}
"""


def step(op: str, lhs: str, rhs: str, result: str) -> str:
    types = ", ".join(["memref<64xi32>"] * 2)
    return (
        f"memory.elementwise ins(%{lhs}, %{rhs} : {types}) "
        f"outs(%{result} : memref<64xi32>) {{\n^bb0(%v: i32, %w: i32):\n"
        f"%s = arith.{op} %v, %w : i32\nmemory.yield %s : i32\n}}"
    )


CASES = {
    # Other buffers: alike.
    "buffers": ([("addi", "x", "y", "a"), ("addi", "a", "y", "b")], 1),
    # Operands in one buffer, or in two; another program.
    "aliases": ([("addi", "x", "y", "a"), ("addi", "a", "a", "b")], 0),
    "in place": ([("addi", "x", "y", "a"), ("addi", "a", "y", "a")], 0),
    "programs": ([("addi", "x", "y", "a"), ("muli", "a", "y", "b")], 0),
    # Nothing writes to a constant; a root may be larger than what is read of it.
    "constants": ([("addi", "x", "c", "a"), ("addi", "x", "y", "b")], 0),
    "roots": ([("addi", "x", "p", "a"), ("addi", "x", "q", "b")], 0),
    # Each names its own op where a division fails.
    "messages": ([("divsi", "x", "y", "a"), ("divsi", "a", "y", "b")], 0),
}


@pytest.mark.parametrize("piece_ns", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_ops_are_alike_where_only_buffers_differ(
    name: str, piece_ns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, count = CASES[name]
    text = ALIKE.replace("STEPS", "\n".join(step(*each) for each in steps))
    text = text.replace("DIGEST", "0" * 64)
    module = parse_text(context(), text, name)
    repeated, made, found = both(module, piece_ns, monkeypatch)
    assert repeated == made
    assert (found > 0) == (count > 0)
