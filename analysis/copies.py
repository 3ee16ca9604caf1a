"""Copies at the memory level, as movements of `glow.analysis.movements`."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.buffers import (
    accesses_of,
    may_overlap,
    root_of,
    size_bytes,
    symbol_of,
)
from glow.analysis.movements import CALL_BYTES, End, Movement, Place, value_name
from glow.analysis.symbols import named_in
from glow.dialects.layout.attribute import LayoutAttr
from glow.dialects.memory.base import Buffer, MemoryOp, buffer_type
from glow.dialects.memory.elementwise import CopyOp
from glow.dialects.memory.storage import GetOp, PlaceholderOp
from glow.support.layout import print_layout
from glow.support.locations import name_of
from glow.support.types import dtype_of


def copies_in(module: ModuleOp) -> list[Movement]:
    """Return what each `memory.copy` of a module moves, in order."""
    placeholders = named_in(module, PlaceholderOp)
    directions = {name: op.direction.data for name, op in placeholders.items()}
    movements: list[Movement] = []
    for op in module.walk():
        if isinstance(op, CopyOp) and (block := op.parent_block()) is not None:
            movements.append(_Copy(op, block, directions).movement())
    return movements


class _Copy:
    """A copy, and what is around it in its block."""

    def __init__(self, op: CopyOp, block: Block, directions: dict[str, str]):
        self._op = op
        self._ops = list(block.ops)
        self._at = self._ops.index(op)
        self._directions = directions

    def movement(self) -> Movement:
        source, result = buffer_type(self._op.source), buffer_type(self._op.result)
        moved = prod(source.get_shape()) * dtype_of(source.element_type).itemsize
        written = size_bytes(result) if isinstance(result.layout, LayoutAttr) else moved
        maker = self._maker()
        return Movement(
            op=self._op.name,
            value=value_name(root_of(self._op.source)) or maker.name,
            bytes=moved,
            source=_layout_text(source),
            target=_layout_text(result),
            made_by=maker,
            needed_by=tuple(dict.fromkeys(self._readers())),
            cost=moved + written + CALL_BYTES,
            place=self._place(),
        )

    def _place(self) -> Place:
        if self._direction(self._op.source) in ("in", "inout"):
            return "input"
        return "inside" if self._direction(self._op.result) is None else "output"

    def _direction(self, buffer: SSAValue) -> str | None:
        """Return the direction of the placeholder that `buffer` lies in, if any."""
        symbol = symbol_of(buffer)
        return None if symbol is None else self._directions.get(symbol)

    def _maker(self) -> End:
        """Return the last op before that writes what is copied."""
        source = self._op.source
        for op in reversed(self._ops[: self._at]):
            for buffer, kind in accesses_of(op):
                if kind.writes and _meet(buffer, source):
                    return _end(op, buffer)
        return self._outside(source)

    def _readers(self) -> Iterator[End]:
        """Yield the later ops that read the copy, until it is written over."""
        result = self._op.result
        if self._direction(result) is not None:
            yield self._outside(result)
        for op in self._ops[self._at + 1 :]:
            met = [pair for pair in accesses_of(op) if _meet(pair[0], result)]
            yield from (_end(op, buffer) for buffer, kind in met if kind.reads)
            if any(not kind.reads and buffer == result for buffer, kind in met):
                return

    def _outside(self, buffer: SSAValue) -> End:
        """Return what binds `buffer`: a symbol, or an argument."""
        root, symbol = root_of(buffer), symbol_of(buffer)
        text = _layout_text(buffer_type(root))
        if symbol is not None:
            return End(GetOp.name, f"@{symbol}", text)
        return End("argument", value_name(root), text)


def _meet(one: SSAValue, other: SSAValue) -> bool:
    return root_of(one) is root_of(other) and may_overlap(one, other)


def _end(op: Operation, buffer: SSAValue) -> End:
    name = op.title if isinstance(op, MemoryOp) else op.name
    return End(name, name_of(op), _layout_text(buffer_type(buffer)))


def _layout_text(type_: Buffer) -> str:
    match type_.layout:
        case NoneAttr():
            return "row-major"
        case LayoutAttr() as layout:
            return print_layout(layout.data)
        case strided:
            return str(strided)
