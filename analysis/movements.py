"""Data that moves at run time: who makes it in one order, who needs it in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from glow.analysis.constants import constant_behind
from glow.dialects.graph.fused import FusedOp, YieldOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.storage import LoadOp, SaveOp
from glow.dialects.layout.attribute import layout_of, same_bytes
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import Layout, print_layout, reshaped, row_major, size_of
from glow.support.locations import name_of
from glow.support.types import dtype_of, element_of, shape_of, size_bytes

CALL_BYTES = 4096
"""Cost of starting a movement, in bytes that could move in that time."""


def movement_cost(value: SSAValue, layout: Layout | None) -> int:
    """
    Return what it costs a run to have `value` in another `layout` too.

    That is the bytes read and written, padding included, and a call; constants move
    when the model is compiled. None is row-major.
    """
    shape = shape_of(value)
    if 0 in shape or constant_behind(value) is not None:
        return 0
    itemsize = dtype_of(element_of(value)).itemsize
    plain = row_major(len(shape))
    elements = size_of(plain, shape) + size_of(layout or plain, shape, itemsize)
    return elements * itemsize + CALL_BYTES


Place = Literal["input", "output", "inside"]

MovingOp = TransformOp | TransposeOp | ReshapeOp

_EXITS = ("graph.save", "func.return")


@dataclass(frozen=True)
class End:
    """An op that makes or reads what moves, and the layout in which it does."""

    op: str
    name: str
    """Its name in the model; of a load or save, its symbol."""
    layout: str

    def __str__(self) -> str:
        return f"{self.op} {self.name} ({self.layout})"


@dataclass(frozen=True)
class Movement:
    """
    Data that a run moves only to have it elsewhere or in another order.

    Units: bytes of the value without padding; cost in bytes of memory traffic that
    take as long, as `assign-layouts` counts.
    """

    op: str
    value: str
    """Its name in the text, or that of what it was made by."""
    bytes: int
    source: str
    """The layout in which it is read."""
    target: str
    """The layout in which it is written."""
    made_by: End
    needed_by: tuple[End, ...]
    cost: int
    place: Place
    """Whether it moves what comes in, what goes out, or something between."""


def movements_in(module: ModuleOp) -> list[Movement]:
    """
    Return what moves in a module of the graph or layout level, in order.

    That is each transform, transpose and reshape whose result has other bytes than
    its input. What the memory level copies besides, `copies_in` tells.
    """
    order = {op: number for number, op in enumerate(module.walk())}
    moving = [op for op in order if isinstance(op, MovingOp) and not keeps_bytes(op)]
    return [_movement(op, order) for op in moving]


def whole_layout_of(value: SSAValue) -> Layout:
    """Return the layout of `value`, also where its type has none."""
    return layout_of(value) or row_major(len(shape_of(value)))


def layout_after(op: ReshapeOp | TransposeOp, layout: Layout) -> Layout | None:
    """Return the layout of the result with the bytes of an operand in `layout`."""
    if isinstance(op, TransposeOp):
        return layout.transposed(op.permutation)
    return reshaped(layout, shape_of(op.input), shape_of(op.result))


def layout_before(op: ReshapeOp | TransposeOp, layout: Layout) -> Layout | None:
    """Return the layout of the operand with the bytes of a result in `layout`."""
    if isinstance(op, TransposeOp):
        order = op.permutation
        return layout.transposed([order.index(axis) for axis in range(len(order))])
    return reshaped(layout, shape_of(op.result), shape_of(op.input))


def keeps_bytes(op: MovingOp, layout: Layout | None = None) -> bool:
    """Return whether the result of `op` has the bytes of its input, or of `layout`."""
    if 0 in shape_of(op.input):
        return True
    kept = layout or whole_layout_of(op.input)
    after = kept if isinstance(op, TransformOp) else layout_after(op, kept)
    result = whole_layout_of(op.result)
    return after is not None and same_bytes(after, result, op.result.type)


def _movement(op: MovingOp, order: Mapping[Operation, int]) -> Movement:
    origin = _origin_of(op.input)
    uses = sorted(_uses_of(op.result), key=lambda use: order[use[0]])
    readers = tuple(dict.fromkeys(_end(reader, value) for reader, value in uses))
    maker = _maker(origin)
    return Movement(
        op=op.name,
        value=value_name(op.input) or maker.name,
        bytes=size_bytes(op.input),
        source=layout_text(op.input),
        target=layout_text(op.result),
        made_by=maker,
        needed_by=readers,
        cost=movement_cost(op.input, layout_of(op.result)),
        place=_place_of(origin, readers),
    )


def _place_of(origin: SSAValue, readers: tuple[End, ...]) -> Place:
    is_given = isinstance(origin, BlockArgument) or isinstance(origin.owner, LoadOp)
    if is_given and constant_behind(origin) is None:
        return "input"
    if readers and all(reader.op in _EXITS for reader in readers):
        return "output"
    return "inside"


def _origin_of(value: SSAValue) -> SSAValue:
    """Return the value that `value` is, seen through groups and free views."""
    while True:
        match value, value.owner:
            case BlockArgument(), Block() as block:
                group = block.parent_op()
                if not isinstance(group, FusedOp):
                    return value
                value = group.operands[value.index]
            case OpResult(), FusedOp() as group:
                value = group.terminator.values[value.index]
            case _, TransposeOp() | ReshapeOp() as view if keeps_bytes(view):
                value = view.input
            case _:
                return value


def _maker(value: SSAValue) -> End:
    if isinstance(value.owner, Block):
        return End("argument", value_name(value), layout_text(value))
    return _end(value.owner, value)


def _end(op: Operation, value: SSAValue) -> End:
    is_named = isinstance(op, LoadOp | SaveOp)
    name = f"@{op.symbol.string_value()}" if is_named else name_of(op)
    return End(op.name, name, layout_text(value))


def _uses_of(value: SSAValue) -> Iterator[tuple[Operation, SSAValue]]:
    """Yield the ops that read `value` and what they read, through groups and views."""
    open_ = [value]
    while open_:
        value = open_.pop()
        for use in value.uses:
            match op := use.operation:
                case FusedOp():
                    open_.append(op.body.block.args[use.index])
                case YieldOp():
                    group = op.parent_op()
                    assert isinstance(group, FusedOp)
                    open_.append(group.results[use.index])
                case TransposeOp() | ReshapeOp() if keeps_bytes(op):
                    open_.append(op.result)
                case _:
                    yield op, value


def value_name(value: SSAValue) -> str:
    """Return the name that `value` prints with, "" where it has only a number."""
    return f"%{value.name_hint}" if value.name_hint else ""


def layout_text(value: SSAValue) -> str:
    """Return how a message says the layout of `value`."""
    layout = layout_of(value)
    if layout is None or layout.is_row_major:
        return "row-major"
    return print_layout(layout)
