"""Computing ops on transposed operands, and what that costs."""

from collections.abc import Mapping
from typing import TypeGuard

from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.graph.reordering import (
    Order,
    Placement,
    Reordering,
    identity,
    picked,
)
from glow.dialects.graph.storage import LiteralOp, LoadOp
from glow.passes.constants import Constants
from glow.passes.graph.transposes import (
    cost_of,
    existing_transpose,
    inverse,
    kept_axes,
    moves_data,
    order_bytes,
    shape_in,
    transpose_bytes,
    transpose_of,
)
from glow.support.arrays import Array
from glow.support.types import has_layout, shape_of, size_bytes


def is_reorderable(op: Operation) -> TypeGuard[GraphOp]:
    """Return whether `op` may be computed in another order of axes at all."""
    return (
        isinstance(op, GraphOp)
        and not isinstance(op, TransposeOp)
        and not any(map(has_layout, (*op.operands, *op.results)))
    )


class Reorderer:
    """Replaces ops by those on transposed operands, and knows what that costs."""

    def __init__(self, constants: Constants):
        self.constants = constants
        self._symbols: dict[tuple[str, Placement], LoadOp] = {}

    def is_free(self, value: SSAValue, places: Placement) -> bool:
        """Return whether `value` comes to `places` without a run-time movement."""
        order = kept_axes(places)
        if None in places and not moves_data(order, shape_of(value)):
            return True  # a reshape, whatever else
        is_same = order == identity(len(order))
        return is_same or self.constants.array_of(value) is not None

    def price(self, value: SSAValue, places: Placement) -> int:
        """
        Return how many bytes more it costs to have `value` in `places` as well.

        A transpose that only one op reads is not needed any more: the sum may be
        negative.
        """
        if self.is_free(value, places):
            return 0
        order, inner = kept_axes(places), transpose_of(value)
        if inner is None:
            return transpose_bytes(value, order)
        merged = transpose_bytes(inner.input, picked(inner.permutation, order))
        return merged - cost_of(inner) if is_read_once(value) else merged

    def moved(
        self,
        value: SSAValue,
        places: Placement,
        rewriter: PatternRewriter,
        point: InsertPoint,
    ) -> SSAValue:
        """
        Return `value` with its axes in `places`; insert what that takes.

        A constant becomes another one; a transpose and a new one merge, or cancel.
        """
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
            value, order = inner.input, picked(inner.permutation, order)
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
        """Return `value` transposed; an existing transpose is moved up to `value`."""
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

    def reorder(
        self, reorderings: Mapping[GraphOp, Reordering], rewriter: PatternRewriter
    ) -> None:
        """Compute these ops of one block in their other order."""
        values = [value for op in reorderings for value in op.operands]
        inners = dict.fromkeys(map(transpose_of, values))
        transposes = [inner for inner in inners if inner is not None]
        for op in _in_block_order(reorderings):
            transposes += self._reorder_one(op, reorderings[op], rewriter)
        for transpose in transposes:
            if not transpose.result.uses:
                rewriter.erase(transpose)

    def _reorder_one(
        self, op: GraphOp, reordering: Reordering, rewriter: PatternRewriter
    ) -> list[TransposeOp]:
        """Replace `op`; return the transposes that give its results."""
        point = InsertPoint.before(op)
        operands = [
            self.moved(value, places, rewriter, point)
            for value, places in zip(op.operands, reordering.operands, strict=True)
        ]
        new = op.rebuilt(operands, reordering.parameters)
        undone: list[TransposeOp] = []
        results: list[SSAValue] = []
        for result, order in zip(new.results, reordering.results, strict=True):
            if order == identity(len(order)):
                results.append(result)
                continue
            undone.append(TransposeOp(result, permutation=inverse(order)))
            results.append(undone[-1].result)
        rewriter.replace(op, [new, *undone], results)
        for transpose in undone:
            self._merge_readers(transpose, rewriter)
        return undone

    def _merge_readers(self, inner: TransposeOp, rewriter: PatternRewriter) -> None:
        """Let the transposes that read `inner` read its operand."""
        for use in list(inner.result.uses):
            op = use.operation
            if isinstance(op, TransposeOp) and not has_layout(op.result):
                order = picked(inner.permutation, op.permutation)
                point = InsertPoint.before(op)
                merged = self.moved(inner.input, order, rewriter, point)
                rewriter.replace(op, (), (merged,))


def is_read_once(value: SSAValue) -> bool:
    """Return whether one op alone reads `value`, however often."""
    return len({use.operation for use in value.uses}) == 1


def saved_bytes(op: TransposeOp, order: Order) -> int:
    """Return the bytes that `op` saves if it reads in `order`; below 0 for a loss."""
    merged = picked(inverse(order), op.permutation)
    shape = picked(shape_of(op.input), order)
    return cost_of(op) - order_bytes(merged, shape, size_bytes(op.input))


def _in_block_order(ops: Mapping[GraphOp, Reordering]) -> list[GraphOp]:
    if len(ops) == 1:
        return list(ops)
    block = next(iter(ops)).parent
    assert block is not None
    return [op for op in block.ops if op in ops and isinstance(op, GraphOp)]
