"""A parser that tells ops where in the text they stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from threading import Lock
from typing import Any

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
from xdsl.ir import Operation
from xdsl.parser import AttrParser, Parser
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.replaced import describe_replaced

# Where text leaves a terminator out, xDSL adds it with a builder that replaces a method
# of all operations for that time: two threads that do so at once break it for good.
_PARSING = Lock()


class _Element(AttrParser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """An element of a literal; the bits of a float where it is hexadecimal."""

    def to_type(
        self,
        parser: AttrParser,
        type: AnyFloat | IntegerType | IndexType | ComplexType,
    ) -> Any:
        # xDSL prints so what has no decimal form, infinities say, but reads an integer.
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
        self._file = StringAttr(name)
        self._first_line = 1 + line_offset
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        with _PARSING:
            module = super().parse_module(allow_implicit_module)
        if isinstance(module.location, UnknownLoc):
            module.location = self._place(0)
        return module

    def parse_operation(self) -> Operation:
        start = self.pos
        try:
            op = super().parse_operation()
        except VerifyException as error:
            self.raise_error(str(error), start, self.pos)
        if isinstance(op.location, UnknownLoc):
            op.location = self._place(start)
        return op

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
