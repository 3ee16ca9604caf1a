"""Rows of a table, picked and combined bag by bag: vectors run along the rows."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext.memory import PrefetchOp
from glow.lowering.memory_to_loops.builder import (
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.bags import Bag, Bags
from glow.lowering.memory_to_loops.kernels.columns import Chunk, Columns
from glow.lowering.memory_to_loops.kernels.faults import (
    Report,
    checked_index,
    reporter,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, lowest
from glow.support.types import dtype_of

Values = list[SSAValue]

AHEAD = 16  # rows from the one that is read to the one that is fetched into the cache
LINE_BYTES = 64


@dataclass(frozen=True)
class _Rows:
    """What the row of the call says of table, indices and weights."""

    count: SSAValue
    index_stride: SSAValue
    weight_stride: SSAValue
    extent: SSAValue
    stride: SSAValue
    padding: SSAValue
    report: Report

    @staticmethod
    def read(row: Row, fault: SSAValue) -> _Rows:
        count, index, weight, extent, stride, padding = row.take(6, "rows")
        report = reporter(fault, row.next("code"))
        return _Rows(count, index, weight, extent, stride, padding, report)


@dataclass(frozen=True)
class EmbeddingBag(Kernel):
    """
    Sum, average or take the maximum of the rows of each bag, times their weights.

    Results stay in registers for a chunk of columns; an index out of range is reported
    and taken as 0, one that is the padding left out if `padded`.
    Row: how many indices, strides of indices and weights, rows of the table, their
    stride, which is padding, the fault code of an index, then `columns`, then `bags`.
    """

    element: Attribute
    integer: Attribute
    mode: str
    weighted: bool
    padded: bool
    columns: Columns
    bags: Bags

    @property
    def prefix(self) -> str:
        return f"embedding_bag_{self.mode}"

    def build(self) -> FuncOp:
        weights = [("weights", flat(self.element))] * self.weighted
        op, b, args = function(
            self.symbol,
            [
                ("table", flat(self.element)),
                ("indices", flat(self.integer)),
                *self.bags.arguments,
                *weights,
                ("y", flat(self.element)),
                ("fault", OFFSETS),
                ("rows", TABLE),
                ("at", INDEX),
            ],
        )
        row = Row(b, args)
        rows = _Rows.read(row, args["fault"])
        columns = self.columns.read(b, row)

        def bag(b: Body, bag: Bag) -> None:
            def chunk(b: Body, chunk: Chunk) -> None:
                found = self._combined(b, args, rows, bag, chunk)
                chunk.store(b, found, args["y"], bag.result)

            columns.each(b, chunk)

        self.bags.each(b, row, args, rows.count, bag)
        b.do(func.ReturnOp())
        return op

    def _combined(
        self,
        b: Body,
        args: dict[str, SSAValue],
        rows: _Rows,
        bag: Bag,
        chunk: Chunk,
    ) -> Values:
        """Return the results of a bag in the columns of a chunk."""
        n = Numbers(b, self.element, chunk.lanes)
        first = n.const(lowest(self.element) if self.mode == "max" else 0)
        initial = [first] * chunk.count

        def step(b: Body, i: SSAValue, carried: Values) -> Values:
            at = b.sum(bag.start, i)
            index = b.load(args["indices"], b.product(at, rows.index_stride))
            index = checked_index(b, index, rows.extent, rows.report)
            self._fetch(b, args, rows, at, chunk)
            values = chunk.load(b, args["table"], b.product(index, rows.stride))
            weight = None
            if self.weighted:
                place = b.product(at, rows.weight_stride)
                weight = b.load(args["weights"], place)
            found = self._joined(b, carried[: chunk.count], values, weight, chunk)
            if not self.padded:
                return found
            is_padding = b.add(arith.CmpiOp(index, rows.padding, "eq"))
            more = b.sum(carried[-1], 1)
            return [
                b.add(arith.SelectOp(is_padding, old, new))
                for old, new in zip(carried, [*found, more], strict=True)
            ]

        counted = [b.const(0)] * self.padded
        found = b.loop(0, bag.count, 1, [*initial, *counted], step)
        count = found.pop() if self.padded else bag.count
        return self._finished(b, found, count, chunk)

    def _fetch(
        self,
        b: Body,
        args: dict[str, SSAValue],
        rows: _Rows,
        at: SSAValue,
        chunk: Chunk,
    ) -> None:
        """Hint at a row that is read later; what its index is does not matter."""
        if not chunk.lanes:
            return
        n = Numbers(b, INDEX)
        last = b.difference(rows.count, b.const(1))
        place = b.product(n.minimum(b.sum(at, AHEAD), last), rows.index_stride)
        index = b.add(
            arith.IndexCastOp.create(
                operands=[b.load(args["indices"], place)], result_types=[INDEX]
            )
        )
        start = b.sum(b.binary(arith.MuliOp, index, rows.stride), chunk.first)
        size = dtype_of(self.element).itemsize
        for column in range(0, chunk.count * chunk.lanes, LINE_BYTES // size):
            b.do(PrefetchOp(args["table"], [b.sum(start, column)]))

    def _joined(
        self,
        b: Body,
        found: Values,
        values: Values,
        weight: SSAValue | None,
        chunk: Chunk,
    ) -> Values:
        """Return `found` with one more row, times `weight` if there is one."""
        n = Numbers(b, self.element, chunk.lanes)
        if weight is None:
            join = n.maximum if self.mode == "max" else n.add
            return list(map(join, found, values))
        weights = [n.spread(weight)] * len(values)
        if self.mode != "max":
            return list(map(n.fma, values, weights, found))
        return list(map(n.maximum, found, map(n.mul, values, weights)))

    def _finished(
        self, b: Body, found: Values, count: SSAValue, chunk: Chunk
    ) -> Values:
        """Return results: divided for a mean, and 0 for an empty bag."""
        n = Numbers(b, self.element, chunk.lanes)
        if self.mode == "sum":
            return found
        if self.mode == "mean":
            number = n.spread(Numbers(b, self.element).of_index(count))
            found = [n.div(value, number) for value in found]
        is_empty = b.add(arith.CmpiOp(count, b.const(0), "eq"))
        zero = n.const(0)
        return [b.add(arith.SelectOp(is_empty, zero, value)) for value in found]
