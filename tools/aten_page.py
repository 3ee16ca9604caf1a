"""The page of PyTorch's operators: which ones graphs may have."""

from __future__ import annotations

from glow.formats.pytorch.fx_graph import missing_operators
from glow.formats.pytorch.registry import ATEN

assert missing_operators, "importing its module registers all operators"


def aten_page(note: str) -> str:
    """Return the page, which `note` says where to edit."""
    overloads: dict[str, list[str]] = {}
    for name in sorted(ATEN):
        base, _, overload = name.removeprefix("prims.").partition(".")
        overloads.setdefault(base, []).append(f"`{overload or 'default'}`")
    lines = [
        "# Operators of PyTorch",
        "",
        note,
        "",
        f"The {len(overloads)} operators of ATen that graphs of PyTorch may have. "
        "Others are computed by these where PyTorch knows how. "
        "[pytorch.md](../pytorch.md) says what becomes of a graph with one that is "
        "missing.",
        "",
        "| operator | overloads |",
        "|---|---|",
        *(f"| `{base}` | {', '.join(names)} |" for base, names in overloads.items()),
    ]
    return "\n".join(lines) + "\n"
