"""Operands, results and parameters of ops, listed as nodes of ONNX have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.ir import SSAValue
from xdsl.irdl import OptResultDef, VarResultDef

from glow.dialects.graph.base import GraphOp
from glow.formats.onnx.attributes import KINDS


def operands_of(op: GraphOp) -> Iterator[tuple[str, SSAValue | None]]:
    """Yield the operands by slot, None for one that is absent."""
    for name, value in zip(op.operand_names(), op.slots(), strict=True):
        if value is None or isinstance(value, SSAValue):
            yield name, value
        else:
            yield from ((name, each) for each in value)


def presence_of(op: GraphOp) -> dict[str, bool]:
    """Return which results are present, by name; variadic ones by number."""
    flags: dict[str, bool] = {}
    for name, kind in op.get_irdl_definition().results:
        value = getattr(op, name)
        if isinstance(kind, VarResultDef) and not isinstance(kind, OptResultDef):
            flags |= {f"{name}{index}": True for index in range(len(value))}
        else:
            flags[name] = value is not None
    return flags


def parameters_of(op: GraphOp) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the parameters that have a value, and how ONNX stores each."""
    flags, values = presence_of(op), dict[str, Any]()
    declared = op.declared()
    for name, parameter in sorted(declared.items()):
        result = name.removeprefix("with_")
        is_flag = name != result and result in flags
        value = flags[result] if is_flag else parameter.value_of(op)
        if value is not None:
            values[name] = value
    return values, {name: KINDS[declared[name].kinds[0]] for name in values}


def trimmed(names: list[str]) -> list[str]:
    """Return names without absent ones at the end."""
    while names and not names[-1]:
        names.pop()
    return names
