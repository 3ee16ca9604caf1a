"""Computing ops on transposed operands, and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reordering import (
    Order,
    Placement,
    Reordering,
    identity,
    picked,
)
from glow.passes.constants import Constants
from glow.passes.graph.transposes import (
    Mover,
    cost_of,
    inverse,
    kept_axes,
    moves_data,
    order_bytes,
    order_of,
    transpose_bytes,
    transpose_of,
)
from glow.support.types import has_layout, shape_of, size_bytes


def is_reorderable(op: Operation) -> TypeGuard[GraphOp]:
    """Return whether `op` may be computed in another order of axes at all."""
    return (
        isinstance(op, GraphOp)
        and not isinstance(op, TransposeOp)
        and not any(map(has_layout, (*op.operands, *op.results)))
    )


@dataclass
class Reorderer:
    """Replaces ops by those on transposed operands, and knows what that costs."""

    constants: Constants

    def __post_init__(self) -> None:
        self._mover = Mover(self.constants)

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
        merged = transpose_bytes(inner.input, picked(order_of(inner), order))
        return merged - cost_of(inner) if is_read_once(value) else merged

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
            self._mover.moved(value, places, rewriter, point)
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
                order = picked(order_of(inner), order_of(op))
                point = InsertPoint.before(op)
                merged = self._mover.moved(inner.input, order, rewriter, point)
                rewriter.replace(op, (), (merged,))


def is_read_once(value: SSAValue) -> bool:
    """Return whether one op alone reads `value`, however often."""
    return len({use.operation for use in value.uses}) == 1


def saved_bytes(op: TransposeOp, order: Order) -> int:
    """Return what `op` costs less (or more: then below 0) if it reads in `order`."""
    merged = picked(inverse(order), order_of(op))
    shape = picked(shape_of(op.input), order)
    return cost_of(op) - order_bytes(merged, shape, size_bytes(op.input))


def _in_block_order(ops: Mapping[GraphOp, Reordering]) -> list[GraphOp]:
    if len(ops) == 1:
        return list(ops)
    block = next(iter(ops)).parent
    assert block is not None
    return [op for op in block.ops if op in ops and isinstance(op, GraphOp)]
