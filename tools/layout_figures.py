"""Figures of the layouts of a model: bytes moved, and the time to solve them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from glow.analysis.copies import copies_in
from glow.analysis.movements import Movement, movements_in
from glow.graph_modules import context
from glow.loading import load_model
from glow.pass_manager import plan, run_part
from glow.passes.layout.problem import Problem
from glow.support.targets import TargetQueries

Figures = dict[str, Any]


def layout_figures(model: object, target: str) -> Figures:
    """
    Lower `model` to the memory level; return figures of its layouts and copies.

    `transforms` counts those of the layout level; `in`, `within` and `out` are numbers
    and bytes of the copies of the memory level. `cost` is what the layouts cost,
    `greedy` what they would cost if they were chosen op by op; `free` counts ops that
    can run in several ways.
    Units: state_s and solve_s in seconds of the process; costs in bytes.
    """
    module, ctx = load_model(model, dims={}).module, context()
    figures: Figures = {}
    for part in plan("import", "memory", target):
        is_layout = part.ends is not None and part.ends.name == "layout"
        if is_layout:
            figures |= _solved(module, target)
        run_part(part, ctx, module)
        if is_layout:
            figures["transforms"] = len(movements_in(module))
    return figures | _places(copies_in(module))


def _solved(module: ModuleOp, target: str) -> Figures:
    """Return figures of the search for layouts, and the cost of greedy ones."""
    start = time.process_time()
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    blocks = [block for function in functions for block in function.body.blocks]
    problems = [Problem(block, TargetQueries.of(target)) for block in blocks]
    stated = time.process_time()
    solutions = [problem.solve() for problem in problems]
    end = time.process_time()
    pairs = list(zip(problems, solutions, strict=True))
    ways = [ways for problem in problems for ways in problem.search.ways.values()]
    return {
        "ops": sum(len(block.ops) for block in blocks),
        "free": sum(len(each) > 1 for each in ways),
        "method": "exact" if all(s.is_exact for _, (_, s) in pairs) else "bounded",
        "width": max(solution.width for _, (_, solution) in pairs),
        "state_s": stated - start,
        "solve_s": end - stated,
        "cost": sum(problem.cost(solution) for problem, (solution, _) in pairs),
        "greedy": sum(problem.cost(problem.greedy()) for problem in problems),
    }


def _places(moves: Sequence[Movement]) -> Figures:
    counts = Counter(move.place for move in moves)
    sums = Counter[str]()
    for move in moves:
        sums[move.place] += move.bytes
    return {
        key: (counts[place], sums[place])
        for key, place in (("in", "input"), ("within", "inside"), ("out", "output"))
    }
