"""Definition of ops that are quick to define, and whose operands are quick to read."""

from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, TypeVar

from xdsl.ir import Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
)
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    OpDef,
    VarIRConstruct,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from glow.support.attributes import numbers_of

OpClass = TypeVar("OpClass", bound=type[IRDLOperation])
CheckT = TypeVar("CheckT", bound=Callable[..., None])

_XDSL = {"arith", "cf", "func", "llvm", "math", "memref", "scf", "vector"}
"""Dialects of xDSL that are imported whenever something is compiled."""
_read_format = FormatProgram.from_str


class _Format:
    """The format of an op, which is read when one is first parsed or printed."""

    def __init__(self, text: str, definition: OpDef):
        self._text, self._definition = text, definition

    @cached_property
    def _program(self) -> FormatProgram:
        return _read_format(self._text, self._definition)

    def parse(self, parser: Parser, kind: type[IRDLOperation]) -> IRDLOperation:
        return self._program.parse(parser, kind)

    def print(self, printer: Printer, op: IRDLOperation) -> None:
        self._program.print(printer, op)


def _format_of(text: str, definition: OpDef) -> FormatProgram | _Format:
    is_known = definition.name.partition(".")[0] in _XDSL
    return (_Format if is_known else _read_format)(text, definition)


# xDSL reads the formats of all ops when they are imported, which takes it as long as
# the rest of their definitions.
FormatProgram.from_str = staticmethod(_format_of)  # pyright: ignore


def define_op(op: OpClass) -> OpClass:
    """
    Define `op` as `irdl_op_definition` of xDSL does, but do not read its format yet.

    Few of the ops that are imported are ever parsed or printed, and a format takes as
    long to read as the rest of a definition. What reads an operand or a result knows
    its place, where xDSL finds that for each op again.
    """
    text = op.assembly_format
    op.assembly_format = None
    irdl_op_definition(op)
    definition = op.get_irdl_definition()
    op.assembly_format = definition.assembly_format = text
    for name, accessor in list(vars(op).items()):
        if (quick := _quick(accessor)) is not None:
            setattr(op, name, quick)
    if text is None:
        return op

    program = _Format(text, definition)

    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        return program.parse(parser, cls)

    def print_op(self: IRDLOperation, printer: Printer) -> None:
        program.print(printer, self)

    op.parse = classmethod(parse)  # pyright: ignore[reportAttributeAccessIssue]
    op.print = print_op  # pyright: ignore[reportAttributeAccessIssue]
    return op


def _quick(accessor: object) -> BaseAccessor | BaseAttrAccessor | None:
    """Return what reads as `accessor` of xDSL does, but asks the op for less."""
    match accessor:
        case BeforeVariadicSingleAccessor(construct=VarIRConstruct.OPERAND):
            return _OperandAccessor(accessor.construct, accessor.idx)
        case BeforeVariadicSingleAccessor(construct=VarIRConstruct.RESULT):
            return _ResultAccessor(accessor.construct, accessor.idx)
        case BaseAttrAccessor(
            construct=VarIRConstruct.OPERAND,
            option=AttrSizedOperandSegments(as_property=True, attribute_name=sizes),
        ):
            return _with_known_sizes(type(accessor), sizes)(**vars(accessor))
        case _:
            return None


_item = tuple[Any, ...].__getitem__


class _OperandAccessor(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: type | None = None) -> Any:
        # To make a view of all operands, as `op.operands` does, takes longer; so does
        # to index them, for which xDSL has a method that also slices.
        return _item(obj._operands, self.idx)  # pyright: ignore[reportPrivateUsage]


class _ResultAccessor(BeforeVariadicSingleAccessor):
    def __get__(self, obj: Operation, objtype: type | None = None) -> Any:
        return _item(obj.results, self.idx)


@cache
def _with_known_sizes(
    accessor: type[BaseAttrAccessor], name: str
) -> type[BaseAttrAccessor]:
    """Return accessors that look up the numbers of the property `name` they know."""

    class Accessor(accessor):
        def __get__(self, obj: Operation, objtype: type | None = None) -> Any:
            operands = obj._operands  # pyright: ignore[reportPrivateUsage]
            return self.index(numbers_of(obj.properties[name]), operands)

    return Accessor


def local(verify: CheckT) -> CheckT:
    """
    Say of `verify_` of a class of ops that it looks at types and properties alone.

    Then it is not asked again of an op that has the same ones as another. A check that
    looks at what defines or uses values, at regions or at neighbors is not local.
    """
    setattr(verify, "is_local", True)  # noqa: B010
    return verify
