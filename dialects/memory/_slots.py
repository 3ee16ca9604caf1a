"""Slots and parameters of graph ops, as `memory.apply` has and writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import OperandDef, ResultDef, VarOperandDef, VarResultDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.parameters import to_attribute

Given = Sequence[SSAValue | Sequence[SSAValue] | None]
"""Buffers by slot; None where a slot is empty, a sequence where it takes several."""

KNOWN: dict[str, type[GraphOp]] = {}


def graph_op_named(name: str) -> type[GraphOp]:
    """Return the graph op of this name, of a dialect of this package or another."""
    if name not in KNOWN:
        KNOWN[name] = _loaded(name)
    return KNOWN[name]


def _loaded(name: str) -> type[GraphOp]:
    load = Universe.get_multiverse().all_dialects.get(name.partition(".")[0])
    for op in () if load is None else load().operations:
        if op.name == name and issubclass(op, GraphOp):
            return op
    raise VerifyException(f'expected the name of a graph op, got "{name}"')


@cache
def defaults_of(op: type[GraphOp]) -> dict[str, Attribute]:
    """Return the default properties of `op`."""
    return {
        name: kind.default_value
        for name, kind in op.get_irdl_definition().properties.items()
        if kind.default_value is not None
    }


def stored_parameters(
    op: type[GraphOp], parameters: Mapping[str, Any]
) -> DictionaryAttr:
    """Return the properties of `op` that differ from their defaults."""
    stored, defaults = op.get_irdl_definition().properties, defaults_of(op)
    unknown = parameters.keys() - op.declared().keys()
    if unknown:
        raise TypeError(f"{op.name} takes no {', '.join(sorted(unknown))}")
    values = op.defaults() | dict(parameters)
    given = {name: to_attribute(values[name]) for name in stored if name in values}
    others = {n: v for n, v in given.items() if v not in (None, defaults.get(n))}
    return DictionaryAttr(others)


def by_slot(slots: Sequence[str], given: Given) -> Iterator[tuple[str, SSAValue]]:
    """Yield each buffer with the name of its slot; empty ones may be left out."""
    if len(given) > len(slots):
        raise TypeError(f"expected at most {len(slots)} slots, got {len(given)}")
    for slot, value in zip(slots, given, strict=False):
        if isinstance(value, SSAValue):
            yield slot, value
        elif value is not None:
            yield from ((slot, each) for each in value)


def is_single(kind: OperandDef | ResultDef | None) -> bool:
    """Return whether a slot has always one buffer."""
    # Optional definitions are variadic ones of at most one value.
    return kind is not None and not isinstance(kind, VarOperandDef | VarResultDef)


def single_slots(slots: Sequence[tuple[str, OperandDef | ResultDef]]) -> Iterator[str]:
    return iter([name for name, kind in slots if is_single(kind)])


def in_slot(
    name: str, kind: OperandDef | ResultDef, values: Sequence[Any]
) -> Sequence[Any] | Any:
    """Return the operands of a slot: one value, or a list if it is variadic."""
    if not is_single(kind):
        return list(values)
    if len(values) != 1:
        raise VerifyException(f"expected one buffer as {name}, got {len(values)}")
    return values[0]


def check_slots(slots: Sequence[str], known: Sequence[str]) -> None:
    """Raise unless `slots` are some of `known`, in that order."""
    places = [known.index(slot) if slot in known else -1 for slot in slots]
    if -1 in places or places != sorted(places):
        raise VerifyException(
            f"expected buffers of {', '.join(known) or 'no slot'}, in this order, "
            f"got {', '.join(slot or 'one too many' for slot in slots)}"
        )


def print_group(
    printer: Printer, group: str, words: Sequence[str], values: Sequence[SSAValue]
) -> None:
    if not values:
        return

    def print_value(pair: tuple[str, SSAValue]) -> None:
        word, value = pair
        printer.print_string(f"{word} " if word else "")
        printer.print_ssa_value(value)

    printer.print_string(f" {group}(")
    printer.print_list(list(zip(words, values, strict=True)), print_value)
    printer.print_string(" : ")
    printer.print_list([value.type for value in values], printer.print_attribute)
    printer.print_string(")")


def parse_group(parser: Parser, group: str) -> tuple[list[str], list[SSAValue]]:
    """Return the words before the operands of a group, "" for none, and these."""
    if parser.parse_optional_keyword(group) is None:
        return [], []

    def parse_value() -> tuple[str, UnresolvedOperand]:
        word = parser.parse_optional_identifier() or ""
        return word, parser.parse_unresolved_operand()

    parser.parse_punctuation("(")
    start = parser.pos
    pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, parse_value)
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    values = parser.resolve_operands([value for _, value in pairs], types, start)
    return [word for word, _ in pairs], list(values)
