"""The generated page of gradients: which graph ops have one, why others have none."""

from __future__ import annotations

from xdsl.ir import Operation

from glow.dialects.graph.base import GraphOp
from glow.passes.gradients import decomposition_of
from glow.registry import UNIVERSE


def gradients_page(note: str) -> str:
    """Return a table of all ops of the graph dialect that compute."""
    operations = UNIVERSE.all_dialects["graph"]().operations
    ops = [
        op for op in operations if issubclass(op, GraphOp) and hasattr(op, "compute")
    ]
    with_gradient = [op for op in ops if not op.NO_GRADIENT]
    lines = [
        "# Gradients of graph ops",
        "",
        note,
        "",
        f"{len(with_gradient)} of {len(ops)} ops have a gradient "
        "([gradients.md](../gradients.md)).",
        "",
        "| op | gradient |",
        "|---|---|",
    ]
    lines += [f"| `{op.name}` | {_entry(op)} |" for op in sorted(ops, key=_name_of)]
    return "\n".join(lines) + "\n"


def _name_of(op: type[Operation]) -> str:
    return op.name


def _entry(op: type[GraphOp]) -> str:
    if hasattr(op, "gradient"):
        return "by its rule"
    pattern = decomposition_of(op)
    if pattern is None:
        return f"none: {op.NO_GRADIENT}"
    module = getattr(pattern, "func", pattern).__module__
    return f"of what `{module.rpartition('.')[2].replace('_', '-')}` writes"
