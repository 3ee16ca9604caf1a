"""The page of ONNX's operators: which ones models may have, and what imports them."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Sequence
from types import CodeType, FunctionType
from typing import Any, cast

from glow.dialects.graph.base import GraphOp
from glow.formats.onnx.nodes import GLOW
from glow.formats.onnx.registry import NodeHandler, handlers
from glow.support.types import ANY, BOOL, COMPUTED, FLOAT, NUMBER

_KINDS = {
    "floats": FLOAT.members,
    "integers": set(NUMBER.members) - set(FLOAT.members),
    "bools": BOOL.members,
    "2 and 4 bits": set(ANY.members) - set(COMPUTED.members),
}


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
        "The operators that models may use. An operator whose meaning has changed has "
        "a row for each range of opsets; one that is missing here but that ONNX "
        "defines as a function is expanded into that function. *Elements* are the "
        "types that the first input may have, for operators that are one op of the "
        "graph level (floats: f16, bf16, f32, f64; integers: 8 to 64 bits, signed or "
        "not). *Ops* are those that the importer names, besides arithmetic and "
        "movements; their entries show what they are exported as. "
        "[deviations.md](../deviations.md) lists results that differ from ONNX "
        "Runtime's, [CONFORMANCE.md](../../benchmarks/CONFORMANCE.md) the cases of "
        "ONNX's own suite that pass.",
    ]
    for domain, operators in by_domain.items():
        lines += ["", f"## {domain or 'ai.onnx'}", ""]
        lines += [f"{len(operators)} operators.", ""]
        lines += ["| operator | opsets | elements | ops | imported by |"]
        lines += ["|---|---|---|---|---|"]
        for name, versions in sorted(operators.items()):
            opsets = sorted(versions)
            for since, until in zip(opsets, [*opsets[1:], None], strict=True):
                opsets = _opsets(since, until)
                ops = ops_of(name, versions[since])
                cells = [f"`{name}`", opsets, _elements(name, ops), _links(ops)]
                lines.append(f"| {' | '.join(cells)} | {_place(versions[since])} |")
    return "\n".join(lines) + "\n"


def _opsets(since: int, until: int | None) -> str:
    if until is None:
        return "all" if since == 1 else f"{since} on"
    return f"{since} to {until - 1}"


def ops_of(operator: str, handler: NodeHandler) -> list[type[GraphOp]]:
    """Return the graph ops that a function names, and functions that it calls."""
    found: dict[type[GraphOp], None] = {}
    seen: set[object] = set()
    waiting: list[Any] = [handler]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            value = cast(dict[Any, Any], value).get(operator)
        value = getattr(value, "func", inspect.unwrap(value) if value else value)
        if isinstance(value, type) and issubclass(value, GraphOp):
            found[value] = None
        elif isinstance(value, FunctionType) and value not in seen:
            seen.add(value)
            if value.__module__.startswith("glow.formats.onnx."):
                waiting += [value.__globals__.get(name) for name in _names(value)]
    return [op for op in found if op.name.startswith("graph.")]


def _names(function: FunctionType) -> list[str]:
    """Return the global names that a function uses, those of functions in it too."""
    codes, names = [function.__code__], list[str]()
    for code in codes:
        names += code.co_names
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    return names


def _elements(operator: str, ops: Sequence[type[GraphOp]]) -> str:
    """Return what elements an operator takes first, if it is one op of its name."""
    name = operator.lower().replace("alization", "").replace("average", "avg")
    if len(ops) != 1 or name != _plain(ops[0]):
        return ""
    left = set(ops[0].ELEMENTS.members)
    parts: list[str] = []
    for title, kind in _KINDS.items():
        if left >= (members := set(kind)):
            parts.append(title)
            left -= members
    return ", ".join([*parts, *sorted(map(str, left))])


def _plain(op: type[GraphOp]) -> str:
    return op.name.removeprefix("graph.").replace("_", "")


def _links(ops: Sequence[type[GraphOp]]) -> str:
    names = [op.name for op in ops]
    return ", ".join(f"[{n[6:]}](graph.md#{n.replace('.', '')})" for n in names)


def _place(handler: NodeHandler) -> str:
    """Return a link to the file of a function, and the first line about it."""
    module = handler.__module__
    file = module.removeprefix("glow.").replace(".", "/") + ".py"
    name = module.rpartition(".")[2]
    text = (inspect.getdoc(handler) or "").split("\n")[0].rstrip(".")
    return f"[{name}](../../{file}){f': {text}' if text else ''}"
