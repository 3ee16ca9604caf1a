"""Definition of ops whose assembly format is read when it is first used."""

from functools import cache
from typing import TypeVar

from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.printer import Printer

OpClass = TypeVar("OpClass", bound=type[IRDLOperation])


def define_op(op: OpClass) -> OpClass:
    """
    Define `op` as `irdl_op_definition` of xDSL does, but do not read its format yet.

    Few of the ops that are imported are ever parsed or printed, and a format takes as
    long to read as the rest of a definition.
    """
    text = op.assembly_format
    op.assembly_format = None
    irdl_op_definition(op)
    definition = op.get_irdl_definition()
    op.assembly_format = definition.assembly_format = text
    if text is None:
        return op

    @cache
    def program() -> FormatProgram:
        return FormatProgram.from_str(text, definition)

    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        return program().parse(parser, cls)

    def print_op(self: IRDLOperation, printer: Printer) -> None:
        program().print(printer, self)

    op.parse = classmethod(parse)  # pyright: ignore[reportAttributeAccessIssue]
    op.print = print_op  # pyright: ignore[reportAttributeAccessIssue]
    return op
