"""Lower ensembles of trees: many rows go down one tree, or one row down many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Generic

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from glow.codegen.casts import as_unsigned, convert
from glow.codegen.functions import Combination, across, combined, minimum
from glow.codegen.loops import N, Var, loop, repeated
from glow.codegen.memory import Memory, Strip, on_stack
from glow.codegen.values import INDEX, Value, constant, index, joined, lane_numbers
from glow.dialects.graph.tree_ensemble import TreeEnsembleOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Work
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.costs import Costs
from glow.support.targets import Target
from glow.support.types import compute_type, element_of, shape_of

BLOCK = 256
"""The rows that go down one tree before the next, whose nodes L1 holds meanwhile."""
_COMBINE: dict[str, tuple[Combination, float]] = {
    "sum": ("add", 0.0),
    "min": ("min", np.inf),
    "max": ("max", -np.inf),
}


@dataclass(frozen=True)
class TreeEnsembleRow(Generic[N]):
    """Extents of tables, bits of a feature and their mask, strides of the result."""

    features: N
    trees: N
    nodes: N
    columns: N
    shift: N
    mask: N
    depth: N
    strides: tuple[N, N]


@dataclass(frozen=True)
class TreeEnsemble(Kernel):
    """
    Go down trees without branches, one row or tree in each lane of `strip`.

    Each lane gathers the link and the threshold of its node, then the feature, and adds
    how they compare to the first child; until none moves, or `depth` is reached.
    Weights are added in the order of trees, so that each row has the same bits whatever
    other rows there are.
    Unit: a row.
    Scratch: `totals` holds BLOCK numbers for each column.
    """

    strip: Strip
    aggregate: str

    def per_ns(self, costs: Costs) -> float:
        return costs.nodes_per_ns

    def write(self, call: Call[TreeEnsembleRow[Value]]) -> None:
        """The remaining rows of a block go down all trees one by one."""
        for start in loop(*call.range, step=BLOCK, name="block"):
            count = minimum(call.end - start, BLOCK)
            whole = count // self.strip.size * self.strip.size
            self._rows(call, start, whole)
            for i in loop(start + whole, start + count):
                self._row(call, i)

    def _rows(
        self, call: Call[TreeEnsembleRow[Value]], start: Value, count: Value
    ) -> None:
        """Let `count` rows from `start` on go down tree by tree."""
        row, totals, size = call.row, call["totals"], self.strip.size
        kind, least = _COMBINE[self.aggregate]
        for column in loop(0, row.columns):
            for i in loop(0, count, step=size):
                first = self.strip.constant(least, totals.element)
                self._store(totals, first, column * BLOCK + i)
        offsets = self._numbers * _natural(row.features)
        for tree in loop(0, row.trees):
            root = self.strip.spread(_inside(call["roots"][tree], row.nodes))
            for i in loop(0, count, step=size):
                leaf = self._leaves(call, root, (start + i) * row.features, offsets)
                leaf = leaf * _natural(row.columns)
                for column in loop(0, row.columns):
                    at = column * BLOCK + i
                    weight = call["weights"].gather(column, leaf)
                    total = combined(kind, self._load(totals, at), weight)
                    self._store(totals, total, at)
        for i in loop(0, count):
            self._finish(call, start + i, i)

    def _row(self, call: Call[TreeEnsembleRow[Value]], i: Value) -> None:
        """Let one row go down several trees at a time."""
        row, totals, size = call.row, call["totals"], self.strip.size
        kind, least = _COMBINE[self.aggregate]
        for column in loop(0, row.columns):
            totals[column * BLOCK] = least
        leaves = on_stack(i32, size)
        for tree in loop(0, row.trees, step=size):
            trees = _inside(self._numbers + _natural(tree), row.trees)
            root = _inside(call["roots"].gather(0, trees), row.nodes)
            self._store(leaves, self._leaves(call, root, i * row.features), index(0))
            for column in loop(0, row.columns):
                total = Var(totals[column * BLOCK])
                for k in loop(0, minimum(row.trees - tree, size), total):
                    at = convert(leaves[k], INDEX) * row.columns + column
                    total.value = combined(kind, total.value, call["weights"][at])
                totals[column * BLOCK] = total.value
        self._finish(call, i, index(0))

    def _finish(self, call: Call[TreeEnsembleRow[Value]], i: Value, at: Value) -> None:
        """Store the totals of row `i`, which lie from `at` on."""
        along, between = call.row.strides
        for column in loop(0, call.row.columns):
            total = call["totals"][column * BLOCK + at]
            call["y"][i * along + column * between] = total

    def _leaves(
        self,
        call: Call[TreeEnsembleRow[Value]],
        root: Value,
        start: Value,
        offsets: Value | None = None,
    ) -> Value:
        """Return the leaf of each lane, whose row is `offsets` behind `start`."""
        row = call.row
        place, step = Var(root), Var(index(0))
        for repetition in repeated(place, step):
            at, link = place.value, call["links"].gather(0, place.value)
            mask, shift = (convert(n, link.element) for n in (row.mask, row.shift))
            feature = _inside(link & mask, row.features)
            if offsets is not None:
                feature = feature + offsets
            value = call["x"].gather(start, feature)
            goes = value <= call["thresholds"].gather(0, at)
            child = _natural(link >> shift) + convert(goes, at.element)
            place.value = _inside(child, row.nodes)
            step.value += 1
            moves = reduce(Value.__or__, (place.value != at).split())
            repetition.again = across("or", moves) & (step.value < row.depth)
        return place.value

    @property
    def _numbers(self) -> Value:
        """The numbers of all lanes."""
        lanes, natural = self.strip.lanes, as_unsigned(constant(0, i32)).element
        first = lane_numbers(natural, lanes) if lanes else constant(0, natural)
        step = max(1, lanes)
        return joined([first + i * step for i in range(self.strip.count)])

    def _load(self, memory: Memory, at: Value) -> Value:
        step = max(1, self.strip.lanes)
        one = Strip(self.strip.lanes)
        return joined(
            [memory.load(at + i * step, one) for i in range(self.strip.count)]
        )

    def _store(self, memory: Memory, value: Value, at: Value) -> None:
        step = max(1, self.strip.lanes)
        for i, part in enumerate(value.split()):
            memory.store(part, at + i * step)


def _natural(number: Value) -> Value:
    """Return a number in 32 bits without a sign."""
    return as_unsigned(convert(number, i32))


def _inside(number: Value, extent: Value) -> Value:
    """Return a number, or the last one in `extent` if it lies beyond."""
    return minimum(_natural(number), _natural(extent - 1))


def _strip_of(target: Target) -> Strip:
    """Return four vectors where gathers are fast, else so many scalars."""
    return Strip(target.f32_lanes, 4) if target.vector_bits > 256 else Strip(0, 8)


def _scratch(op: TreeEnsembleOp) -> list[Buffer]:
    """Return room for the totals of a block."""
    element: Attribute = compute_type(element_of(op.weights))
    return [Buffer(element, [shape_of(op.weights)[1], BLOCK])]


_OPERANDS = ("input", "roots", "links", "thresholds", "weights")


@lowers(TreeEnsembleOp, contiguous=_OPERANDS, scratch=_scratch)
def lower_tree_ensemble(main: Main, op: ApplyOp) -> None:
    x, roots, links, thresholds, weights = map(op.buffer, _OPERANDS)
    y, parameters = op.buffer("result"), op.graph_op().parameters()
    rows, features = addressing_of(x).shape
    nodes, columns = addressing_of(weights).shape
    (trees,) = addressing_of(roots).shape
    shift, depth = parameters["shift"], parameters["depth"]
    mask, (along, between) = (1 << shift) - 1, addressing_of(y).strides
    row = TreeEnsembleRow(
        features, trees, nodes, columns, shift, mask, depth, (along, between)
    )
    (totals,) = op.scratch
    arguments = {
        "x": main.base(x),
        "roots": main.base(roots),
        "links": main.base(links),
        "thresholds": main.base(thresholds),
        "weights": main.base(weights),
        "y": main.base(y),
        "totals": main.own(totals),
    }
    kernel = TreeEnsemble(_strip_of(main.target), parameters["aggregate"])
    main.call(kernel, arguments, row, Work(rows, trees * depth))
