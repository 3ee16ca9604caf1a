"""Rows of a table, picked and combined bag by bag: vectors run along the rows."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects import arith
from xdsl.ir import Attribute

from glow.codegen.buffers import prefetch
from glow.codegen.casts import convert, lowest
from glow.codegen.functions import fma, maximum, minimum
from glow.codegen.loops import N, Var, levels_like, loop
from glow.codegen.values import INDEX, Value, apply, index, select
from glow.lowering.memory_to_loops.kernels.bags import (
    Bag,
    EvenBags,
    Told,
    ToldBags,
    even_bags,
)
from glow.lowering.memory_to_loops.kernels.columns import Chunk, Columns, ColumnsRow
from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import (
    FAULT,
    Call,
    Kernel,
    Operand,
)
from glow.support.types import compute_type, dtype_of

AHEAD = 16  # rows from the one that is read to the one that is fetched into the cache
LINE_BYTES = 64


@dataclass(frozen=True)
class EmbeddingBagRow(Generic[N]):
    """
    How many indices, strides of them and of weights, rows of the table, their stride.

    `padding` is the row that is left out if `padded`, `code` the fault of an index.
    """

    count: N
    index_stride: N
    weight_stride: N
    rows: N
    stride: N
    padding: N
    code: N
    columns: ColumnsRow[N]
    bags: EvenBags[N] | ToldBags[N]


@dataclass(frozen=True)
class EmbeddingBag(Kernel):
    """
    Sum, average or take the maximum of the rows of each bag, times their weights.

    Results stay in registers for a chunk of columns; an index out of range is reported
    and taken as 0, one that is the padding left out if `padded`. `kind` is lengths or
    offsets, where integers tell of bags; else `levels` loops are over bags of one size.
    Unit: a bag or, in loops over bags of one size, an iteration of the outermost one.
    """

    element: Attribute
    integer: Attribute
    mode: str
    weighted: bool
    padded: bool
    columns: Columns
    kind: str = ""
    told: Attribute | None = None
    """The type of the integers that tell of bags."""
    levels: int = 0

    @property
    def prefix(self) -> str:
        return f"embedding_bag_{self.mode}"

    @property
    def compute(self) -> Attribute:
        return compute_type(self.element)

    def operands(self) -> Mapping[str, Operand]:
        data = Operand(self.element, self.compute)
        operands = {"table": data, "indices": Operand(self.integer)}
        if self.told is not None:
            operands["bounds"] = Operand(self.told)
        if self.weighted:
            operands["weights"] = data
        return {**operands, "y": data, "fault": FAULT}

    def row(self) -> EmbeddingBagRow[int]:
        bags = EvenBags(1, levels_like(self.levels, 2))
        told = ToldBags(1, 1, 1, 1, 1)
        columns = self.columns.row(1, (1, 1))
        given = bags if self.told is None else told
        return EmbeddingBagRow(1, 1, 1, 1, 1, 1, 1, columns, given)

    def write(self, call: Call, row: EmbeddingBagRow[Value]) -> None:
        for bag in self._bags(call, row):
            for chunk in self.columns.each(row.columns):
                values = self._combined(call, row, bag, chunk)
                call["y"].store(values, bag.result + chunk.column, chunk.strip)

    def _bags(self, call: Call, row: EmbeddingBagRow[Value]) -> Generator[Bag]:
        if isinstance(row.bags, EvenBags):
            return even_bags(row.bags, call)
        fault = Fault(call["fault"], row.bags.code)
        told = Told(row.bags, call["bounds"], fault, row.count)
        each = told.by_lengths if self.kind == "lengths" else told.by_offsets
        return each(call)

    def _combined(
        self, call: Call, row: EmbeddingBagRow[Value], bag: Bag, chunk: Chunk
    ) -> Value:
        """Return the results of a bag in the columns of a chunk."""
        fault = Fault(call["fault"], row.code)
        first = lowest(self.compute) if self.mode == "max" else 0
        total = Var(chunk.strip.constant(first, self.compute))
        count = Var(index(0))
        carried = (total, count) if self.padded else (total,)
        for i in loop(0, bag.count, *carried):
            at = bag.start + i
            picked = fault.checked(call["indices"][at * row.index_stride], row.rows)
            self._fetch(call, row, at, chunk)
            place = picked * row.stride + chunk.first
            values = call["table"].load(place, chunk.strip)
            weight = None
            if self.weighted:
                weight = call["weights"][at * row.weight_stride]
            joined = self._joined(total.value, values, weight)
            if self.padded:
                is_padding = picked == row.padding
                joined = select(is_padding, total.value, joined)
                count.value = select(is_padding, count.value, count.value + 1)
            total.value = joined
        return self._finished(total.value, count.value if self.padded else bag.count)

    def _fetch(
        self, call: Call, row: EmbeddingBagRow[Value], at: Value, chunk: Chunk
    ) -> None:
        """Hint at a row that is read later; what its index is does not matter."""
        if not chunk.strip.lanes:
            return
        place = minimum(at + AHEAD, row.count - 1) * row.index_stride
        later = convert(call["indices"][place], INDEX)
        # It may be out of range, and so wrap.
        start = apply(arith.MuliOp, later, row.stride) + chunk.first
        step = LINE_BYTES // dtype_of(self.element).itemsize
        for column in range(0, chunk.strip.size, step):
            prefetch(call["table"], start + column)

    def _joined(self, total: Value, values: Value, weight: Value | None) -> Value:
        """Return `total` with one more row, times `weight` if there is one."""
        if self.mode == "max":
            return maximum(total, values if weight is None else values * weight)
        return total + values if weight is None else fma(values, weight, total)

    def _finished(self, total: Value, count: Value) -> Value:
        """Return results: divided for a mean, and 0 for an empty bag."""
        if self.mode == "sum":
            return total
        if self.mode == "mean":
            total = total / convert(count, self.compute)
        return select(count == 0, 0, total)
