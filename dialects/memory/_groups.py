"""Text of `memory.apply`: groups of buffers, with words before some."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


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
