"""Lower embedding bags: loops over bags, over their columns, over their rows."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import prod
from typing import Generic

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.codegen.casts import convert, lowest
from glow.codegen.conditions import select
from glow.codegen.functions import fma, maximum, minimum
from glow.codegen.loops import Level, N, Var, loop
from glow.codegen.memory import prefetch
from glow.codegen.values import INDEX, Value, apply, index
from glow.dialects.graph.embedding import (
    EmbeddingBagOp,
    EmbeddingOp,
    SparseLengthsSumOp,
)
from glow.dialects.memory.address import Addressing, addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import buffer_type
from glow.lowering.memory_to_loops.axes import axes_along, collapse
from glow.lowering.memory_to_loops.kernels.bags import (
    Bag,
    Chunk,
    Columns,
    ColumnsRow,
    EvenBags,
    UnevenBagLoops,
    UnevenBags,
    even_bags,
)
from glow.lowering.memory_to_loops.kernels.kernel import (
    Call,
    Fault,
    Kernel,
    work_of,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.costs import Costs
from glow.support.layout import row_major_strides
from glow.support.targets import LINE_BYTES
from glow.support.types import dtype_of


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
    bags: EvenBags[N] | UnevenBags[N]


@dataclass(frozen=True)
class EmbeddingBag(Kernel):
    """
    Sum, average or take the maximum of the rows of each bag, times their weights.

    Results stay in registers for a chunk of columns; an index out of range is reported
    and taken as 0; if `padded`, one of the padding is left out. Rows are prefetched
    `ahead` rows before they are summed. `kind` says whether lengths or offsets give the
    sizes of bags; if it is empty, all bags have one size.
    Unit: a bag or, in loops over bags of one size, an iteration of the outermost one.
    """

    mode: str
    padded: bool
    columns: Columns
    ahead: int
    kind: str = ""

    def per_ns(self, costs: Costs) -> float:
        return costs.vectors_per_ns * max(1, self.columns.lanes)

    def write(self, call: Call[EmbeddingBagRow[Value]]) -> None:
        for bag in self._bags(call):
            for chunk in self.columns.each(call.row.columns):
                values = self._combined(call, bag, chunk)
                call["y"].store(values, bag.result + chunk.column, chunk.strip)

    def _bags(self, call: Call[EmbeddingBagRow[Value]]) -> Generator[Bag]:
        row = call.row
        if isinstance(row.bags, EvenBags):
            return even_bags(row.bags, call)
        fault = Fault(call["fault"], row.bags.code)
        loops = UnevenBagLoops(row.bags, call["bounds"], fault, row.count)
        each = loops.by_lengths if self.kind == "lengths" else loops.by_offsets
        return each(call)

    def _combined(
        self, call: Call[EmbeddingBagRow[Value]], bag: Bag, chunk: Chunk
    ) -> Value:
        """Return the results of a bag in the columns of a chunk."""
        row = call.row
        fault, compute = Fault(call["fault"], row.code), call["table"].compute
        first = lowest(compute) if self.mode == "max" else 0
        total = Var(chunk.strip.constant(first, compute))
        count = Var(index(0))
        # Carried, as LLVM would multiply by the strides for each index.
        place = Var(bag.start * row.index_stride)
        weight_place = Var(bag.start * row.weight_stride)
        weighted = (weight_place,) if "weights" in call.operands else ()
        counted = (count,) if self.padded else ()
        for i in loop(0, bag.count, total, place, *weighted, *counted):
            picked = fault.checked(call["indices"][place.value], row.rows)
            self._fetch(call, bag.start + i, chunk)
            place.value += row.index_stride
            values = call["table"].load(picked * row.stride + chunk.first, chunk.strip)
            weight = None
            if weighted:
                weight = call["weights"][weight_place.value]
                weight_place.value += row.weight_stride
            joined = self._joined(total.value, values, weight)
            if self.padded:
                is_padding = picked == row.padding
                joined = select(is_padding, total.value, joined)
                count.value = select(is_padding, count.value, count.value + 1)
            total.value = joined
        return self._finished(total.value, count.value if self.padded else bag.count)

    def _fetch(
        self, call: Call[EmbeddingBagRow[Value]], at: Value, chunk: Chunk
    ) -> None:
        """Prefetch a row that is read later; its index need not be in range."""
        row = call.row
        if not chunk.strip.lanes:
            return
        place = minimum(at + self.ahead, row.count - 1) * row.index_stride
        later = convert(call["indices"][place], INDEX)
        # It may be out of range, and so wrap.
        start = apply(arith.MuliOp, later, row.stride) + chunk.first
        step = LINE_BYTES // dtype_of(call["table"].element).itemsize
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
            total = total / convert(count, total.element)
        return select(count == 0, 0, total)


@lowers(EmbeddingOp, contiguous=("indices",))
def lower_embedding(main: Main, op: ApplyOp) -> None:
    """Lower to bags of one row: its maximum is the row bit for bit; padding gives 0."""
    indices = addressing_of(op.buffer("indices"))
    bags = Addressing((*indices.shape, 1), (*indices.strides, 1), indices.offset)
    _lower(main, op, bags, "max")


@lowers(SparseLengthsSumOp)
@lowers(EmbeddingBagOp, contiguous=("indices", "weights"))
def lower_embedding_bag(main: Main, op: ApplyOp) -> None:
    indices = addressing_of(op.buffer("indices"))
    _lower(main, op, indices, op.graph_op().parameters()["mode"])


def _lower(main: Main, op: ApplyOp, indices: Addressing, mode: str) -> None:
    """Append the call for bags that follow each other in `indices`, as seen."""
    buffers = [op.buffer(slot) for slot in ("table", "indices", "result")]
    table, _, result = map(addressing_of, buffers)
    weights = op.find("weights")
    rows, width = table.shape
    strides = table.strides[1], result.strides[-1]
    columns = Columns(0)
    if strides == (1, 1):
        columns = Columns.of(main.target, buffer_type(buffers[0]).element_type, width)
    bags, kind = _bags(main, op, indices, result)
    padding = op.graph_op().parameters()["padding_idx"]
    is_padded = padding is not None
    kernel = EmbeddingBag(mode, is_padded, columns, main.target.costs.rows_ahead, kind)
    count = prod(indices.shape)
    row = EmbeddingBagRow(
        count,
        _stride(buffers[1]),
        _stride(weights),
        rows,
        table.strides[0],
        padding % rows if is_padded else 0,
        main.message(op, f"expected an index in [{-rows}, {rows - 1}]"),
        columns.row(width, strides),
        bags,
    )
    # Without rows in the table, any index fails, and any element will do.
    source = buffers[0] if rows else buffers[2]
    bounds = op.find("offsets") or op.find("lengths")
    arguments = {
        "table": source,
        "indices": buffers[1],
        "bounds": bounds,
        "weights": weights,
        "y": buffers[2],
        "fault": main.fault,
    }
    main.call(kernel, arguments, row, work_of(bags.levels, count * width))


def _stride(value: SSAValue | None) -> int:
    """Return the distance of the elements of a list or of a row-major buffer."""
    if value is None:
        return 0
    addressing = addressing_of(value)
    if len(addressing.shape) == 1:
        return addressing.strides[0]
    if not addressing.is_contiguous:
        raise PassFailedException(
            f"expected indices and weights in a list or row-major, got {value.type}"
        )
    return 1


def _bags(
    main: Main, op: ApplyOp, indices: Addressing, result: Addressing
) -> tuple[EvenBags[int] | UnevenBags[int], str]:
    """Return the row of the bags, and the operand with their sizes, if those differ."""
    shape = indices.shape
    kind, bounds = "lengths", op.find("lengths")
    text = f"expected lengths of 0 or more that add up to {prod(shape)}"
    if op.find("offsets") is not None:
        kind, bounds = "offsets", op.find("offsets")
        text = f"expected offsets that rise from 0 to at most {prod(shape)}"
    if bounds is None:
        starts = row_major_strides(shape)
        axes = axes_along(shape[:-1], result.strides[: len(shape) - 1], starts[:-1])
        return EvenBags(shape[-1], tuple(collapse(axes, (1, 0)))), ""
    sizes = addressing_of(bounds)
    level = Level(result.shape[0], (result.strides[0], sizes.strides[0]))
    return UnevenBags((level,), sizes.shape[0], main.message(op, text)), kind
