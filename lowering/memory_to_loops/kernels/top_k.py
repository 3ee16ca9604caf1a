"""The best elements of lines, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from glow.codegen.functions import across
from glow.codegen.loops import Level, N, levels_like, loop, nest, when
from glow.codegen.memory import Strip, rest_of
from glow.codegen.values import Value, broadcast, index
from glow.lowering.memory_to_loops.kernels.heap import Heap, Line, heap_of, may_enter
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Operand
from glow.support.types import compute_type


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

    element: Attribute
    largest: bool
    values: bool
    indices: bool
    outer: int
    lanes: int

    @property
    def prefix(self) -> str:
        return "top_k"

    def operands(self) -> Mapping[str, Operand]:
        data, place = Operand(self.element, compute_type(self.element)), Operand(i64)
        results = {"values": data} if self.values else {}
        if self.indices:
            results["indices"] = place
        return {"x": data, **results, "heap": data, "places": place}

    def row(self) -> TopKRow[int]:
        count = 1 + self.values + self.indices
        return TopKRow(levels_like(self.outer, count), 1, 1, 1, (1,) * count)

    def write(self, call: Call, row: TopKRow[Value]) -> None:
        scratch = call["heap"], call["places"], row.k, row.depth
        bounds = call.range if row.outer else None
        for starts in nest(row.outer, len(row.strides), bounds=bounds):
            line = Line(call["x"], starts[0], row.strides[0])
            heap = heap_of(self.element)(line, *scratch, self.largest)
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
        """Offer what lies behind the first ones, in vectors; return where they end."""
        end = extent - rest_of(extent - heap.size, self.lanes)
        line = heap.line
        for i in loop(heap.size, end, step=self.lanes):
            several = line.memory.load(line.start + i, Strip(self.lanes))
            root = broadcast(heap.value(index(0)), self.lanes)
            with when(across("or", may_enter(several, root, self.largest))):
                for one in loop(i, i + self.lanes, nonempty=True):
                    heap.offer(one)
        return end
