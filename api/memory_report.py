"""The report of what a training step keeps for its gradient, and computes again."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from glow.analysis.directions import functions_of
from glow.analysis.levels import level_of
from glow.analysis.value_lifetimes import ValueLifetimes
from glow.passes.graph.recompute_values import Decision, kept_values, recompute
from glow.support.errors import CompilationError
from glow.support.tables import aligned

_HEADER = ("bytes", "made by", "from", "becomes", "because")


def memory_report(module: ModuleOp, memory_bytes: int = 0) -> str:
    """
    Let `recompute-values` change a graph-level module; return what it decided.

    There is a line for each value that stays alive for long. Below are the bytes of all
    of these, and the most alive at once in any function, before and after the change.
    Errors: CompilationError for another level.
    """
    level = level_of(module)
    if level not in ("import", "graph"):
        raise CompilationError(f"expected graph IR to report on, got {level} IR")
    most = _peak_bytes(module)
    found = recompute(module, memory_bytes) + kept_values(module, memory_bytes)
    lines: list[str] = []
    if found:
        lines += [*aligned([_HEADER, *map(_row, found)], {0}), ""]
    lines += [_total(found, "kept"), _total(found, "recomputed")]
    now = _peak_bytes(module)
    lines += [f"alive at once: {now:,} bytes, {most:,} if all are kept"]
    return "\n".join(lines) + "\n"


def _peak_bytes(module: ModuleOp) -> int:
    blocks = [function.body.block for function in functions_of(module)]
    return max((ValueLifetimes(list(b.ops)).peak_bytes() for b in blocks), default=0)


def _row(made: Decision) -> tuple[str, ...]:
    return f"{made.bytes:,}", made.op, made.place, made.becomes, made.reason


def _total(found: list[Decision], becomes: str) -> str:
    sizes = [made.bytes for made in found if made.becomes == becomes]
    plural = "s" * (len(sizes) != 1)
    return f"{becomes}: {sum(sizes):,} bytes, in {len(sizes)} value{plural}"
