"""The place where ops are written: the current block, and constants of its function."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from glow.support.op_construction import append_op, build_op, result_of


@dataclass
class Writer:
    """
    Appends ops to `block`, or inserts them before an op of it.

    Equal constants are one op, at the top of `entry`, the first block of the function;
    without `entry`, it stands where it is first used.
    """

    block: Block
    entry: Block | None = None
    before: Operation | None = None
    location: LocationAttr | None = None
    constants: dict[Any, SSAValue] = field(default_factory=lambda: {})

    def add(self, op: Operation) -> None:
        """Append `op`."""
        if self.location is not None:
            op.location = self.location
        if self.before is None:
            append_op(self.block, op)
        else:
            self.block.insert_op_before(op, self.before)

    def constant(self, key: Any, value: Attribute, type_: Attribute) -> SSAValue:
        """Return the constant `value`; `key` says which constants are equal."""
        found = self.constants.get(key)
        if found is None:
            op = build_op(
                arith.ConstantOp, properties={"value": value}, result_types=[type_]
            )
            found = self.constants[key] = result_of(op)
            if self.entry is None:
                self.add(op)
            elif (first := self.entry.first_op) is None:
                self.entry.add_op(op)
            else:
                self.entry.insert_op_before(op, first)
        return found


class _Current(local):
    writer: Writer | None = None


_CURRENT = _Current()


def current() -> Writer:
    """Return the writer that ops go to; there is one per thread."""
    assert _CURRENT.writer is not None, "code is written below `writing_to` only"
    return _CURRENT.writer


@contextmanager
def writing_to(writer: Writer) -> Generator[Writer]:
    """Let `writer` take the ops that are written in a `with` block."""
    outer, _CURRENT.writer = _CURRENT.writer, writer
    try:
        yield writer
    finally:
        _CURRENT.writer = outer


@contextmanager
def inside(block: Block) -> Generator[Block]:
    """Let ops go to the end of `block`, which is nested in the current function."""
    writer = current()
    outer, before = writer.block, writer.before
    writer.block, writer.before = block, None
    try:
        yield block
    finally:
        writer.block, writer.before = outer, before


def emit(op: Operation) -> SSAValue:
    """Append `op`, which has one result, and return that."""
    current().add(op)
    return result_of(op)


def perform(op: Operation) -> None:
    """Append `op`, which has no result."""
    current().add(op)
