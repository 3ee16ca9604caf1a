"""A parser that tells ops where in the text they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from struct import error as StructError
from threading import Lock
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span

from glow.analysis.validity import InvalidOpError
from glow.dialects.memory.replaced import describe_replaced
from glow.registry import universe
from glow.support.errors import InvalidModelError
from glow.support.names import did_you_mean
from glow.support.types import check_extents

# Where text leaves a terminator out, xDSL adds it with a builder that temporarily
# replaces a method of all operations: two threads at once would leave it broken.
_PARSING = Lock()


_REFUSALS = (VerifyException, ValueError, ArithmeticError, LookupError, StructError)
"""Errors that xDSL raises for wrong text, besides its own parse errors."""


class _Element(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """An element of a literal; the bits of a float where it is hexadecimal."""

    def to_type(
        self,
        parser: AttrParser,
        type: AnyFloat | IntegerType | IndexType | ComplexType,
    ) -> Any:
        # xDSL prints what has no decimal form, such as infinities, in hexadecimal, but
        # reads that as an integer.
        if not isinstance(type, AnyFloat) or self.span.text[:2].lower() != "0x":
            return super().to_type(parser, type)
        size = type.compile_time_size
        try:
            bits = int(self.span.text, 16).to_bytes(size, "little")
        except OverflowError:
            parser.raise_error(
                f"expected at most {8 * size} bits", self.span.start, self.span.end
            )
        return type.unpack(bits, 1)[0]


class LocatingParser(Parser):
    """
    xDSL's parser, which gives every op without a location its line and column.

    Errors and profiles can then name the op; printing does not change, since
    locations are printed only on request. Any number of threads may parse.
    """

    def __init__(self, ctx: Context, text: str, name: str, line_offset: int = 0):
        super().__init__(ctx, text, name)
        self._first_uses: dict[SSAValue, Span] = {}
        self._file = StringAttr(name)
        self._first_line = 1 + line_offset
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        with _PARSING:
            try:
                module = super().parse_module(allow_implicit_module)
            except ParseError as error:
                # xDSL reports what is not defined at the end of the text.
                if error.msg.startswith("values used but not defined"):
                    self._report_undefined()
                raise
        if isinstance(module.location, UnknownLoc):
            module.location = self._place(0)
        return module

    def parse_operation(self) -> Operation:
        start = self.pos
        try:
            op = super().parse_operation()
        except _REFUSALS as error:
            self.raise_error(str(error), start, self.pos)
        except AssertionError as error:  # which xDSL has for some wrong tokens
            self.raise_error(str(error) or "wrong syntax", start, self.pos)
        if isinstance(op.location, UnknownLoc):
            op.location = self._place(start)
        return op

    def parse_dimension_list(self) -> list[int]:
        start = self.pos
        extents = super().parse_dimension_list()
        try:
            check_extents(extents)
        except VerifyException as error:
            self.raise_error(str(error), start, self.pos)
        return extents

    def resolve_operand(
        self, operand: UnresolvedOperand, type: Attribute
    ) -> SSAValue[Any]:
        value = super().resolve_operand(operand, type)
        if isinstance(value, ForwardDeclaredValue):
            self._first_uses.setdefault(value, operand.span)
        return value

    def _report_undefined(self) -> NoReturn:
        """Raise an error at the first use of a value that the text does not define."""
        uses = [
            self._first_uses[value]
            for values in self.forward_ssa_references.values()
            for value in values.values()
        ]
        first = min(uses, key=lambda span: span.start)
        others = sorted({span.text for span in uses} - {first.text})
        more = f", nor are {', '.join(others)}" if others else ""
        raise ParseError(first, f"{first.text} is used but not defined{more}") from None

    def _get_op_by_name(self, name: str) -> type[Operation]:
        replaced = describe_replaced(name)
        if replaced is not None:
            self.raise_error(replaced)
        return super()._get_op_by_name(name)

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        return _Element(element.is_negative, element.value, element.span)

    def _place(self, position: int) -> LocationAttr:
        index = bisect_right(self._line_starts, position) - 1
        column = position - self._line_starts[index] + 1
        line = self._first_line + index
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))


_SHOWN_COLUMNS = 100


def decoded(text: bytes, name: str) -> str:
    """Return IR as text without a byte order mark; InvalidModelError if not UTF-8."""
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{text[error.start]:02x} at offset {error.start}"
        raise InvalidModelError(f"{name}: expected text in UTF-8, got {got}") from None


def invalid(error: ParseError) -> InvalidModelError:
    """Return `error` in one line; a note shows its place in the text."""
    message = " ".join(error.msg.split())
    if found := re.fullmatch(r"Operation ([\w.]+) is not registered", message):
        message += _ops_like(found[1])
    if message.startswith("in "):  # xDSL says where, but not what
        message = f"unexpected {error.span.text or 'end of the text'} {message}"
    if message == "Could not parse entire input!":
        message = "expected an operation"
    explained = InvalidModelError(f"{error.span.get_location()}: {message}")
    if excerpt := _excerpt(error.span):
        explained.add_note(excerpt)
    return explained


def _ops_like(name: str) -> str:
    load = universe().all_dialects.get(name.partition(".")[0])
    ops = load().operations if load is not None else ()
    return did_you_mean(name, (op.name for op in ops))


def show_place(error: VerifyException, text: str, name: str, offset: int = 0) -> None:
    """Replace xDSL's note, the whole module, by the invalid op's place in `text`."""
    error.__notes__ = []
    place = (
        error.op.location if isinstance(error, InvalidOpError) and error.op else None
    )
    if not isinstance(place, FileLineColLoc) or place.filename.data != name:
        return
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    start = starts[place.line.data - 1 - offset] + place.column.data - 1
    end = text.find("\n", start)
    span = Span(start, end if end > 0 else len(text), Input(text, name))
    if excerpt := _excerpt(span):
        error.add_note(excerpt)


def refused(error: VerifyException, name: str = "") -> InvalidModelError:
    """Return `error` as one of ours, with its notes; it begins with `name`."""
    explained = InvalidModelError(f"{name}: {error}" if name else str(error))
    for note in getattr(error, "__notes__", ()):
        explained.add_note(note)
    return explained


def _excerpt(span: Span[str] | Span[bytes]) -> str:
    """Return the line that `span` begins in, or a part of it, and carets below."""
    start = span.input.get_start_of_line(span.start)
    line = span.input.content[start : span.input.get_end_of_line(span.start)]
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    if not text.strip():
        return ""
    column = span.start - start
    first = max(0, column - _SHOWN_COLUMNS // 2)
    shown = text[first : first + _SHOWN_COLUMNS]
    width = max(1, min(len(span), len(shown) - column + first))
    # Control characters would move the carets away from the place.
    printed = "".join(c if c.isprintable() else " " for c in shown)
    return f"  {printed}\n  {' ' * (column - first)}{'^' * width}"
