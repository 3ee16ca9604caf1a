"""Lower top_k: a heap per line, which is entered by what is better than its worst."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Generic

from xdsl.dialects.builtin import i64

from glow.codegen.functions import across
from glow.codegen.loops import Level, N, loop, nest, when
from glow.codegen.memory import Strip, rest_of
from glow.codegen.values import Value, broadcast, index
from glow.dialects.graph.along_axis import TopKOp
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer
from glow.lowering.memory_to_loops.axes import axes_of, collapse, levels_of
from glow.lowering.memory_to_loops.kernels.heap import (
    Candidates,
    Heap,
    heap_of,
    may_enter,
)
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, work_of
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.support.types import element_of, normalize_axis


@dataclass(frozen=True)
class TopKRow(Generic[N]):
    """
    Loops over lines, which move the input and the results, and what to take of a line.

    `depth` is the binary logarithm of k; `strides` are those along a line.
    """

    outer: tuple[Level[N], ...]
    extent: N
    k: N
    depth: N
    strides: tuple[N, ...]


@dataclass(frozen=True)
class TopK(Kernel):
    """
    Keep the best elements of a line in a heap, its worst at the root; then sort them.

    With lanes, the line has unit stride, and so many elements are compared with the
    root at once.
    Unit: an iteration of the outermost loop over lines.
    Scratch: `heap` and `places` hold one line; pieces that run at once need their own.
    """

    largest: bool
    lanes: int

    def write(self, call: Call, row: TopKRow[Value]) -> None:
        scratch = call["heap"], call["places"], row.k, row.depth
        for starts in nest(row.outer, len(row.strides), bounds=call.range):
            line = Candidates(call["x"], starts[0], row.strides[0])
            heap = heap_of(call["x"].element)(line, *scratch, self.largest)
            heap.fill()
            start = self._filtered(row.extent, heap) if self.lanes else row.k
            for i in loop(start, row.extent):
                heap.offer(i)
            heap.sort()
            results = [name for name in ("values", "indices") if name in call.operands]
            for name, start, stride in zip(
                results, starts[1:], row.strides[1:], strict=True
            ):
                for i in loop(0, row.k, nonempty=True):
                    kept = heap.value(i) if name == "values" else heap.place(i)
                    call[name][start + i * stride] = kept

    def _filtered(self, extent: Value, heap: Heap) -> Value:
        """Offer what lies after the first ones, in vectors; return where they end."""
        end = extent - rest_of(extent - heap.size, self.lanes)
        line = heap.line
        for i in loop(heap.size, end, step=self.lanes):
            several = line.memory.load(line.start + i, Strip(self.lanes))
            root = broadcast(heap.value(index(0)), self.lanes)
            with when(across("or", may_enter(several, root, self.largest))):
                for one in loop(i, i + self.lanes, nonempty=True):
                    heap.offer(one)
        return end


def _scratch(op: TopKOp) -> list[Buffer]:
    """Return room to put one line into order: a heap, and where its elements are."""
    return [Buffer(element_of(op.input), [op.k]), Buffer(i64, [op.k])]


@lowers(TopKOp, scratch=_scratch)
def lower_top_k(main: Main, op: ApplyOp) -> None:
    x, p = op.buffer("input"), op.graph_op().parameters()
    source, k = addressing_of(x), p["k"]
    operands = [source, *map(addressing_of, op.outs)]
    at = normalize_axis(p["axis"], len(source.shape))
    shape = (*source.shape[:at], 1, *source.shape[at + 1 :])
    lines = collapse(axes_of(shape, operands), range(len(operands) - 1, -1, -1))
    extent, lanes = source.shape[at], main.target.f32_lanes
    # Most elements are worse than a small heap's worst: several are seen at once.
    if source.strides[at] != 1 or extent - k < lanes:
        lanes = 0
    names = [name for name in ("values", "indices") if p[f"with_{name}"]]
    names = ["x", *names, "heap", "places"]
    arguments = dict(zip(names, (x, *op.outs, *op.scratch), strict=True))
    levels = levels_of(lines)
    strides = tuple(operand.strides[at] for operand in operands)
    row = TopKRow(levels, extent, k, k.bit_length() - 1, strides)
    main.call(
        TopK(p["largest"], lanes), arguments, row, work_of(levels, prod(source.shape))
    )
