"""The page of ONNX's operators: which ones models may have, and what imports them."""

from __future__ import annotations

import inspect
from collections import defaultdict

from glow.formats.onnx.nodes import GLOW
from glow.formats.onnx.registry import NodeHandler, handlers


def onnx_page(note: str) -> str:
    """Return the page, which `note` says where to edit."""
    by_domain: dict[str, dict[str, dict[int, NodeHandler]]] = defaultdict(dict)
    for operator, versions in sorted(handlers().items()):
        domain, _, name = operator.rpartition(".")
        if domain != GLOW:  # the graph level's own ops, which files of ours have
            by_domain[domain][name] = versions
    lines = [
        "# Operators of ONNX",
        "",
        note,
        "",
        "What models may have. Where an operator has changed its meaning, there is a "
        "function for each range of opsets. Operators that ONNX defines by others, as "
        "functions, are written out if they are not here. "
        "[deviations.md](../deviations.md) says where results differ from ONNX "
        "Runtime's, [CONFORMANCE.md](../../benchmarks/CONFORMANCE.md) which cases of "
        "ONNX's own suite pass, and [graph.md](graph.md) what each op of the graph "
        "level is written as.",
    ]
    for domain, operators in by_domain.items():
        lines += ["", f"## {domain or 'ai.onnx'}", ""]
        lines += [f"{len(operators)} operators.", ""]
        lines += ["| operator | opset | imported by |", "|---|---|---|"]
        for name, versions in sorted(operators.items()):
            opsets = sorted(versions)
            for since, until in zip(opsets, [*opsets[1:], None], strict=True):
                told = _told(since, until)
                lines.append(f"| `{name}` | {told} | {_place(versions[since])} |")
    return "\n".join(lines) + "\n"


def _told(since: int, until: int | None) -> str:
    if until is None:
        return "all" if since == 1 else f"{since} on"
    return f"{since} to {until - 1}"


def _place(handler: NodeHandler) -> str:
    """Return a link to the file of a function, and the first line about it."""
    module = handler.__module__
    file = module.removeprefix("glow.").replace(".", "/") + ".py"
    name = module.rpartition(".")[2]
    text = (inspect.getdoc(handler) or "").split("\n")[0].rstrip(".")
    return f"[{name}](../../{file}){f': {text}' if text else ''}"
