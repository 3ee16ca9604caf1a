"""The page of all slots of all ops, and the examples that targets are queried with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import getdoc

from xdsl.ir import AttributeInvT, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OptOperandDef, OptResultDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.presence import optional_slots
from glow.graph_modules import context
from glow.registry import UNIVERSE
from glow.support.targets import TargetQueries
from glow.targets import own_targets

_INTRODUCTION = """
What each op reads and makes, and which of that may be absent. An absent operand stands
for a number in every element, with which the op computes the same, bit for bit; where
there is none, only the op itself knows what to do without. The targets are those that
take the op without the slot while all its other slots are there. How this works is in
[optionals.md](../optionals.md).
"""


def slots_page(note: str) -> str:
    """Return the page; `note` says who writes it."""
    parts = ["# Slots", note, _INTRODUCTION.strip()]
    for dialect in ("graph", "memory"):
        operations = UNIVERSE.all_dialects[dialect]().operations
        each = (op for op in operations if issubclass(op, IRDLOperation))
        ops = sorted(each, key=lambda op: op.name)
        some = [op for op in ops if _optional(op)]
        others = (_required(op) for op in ops if op not in some)
        parts += [
            f"## Ops of `{dialect}` with optional slots",
            _table(("op", "slot", "optional", "stands for", "targets"), _rows(some)),
            f"## Ops of `{dialect}` that need all their slots",
            _table(("op", "operands", "results"), others),
        ]
    return "\n\n".join(parts) + "\n"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = tuple(head)
    lines = [names, ("---",) * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _optional(op: type[IRDLOperation]) -> tuple[str, ...]:
    if issubclass(op, GraphOp):
        return tuple(optional_slots(op))
    definition = op.get_irdl_definition()
    return tuple(
        name
        for name, each in (*definition.operands, *definition.results)
        if isinstance(each, OptOperandDef | OptResultDef)
    )


def _rows(ops: Iterable[type[IRDLOperation]]) -> Iterable[Iterable[str]]:
    """Yield a row per slot: operands, then results."""
    for op in ops:
        definition = op.get_irdl_definition()
        for kind in ("operands", "results"):
            for name, _ in getattr(definition, kind):
                slot = f"`{name}`" + (" (result)" if kind == "results" else "")
                yield (f"`{op.name}`", slot, *_absence(op, name))


def _absence(op: type[IRDLOperation], slot: str) -> tuple[str, str, str]:
    """Return whether `slot` is optional, what for, and where."""
    if slot not in _optional(op):
        return "no", "", ""
    if not issubclass(op, GraphOp):
        return "yes", "", ""
    neutral = op.neutrals().get(slot)
    return "yes", "" if neutral is None else str(neutral), ", ".join(_takers(op, slot))


def _takers(op: type[GraphOp], slot: str) -> Iterable[str]:
    """Yield the targets of this package that take `op` without `slot`."""
    example = example_of(op)
    presence = frozenset(optional_slots(op)) - {slot}
    for name in own_targets():
        if TargetQueries.of(name).takes(example, presence):
            yield name


def _required(op: type[IRDLOperation]) -> tuple[str, str, str]:
    definition = op.get_irdl_definition()
    operands = ", ".join(f"`{name}`" for name, _ in definition.operands)
    results = ", ".join(f"`{name}`" for name, _ in definition.results)
    return f"`{op.name}`", operands, results


class ExampleParser(Parser):
    """A parser that defines the values that an example only uses."""

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self.ssa_values[operand.operand_name] = (create_ssa_value(type),)
        return super().resolve_operand(operand, type)


def example_of(op: type[Operation]) -> Operation:
    """Return the first `op` of the example in its docstring, which verifies."""
    (text,) = re.findall(r"```mlir\n(.*?)```", getdoc(op) or "", re.DOTALL)
    module = ExampleParser(context(), text).parse_module()
    for inner in module.ops:
        inner.verify()
    return next(inner for inner in module.walk() if isinstance(inner, op))
