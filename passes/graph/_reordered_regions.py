"""The set of ops around a transpose to reorder, chosen by a minimum cut."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import inf
from typing import cast

from xdsl.ir import Operation, OpResult, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.graph.reordering import Order, Placement, Reordering
from glow.passes.graph.reordered_ops import Reorderer, is_reorderable, saved_bytes
from glow.passes.graph.transposes import (
    existing_transpose,
    inverse,
    kept_axes,
    transpose_bytes,
    transpose_of,
)
from glow.support.minimum_cut import Network

# The most ops of a region: enough for a stage of a residual network.
OPS = 256


@dataclass
class Region:
    """
    Ops that can be reordered, each in one way, and the values between them.

    `orders` has the order of the reordered form of each value; the result of a
    transpose has both forms from the start.
    """

    reorderer: Reorderer
    reorderings: dict[GraphOp, Reordering] = field(
        default_factory=dict[GraphOp, Reordering]
    )
    orders: dict[SSAValue, Order] = field(default_factory=dict[SSAValue, Order])

    @staticmethod
    def below(transpose: TransposeOp, reorderer: Reorderer) -> Region:
        """Return the ops below `transpose` that could read its operand instead."""
        region = Region(reorderer)
        region.orders[transpose.result] = inverse(transpose.permutation)
        pending = [transpose.result]
        while pending and len(region.reorderings) < OPS:
            value = pending.pop(0)
            for use in list(value.uses):
                op = use.operation
                if op.parent is transpose.parent:
                    reached = region._reach(op, use.index)
                    pending += region._with_transposes(reached)
        return region

    @staticmethod
    def above(transpose: TransposeOp, reorderer: Reorderer) -> Region:
        """Return the ops above `transpose` that could give its result."""
        region = Region(reorderer)
        pending: list[tuple[SSAValue, Order]]
        pending = [(transpose.input, transpose.permutation)]
        while pending and len(region.reorderings) < OPS:
            value, order = pending.pop(0)
            if value not in region.orders and isinstance(value, OpResult):
                pending += region._reach_up(value, order)
        return region

    def _reach(self, op: Operation, operand: int) -> list[GraphOp]:
        """Add `op`, which has a reordered operand, if it can be reordered."""
        if op in self.reorderings or not is_reorderable(op):
            return []
        reordering = op.reordered(operand, self.orders[op.operands[operand]])
        return [] if reordering is None else [self._add(op, reordering)]

    def _reach_up(self, value: OpResult, order: Order) -> list[tuple[SSAValue, Order]]:
        """Add the op of `value`, wanted in `order`, if it can be reordered."""
        op = value.op
        if op in self.reorderings or not is_reorderable(op):
            return []
        reordering = op.reordered_for(value.index, order)
        if reordering is None:
            return []
        self._add(op, reordering)
        self._with_transposes([op])
        pairs = zip(op.operands, reordering.operands, strict=True)
        return [(v, kept_axes(p)) for v, p in pairs if None not in p]

    def _add(self, op: GraphOp, reordering: Reordering) -> GraphOp:
        self.reorderings[op] = reordering
        self.orders |= zip(op.results, reordering.results, strict=True)
        return op

    def _with_transposes(self, ops: Iterable[GraphOp]) -> list[SSAValue]:
        """Return the values new to the region: results, and transposes that vanish."""
        new: list[SSAValue] = []
        for op in ops:
            new += op.results
            places = self.reorderings[op].operands
            for value, wanted in zip(op.operands, places, strict=True):
                inner = transpose_of(value)
                if inner is None or value in self.orders:
                    continue
                if inverse(inner.permutation) == wanted:
                    self.orders[value] = kept_axes(wanted)
                    new.append(value)
        return new

    def cheapest(self) -> dict[GraphOp, Reordering]:
        """
        Return the fewest ops to reorder for the least cost; none if that saves nothing.

        A minimum cut: ops on the side of the source are reordered. A transpose of a
        value is counted once, however many ops read it.
        """
        return self._among(self._sides()[0])

    def furthest(self) -> dict[GraphOp, Reordering]:
        """
        Return the most ops to reorder for the least cost of transposes.

        If that saves nothing, the transposes above these ops must vanish, and no other
        transpose may become dearer.
        """
        fewest, most = self._sides()
        chosen = self._among(most)
        pays = any(op in fewest for op in chosen)
        return chosen if pays or self._only_sinks(chosen) else {}

    def _sides(self) -> tuple[set[Hashable], set[Hashable]]:
        return _Costs(self).network().source_sides()

    def _among(self, nodes: set[Hashable]) -> dict[GraphOp, Reordering]:
        return {op: how for op, how in self.reorderings.items() if op in nodes}

    def _only_sinks(self, chosen: dict[GraphOp, Reordering]) -> bool:
        """Return whether transposes above `chosen` vanish, and others cost the same."""
        sources: list[SSAValue] = []
        for op, reordering in chosen.items():
            for value, places in zip(op.operands, reordering.operands, strict=True):
                if self.orders.get(value) == places:
                    sources.append(value)
                elif self.price(value, places) != 0:
                    return False
        above = [value for value in sources if value.owner not in chosen]
        return bool(above) and all(self._vanishes(v, chosen) for v in above)

    def price(self, value: SSAValue, places: Placement) -> int:
        """Return the cost of moving `value`, which is not reordered, into `places`."""
        existing = existing_transpose(value, kept_axes(places))
        if existing and existing.result.uses and existing.result not in self.orders:
            return 0
        return self.reorderer.price(value, places)

    def _vanishes(self, value: SSAValue, chosen: dict[GraphOp, Reordering]) -> bool:
        """Return whether `value` is a transpose that only `chosen` ops read."""
        readers = {use.operation for use in value.uses}
        return transpose_of(value) is not None and readers <= chosen.keys()


_SOURCE, _SINK = "reordered", "as it is"


class _Costs:
    """The network of costs of reordering each op of a region, or not."""

    def __init__(self, region: Region):
        self._region = region
        self._network = Network(_SOURCE, _SINK)

    def network(self) -> Network:
        for value in self._region.orders:
            self._add_value(value)
        foreign: dict[tuple[SSAValue, Placement], list[GraphOp]] = {}
        for op, reordering in self._region.reorderings.items():
            for value, places in zip(op.operands, reordering.operands, strict=True):
                if self._region.orders.get(value) != places:
                    foreign.setdefault((value, places), []).append(op)
        for (value, places), readers in foreign.items():
            self._add_foreign(value, places, readers)
        return self._network

    def _add_value(self, value: SSAValue) -> None:
        """Add what it costs to have `value` reordered, as it is, or both."""
        order, producer = self._region.orders[value], value.owner
        reordered, has_others = self._readers(value, order)
        cost = transpose_bytes(value, order)
        is_made = producer in self._region.reorderings  # else both forms exist
        plain = "as it is", value
        self._network.add(producer if is_made else _SOURCE, plain, cost)
        for reader in [_SINK] if has_others else reordered:
            self._network.add(plain, reader, inf)
        if not is_made:
            return
        readers = {use.operation for use in value.uses}
        transposes = [
            op for op in readers if isinstance(op, TransposeOp) and op.result.uses
        ]
        saved = sum(saved_bytes(op, order) for op in transposes)
        self._network.add(_SOURCE, producer, max(saved, 0))
        self._network.add(producer, _SINK, max(-saved, 0))
        if not any(op.permutation == order for op in transposes):
            self._add_wanted(("reordered", value), reordered, producer, cost)

    def _add_wanted(
        self, form: Hashable, readers: Iterable[GraphOp], head: Hashable, cost: int
    ) -> None:
        """Add `cost` if one of `readers` is reordered and `head` is not."""
        for op in readers:
            self._network.add(op, form, inf)
        self._network.add(form, head, cost)

    def _readers(self, value: SSAValue, order: Order) -> tuple[list[GraphOp], bool]:
        """Return the ops that can read `value` reordered, and whether others do."""
        reordered: list[GraphOp] = []
        has_others = False
        for use in value.uses:
            op = use.operation
            if self._takes(op, use.index, order):
                reordered.append(cast(GraphOp, op))
            elif not isinstance(op, TransposeOp):  # they merge in either form
                has_others = True
        return reordered, has_others

    def _takes(self, op: Operation, operand: int, order: Order) -> bool:
        """Return whether `op` reads its operand in `order` once it is reordered."""
        reordering = self._region.reorderings.get(cast(GraphOp, op))
        return reordering is not None and reordering.operands[operand] == order

    def _add_foreign(
        self, value: SSAValue, places: Placement, readers: list[GraphOp]
    ) -> None:
        """Add what it costs to transpose an operand that the region does not make."""
        price = self._region.price(value, places)
        if price < 0:  # it has one reader, which gets rid of a transpose
            self._network.add(_SOURCE, readers[0], -price)
        elif price > 0:
            self._add_wanted((value, places), readers, _SINK, price)
