"""The operators of ONNX that each graph op becomes, as its page shows them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

from xdsl.ir import Operation

from glow.formats.onnx.export import NEWEST_OPSET
from glow.formats.onnx.nodes import GLOW
from glow.formats.onnx.schemas import find_schema
from glow.graph_modules import context, exported
from glow.model import parse_text
from glow.support.errors import UnsupportedModelError

_EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.S)
_TYPES = re.compile(r"tensor<[^>]*>(?:, tensor<[^>]*>)*")
_TYPED = re.compile(rf"(%\w+(?:, %\w+)*) : ({_TYPES.pattern})")
_TYPE = re.compile(r"tensor<[^>]*>")
_VALUE = re.compile(r"%\w+")


def onnx_form_of(op: type[Operation]) -> str:
    """
    Return the operators that the example of a graph op is exported as, with opsets.

    It is "" for ops that compute nothing themselves, such as a choice. With other
    parameters or element types than the example, an op may become other operators.
    """
    if not op.name.startswith("graph.") or not hasattr(op, "compute"):
        return ""
    found = _EXAMPLE.search(inspect.cleandoc(op.__doc__ or ""))
    assert found is not None, f"{op.name} has no example"
    module = parse_text(context(), _module(found[1]), op.name)
    try:
        proto = exported(module, op.name)
    except UnsupportedModelError:
        return "- **ONNX:** none"
    inside = {f.name: f.node for f in proto.functions if f.domain == GLOW}
    shown: list[str] = []
    for node in proto.graph.node:
        if node.domain != GLOW:
            shown.append(f"`{_versioned(node)}`")
            continue
        parts = dict.fromkeys(f"`{_versioned(n)}`" for n in inside[node.op_type])
        shown.append(f"function `{GLOW}.{node.op_type}` of {', '.join(parts)}")
    return f"- **ONNX:** {', '.join(dict.fromkeys(shown))}"


def _versioned(node: Any) -> str:
    schema = find_schema(node.op_type, node.domain, NEWEST_OPSET)
    assert schema is not None
    return f"{node.op_type}-{schema.since}"


def _module(example: str) -> str:
    """Return a function around the first op of an example, whose operands it takes."""
    first = next(_statements(example.splitlines()))
    results, _, right = first.partition(" = ")
    body, inputs, outputs = _divided(right)
    types: dict[str, str] = {}
    for names, several in _TYPED.findall(body):
        types |= zip(_VALUE.findall(names), _TYPE.findall(several), strict=True)
    others = (name for name in _VALUE.findall(body) if name not in types)
    arguments = dict(zip(dict.fromkeys(others), _TYPE.findall(inputs), strict=False))
    taken = ", ".join(f"{name}: {type_}" for name, type_ in (arguments | types).items())
    made = ", ".join(_TYPE.findall(outputs))
    return (
        f"func.func @main({taken}) -> ({made}) {{\n  {first}\n"
        f"  func.return {results} : {made}\n}}"
    )


def _divided(right: str) -> tuple[str, str, str]:
    """Return the text of an op before its types, and those of operands and results."""
    before, arrow, outputs = right.rpartition(" -> ")
    if arrow:
        body, _, inputs = before.rpartition(": (")
        return body, inputs, outputs
    body, _, types = right.rpartition("\n    : ")  # results have names there
    inputs = _TYPES.match(types)
    assert inputs is not None
    return body, inputs[0], types[inputs.end() :]


def _statements(lines: Iterable[str]) -> Iterator[str]:
    """Yield the ops of a text; each begins in the first column."""
    held: list[str] = []
    for line in lines:
        if held and not line.startswith(" "):
            yield "\n".join(held)
            held = []
        held.append(line)
    yield "\n".join(held)
