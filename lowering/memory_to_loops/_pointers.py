"""Pointers into the memory of a run, and numbers: each once in a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import i8, i32, i64
from xdsl.ir import Attribute, Block, SSAValue

from glow.codegen.memory import flat
from glow.codegen.values import INDEX
from glow.codegen.writer import Writer
from glow.dialects.llvm_ext.memory import BaseOp
from glow.support.attributes import index_attribute, integer
from glow.support.op_construction import append_op, build_op, result_of

_BYTES = flat(i8)
_POINTERS = flat(_BYTES)


def arguments(is_shared: bool) -> dict[str, Attribute]:
    """Return the arguments of `main`, which threads share or not."""
    own: dict[str, Attribute] = {
        "arena": _BYTES,
        "io": _POINTERS,
        "constants": _POINTERS,
        "fault": flat(i32),
    }
    return own | ({"team": flat(i64), "scratch": _BYTES} if is_shared else {})


class Pointers:
    """The pointers and numbers that calls in a block of a function are passed."""

    def __init__(
        self, block: Block, writer: Writer, arguments: Mapping[str, SSAValue]
    ) -> None:
        self.arguments = arguments
        """The arguments of the function, by name."""
        self._block, self._writer = block, writer
        self._bases: dict[tuple[str, int | None, int, Any], BaseOp] = {}

    def index(self, number: int) -> SSAValue:
        """Return `number` as an index."""
        return self._writer.constant(number, index_attribute(number), INDEX)

    def at(
        self, argument: str, entry: int | None, start: int, element: Any
    ) -> SSAValue:
        """
        Return a pointer `start` bytes into an argument, or into an entry of a table.

        `element` is the type of what it points to.
        """
        key = (argument, entry, start, element)
        op = self._bases.get(key)  # hashing a type takes long
        if op is None:
            numbers = {"offset": start} | ({} if entry is None else {"entry": entry})
            op = self._bases[key] = build_op(
                BaseOp,
                operands=[self.arguments[argument]],
                result_types=[flat(element)],
                properties={name: integer(n) for name, n in numbers.items()},
            )
            append_op(self._block, op)
        return result_of(op)
