"""Transposes, their orders and what they cost."""

from xdsl.ir import Block, SSAValue

from glow.analysis.movements import CALL_BYTES
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reordering import Order, Placement, identity
from glow.support.types import has_layout, shape_of, size_bytes


def inverse(order: Order) -> Order:
    """Return the order that undoes `order`."""
    return tuple(order.index(axis) for axis in range(len(order)))


def transpose_of(value: SSAValue) -> TransposeOp | None:
    """
    Return the transpose that `value` comes from.

    Not one to or from a layout, nor one that permutes nothing.
    """
    op = value.owner
    if not isinstance(op, TransposeOp) or has_layout(op.input) or has_layout(value):
        return None
    return None if op.permutation == identity(len(op.permutation)) else op


def is_ordered(order: Order, shape: tuple[int, ...]) -> bool:
    """Return whether `order` moves only axes of extent 1 of a tensor of `shape`."""
    moved = [axis for axis in order if shape[axis] != 1]
    return moved == sorted(moved)


def moves_data(order: Order, shape: tuple[int, ...]) -> bool:
    """Return whether transposing a tensor of `shape` by `order` moves an element."""
    return 0 not in shape and not is_ordered(order, shape)


def transpose_bytes(value: SSAValue, order: Order) -> int:
    """Return what transposing `value` costs."""
    return order_bytes(order, shape_of(value), size_bytes(value))


def order_bytes(order: Order, shape: tuple[int, ...], size_bytes: int) -> int:
    """
    Return what bringing a tensor into `order` costs: a read, a write, and a call.

    Where no element moves, it is a reshape and costs a byte: fewer are better.
    """
    if order == identity(len(order)):
        return 0
    if not moves_data(order, shape):
        return 1
    return 2 * size_bytes + CALL_BYTES


def cost_of(op: TransposeOp) -> int:
    """Return what `op` costs, in bytes."""
    return transpose_bytes(op.input, op.permutation)


def existing_transpose(value: SSAValue, order: Order) -> TransposeOp | None:
    """Return the transpose of `value` by `order` in its block, if there is one."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    for use in value.uses:
        op = use.operation
        if not isinstance(op, TransposeOp) or op.parent is not block:
            continue
        if op.permutation == order and not has_layout(op.result):
            return op
    return None


def kept_axes(places: Placement) -> Order:
    """Return `places` without new axes, as an order."""
    return tuple(axis for axis in places if axis is not None)


def shape_in(places: Placement, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a tensor of `shape` whose axes come to `places`."""
    return tuple(1 if axis is None else shape[axis] for axis in places)
