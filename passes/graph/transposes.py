"""Transposes: their cost, and values moved into another order of axes."""

from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from glow.analysis.traffic import CALL_BYTES
from glow.dialects.graph.base import Array
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.reordering import Order, Placement, identity, picked
from glow.dialects.graph.storage import LiteralOp, LoadOp
from glow.passes.constants import Constants
from glow.support.types import has_layout, shape_of, size_bytes


def inverse(order: Order) -> Order:
    """Return the order that takes `order` back."""
    return tuple(order.index(axis) for axis in range(len(order)))


def transpose_of(value: SSAValue) -> TransposeOp | None:
    """
    Return the transpose that `value` comes from.

    Not one to or from a layout, nor one that permutes nothing.
    """
    owner = value.owner
    if not isinstance(owner, TransposeOp):
        return None
    if order_of(owner) == identity(len(order_of(owner))):
        return None
    return None if has_layout(owner.input) or has_layout(value) else owner


def order_of(op: TransposeOp) -> Order:
    return op.permutation


def is_ordered(order: Order, shape: tuple[int, ...]) -> bool:
    """Return whether `order` moves but axes of extent 1 of a tensor of `shape`."""
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

    Where no element moves it is a reshape, for a byte: fewer are better.
    """
    if order == identity(len(order)):
        return 0
    if not moves_data(order, shape):
        return 1
    return 2 * size_bytes + CALL_BYTES


def cost_of(op: TransposeOp) -> int:
    """Return what `op` costs, in bytes."""
    return transpose_bytes(op.input, order_of(op))


def existing_transpose(value: SSAValue, order: Order) -> TransposeOp | None:
    """Return the transpose of `value` by `order` in its block, if there is one."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    for use in value.uses:
        op = use.operation
        if not isinstance(op, TransposeOp) or op.parent is not block:
            continue
        if order_of(op) == order and not has_layout(op.result):
            return op
    return None


def kept_axes(places: Placement) -> Order:
    """Return the order that `places` has but for new axes."""
    return tuple(axis for axis in places if axis is not None)


def shape_in(places: Placement, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a tensor of `shape` whose axes come to `places`."""
    return tuple(1 if axis is None else shape[axis] for axis in places)


@dataclass
class Mover:
    """
    Gives values in another order of axes.

    Of a constant it makes another constant, of a transpose one that does both or
    nothing.
    """

    constants: Constants
    _symbols: dict[tuple[str, Placement], LoadOp] = field(
        default_factory=dict[tuple[str, Placement], LoadOp]
    )

    def moved(
        self,
        value: SSAValue,
        places: Placement,
        rewriter: PatternRewriter,
        point: InsertPoint,
    ) -> SSAValue:
        """Return `value` with its axes in `places`; insert what that takes."""
        if places == identity(len(shape_of(value))):
            return value
        array = self.constants.array_of(value)
        if array is not None:
            made = self._constant(value, array, places)
            rewriter.insert(made, point)
            return made.results[0]
        shape, order = shape_in(places, shape_of(value)), kept_axes(places)
        is_raised = None in places
        inner = transpose_of(value)
        if inner is not None:
            value, order = inner.input, picked(order_of(inner), order)
        if moves_data(order, shape_of(value)) or not (
            is_raised or order == identity(len(order))
        ):
            value = self._transposed(value, order, rewriter, point)
        if is_raised:
            reshape = ReshapeOp(value, shape=shape)
            rewriter.insert(reshape, point)
            value = reshape.result
        return value

    def _transposed(
        self,
        value: SSAValue,
        order: Order,
        rewriter: PatternRewriter,
        point: InsertPoint,
    ) -> SSAValue:
        """Return `value` transposed: where that exists, it moves up to `value`."""
        existing = existing_transpose(value, order)
        if existing is None:
            transpose = TransposeOp(value, permutation=order)
            rewriter.insert(transpose, point)
            return transpose.result
        existing.detach()
        owner = value.owner
        if isinstance(owner, Block):
            first = owner.first_op
            assert first is not None
            owner.insert_op_before(existing, first)
        else:
            assert owner.parent is not None
            owner.parent.insert_op_after(existing, owner)
        return existing.result

    def _constant(
        self, value: SSAValue, array: Array, places: Placement
    ) -> LiteralOp | LoadOp:
        """Return an op that gives the known `value` in `places`."""
        symbol = self.constants.symbol_of(value)
        known = self._symbols.get((symbol or "", places))
        if known is not None:
            return LoadOp(known.symbol.string_value(), known.result.type)
        moved = array.transpose(kept_axes(places)).reshape(
            shape_in(places, array.shape)
        )
        name = self.constants.folded_name(value)
        owner = value.owner
        assert isinstance(owner, Operation)  # a block's argument is not known
        made = self.constants.make(moved, name, owner.location)
        if symbol and isinstance(made, LoadOp):
            self._symbols[symbol, places] = made
        return made
