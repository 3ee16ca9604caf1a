"""Search for candidates: requests for layouts, carried through a block."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

from xdsl.ir import Block, Operation, OpResult, SSAValue

from glow.analysis.movements import layout_after, layout_before, whole_layout_of
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._candidates import (
    MOST,
    LayoutCandidates,
    Way,
    readers_of,
    source_of,
)
from glow.passes.layout.carrying import AxisMaps, accepts, asked_layout, has_maps
from glow.support.layout import Layout, row_major, unblocked
from glow.support.targets import AnyOrder, Asked, LayoutChoice, Layouts, TargetQueries
from glow.support.types import shape_of
from glow.support.walking import block_ops

Laid = tuple[Operation, int, Layout]
"""An op and the layout of one of its operands, or of a result: by ~index."""


class Search:
    """
    Finds the candidates of a block: requests of ops, carried through other ops.

    Ops outside the graph dialect keep the layouts that their values have. A transform
    counts as its input.
    """

    def __init__(self, queries: TargetQueries):
        self.queries = queries
        self.values: dict[SSAValue, LayoutCandidates] = {}
        self.fixed: set[SSAValue] = set()
        """Values whose layout cannot change."""
        self.ways: dict[Operation, list[Way]] = {}
        """The ways to run each op that has requirements; at least one."""
        self.is_complete = True
        """Whether no way was left out, for want of room for its layouts."""
        self._choices: dict[Operation, tuple[LayoutChoice, ...]] = {}
        self._carrying: dict[GraphOp, dict[tuple[int, ...], Way]] = {}
        self._maps: dict[Operation, AxisMaps] = {}
        self._seen: set[Laid] = set()
        """Layouts that went through an op."""
        self._settled: set[Laid] = set()
        """Layouts from which all ways follow that the target has been asked about."""
        self._news: deque[tuple[SSAValue, int]] = deque()

    def run(self, block: Block) -> None:
        for op in block_ops(block):
            self._enter(op)
        while self._news:
            value, index = self._news.popleft()
            self._spread(value, self.values[value].layouts[index])
        for op, choices in self._choices.items():
            self.ways[op] = [way for c in choices for way in self._ways(op, c)]
        for op, ways in self._carrying.items():
            self._lead(op)
            if not ways:
                self._add_way(op, *self._plain(op), is_forced=True)
            # Of ways that cost the same, those that follow an operand come first.
            self.ways[op] = sorted(
                ways.values(), key=lambda way: self._is_plain(op, way)
            )

    def _is_plain(self, op: Operation, way: Way) -> bool:
        layouts = (
            self.values[value].layouts[i]
            for value, i in zip(op.results, way.results, strict=True)
        )
        return all(layout.is_row_major for layout in layouts)

    def candidates(self, value: SSAValue) -> LayoutCandidates:
        """Return the candidates of `value`; a value from outside the block has one."""
        if value not in self.values:
            self._fix(value)
        return self.values[value]

    def _enter(self, op: Operation) -> None:
        """Add the requests of `op`; carry the candidates known so far through it."""
        if isinstance(op, TransformOp):
            return
        if not isinstance(op, GraphOp):
            for value in op.results:
                self._fix(value)
            for value in op.operands:
                self._add(source_of(value), whole_layout_of(value))
            return
        sources = [source_of(value) for value in op.operands]
        offers = [self.candidates(value) for value in sources]
        for value in op.results:
            self.values[value] = LayoutCandidates(value)
        choices = self.queries.layout_choices(op, lambda i: tuple(offers[i].layouts))
        if choices:
            self._choices[op] = choices
            self._ask(op, choices)
        elif isinstance(op, ReshapeOp | TransposeOp) or has_maps(op):
            self._carrying[op] = {}
            if not isinstance(op, ReshapeOp | TransposeOp):
                self._maps[op] = AxisMaps(op)
                self._lead(op)
            for i, offer in enumerate(offers):
                for layout in tuple(offer.layouts):
                    self._carry(op, i, layout)
            if isinstance(op, ReshapeOp):
                self._add_way(op, *self._plain(op), is_forced=True)
        else:
            self._carrying[op] = {}
            self._add_way(op, *self._plain(op), is_forced=True)

    def _lead(self, op: GraphOp) -> None:
        """Add row-major results of `op` if no operand alone determines their layout."""
        maps = self._maps.get(op)
        if maps is None or any(map(maps.leads, range(len(op.operands)))):
            return
        plain = row_major(len(shape_of(op.results[0])))
        for operands, results in self._around(op, {}, 0, plain):
            self._add_way(op, operands, results)

    def _fix(self, value: SSAValue) -> None:
        self.values[value] = LayoutCandidates(value)
        self.fixed.add(value)
        self._add(value, whole_layout_of(value))

    def _add(self, value: SSAValue, layout: Layout) -> int:
        own = self.candidates(value)
        before = len(own.layouts)
        index = own.add(layout)
        if index == before:
            self._news.append((value, index))
        return index

    def _ask(self, op: Operation, choices: Sequence[LayoutChoice]) -> None:
        for choice in choices:
            for value, asked in _pairs(op, choice):
                source = source_of(value)
                known = self.candidates(source).layouts
                if isinstance(asked, AnyOrder) and any(
                    accepts(asked, layout, value) for layout in known
                ):
                    continue
                self._add(source, asked_layout(asked, value))

    def _ways(self, op: Operation, choice: LayoutChoice) -> Iterator[Way]:
        """Yield a way per combination of the layouts that results may have."""
        accepted = [self._accepted(v, asked) for v, asked in _pairs(op, choice)]
        count = len(op.operands)
        for results in product(*accepted[count:]):
            yield Way(tuple(accepted[:count]), results, choice.cost)

    def _accepted(self, value: SSAValue, asked: Asked) -> tuple[int, ...]:
        known = self.values[source_of(value)]
        if not isinstance(asked, AnyOrder):
            return (known.add(asked_layout(asked, value)),)
        return tuple(
            i for i, layout in enumerate(known.layouts) if accepts(asked, layout, value)
        )

    def _spread(self, value: SSAValue, layout: Layout) -> None:
        """Carry a new candidate of `value` through the ops around it."""
        if isinstance(value, OpResult) and value.op in self._carrying:
            assert isinstance(value.op, GraphOp)
            self._carry(value.op, ~value.index, layout)
        for use in readers_of(value):
            op = use.operation
            if op in self._carrying:
                assert isinstance(op, GraphOp)
                self._carry(op, use.index, layout)

    def _carry(self, op: GraphOp, slot: int, layout: Layout) -> None:
        """Add the ways to run `op` that have `layout` in `slot`; a result is ~index."""
        if (op, slot, layout) in self._seen:
            return
        self._seen.add((op, slot, layout))
        for operands, results in self._going_with(op, slot, layout):
            self._add_way(op, operands, results)

    def _going_with(
        self, op: GraphOp, slot: int, layout: Layout
    ) -> Iterator[tuple[Layouts, Layouts]]:
        """Yield layouts of all values of `op` that go with `layout` of one."""
        if isinstance(op, TransposeOp | ReshapeOp):
            if slot >= 0 and (after := layout_after(op, layout)) is not None:
                yield (layout,), (after,)
            elif slot < 0 and (before := layout_before(op, layout)) is not None:
                yield (before,), (layout,)
            return
        maps = self._maps.get(op)
        if maps is None or (slot >= 0 and not maps.leads(slot)):
            return
        for led in dict.fromkeys((layout, unblocked(layout))):
            if (op, slot, led) in self._settled:
                continue
            if slot < 0:
                yield from self._around(op, {}, ~slot, led)
            else:
                yield from self._around(op, {slot: led}, 0, maps.carried(slot, 0, led))

    def _around(
        self, op: GraphOp, known: dict[int, Layout], result: int, layout: Layout
    ) -> Iterator[tuple[Layouts, Layouts]]:
        """Yield layouts of all values of `op` that go with `layout` of `result`."""
        options: list[Sequence[Layout]] = []
        for i, value in enumerate(op.operands):
            around = known.get(i) or self._maps[op].needed(i, result, layout)
            own = self.values[source_of(value)].layouts
            options.append(tuple(own) if around is None else (around,))
        results = tuple(
            layout if r == result else self._beside(op, r, result, layout)
            for r in range(len(op.results))
        )
        self.is_complete &= prod(map(len, options)) <= MOST
        for operands in islice(product(*options), MOST):
            yield operands, results

    def _beside(self, op: GraphOp, r: int, result: int, layout: Layout) -> Layout:
        """Return the layout of result `r` that goes with `layout` of another one."""
        maps = self._maps[op]
        for i in range(len(op.operands)):
            operand = maps.needed(i, result, layout) if maps.follows(i, r) else None
            if operand is not None:
                return maps.carried(i, r, operand)
        return row_major(len(shape_of(op.results[r])))

    def _add_way(
        self,
        op: GraphOp,
        operands: Layouts,
        results: Layouts,
        is_forced: bool = False,
    ) -> None:
        """Add a way if the target can run it and there is room for its layouts."""
        values = [*map(source_of, op.operands), *op.results]
        pairs = list(zip(values, (*operands, *results), strict=True))
        if not is_forced and not all(
            self.candidates(value).has_room_for(layout) for value, layout in pairs
        ):
            self.is_complete = False
            return
        cost = self.queries.carry_cost(op, operands, results)
        if op in self._maps:
            leaders = self._maps[op].leaders(operands, results)
            self._settled.update((op, slot, layout) for slot, layout in leaders)
        if cost is None and not is_forced:
            return
        indices = tuple(self._add(value, layout) for value, layout in pairs)
        count = len(operands)
        wishes = tuple((index,) for index in indices[:count])
        way = Way(wishes, indices[count:], cost or 0.0)
        self._carrying[op].setdefault(indices, way)

    def _plain(self, op: Operation) -> tuple[Layouts, Layouts]:
        """Return the way that always works: row-major, but transposes keep bytes."""
        operands = tuple(row_major(len(shape_of(value))) for value in op.operands)
        if isinstance(op, TransposeOp):
            return operands, (operands[0].transposed(op.permutation),)
        return operands, tuple(row_major(len(shape_of(v))) for v in op.results)


def _pairs(op: Operation, choice: LayoutChoice) -> Iterator[tuple[SSAValue, Asked]]:
    yield from zip(op.operands, choice.operands, strict=True)
    yield from zip(op.results, choice.results, strict=True)
