"""The best elements of lines, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import func, vector
from xdsl.dialects.builtin import i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.dialects.llvm_ext import elementwise
from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.heap import Entry, Heap, when
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import rest_of
from glow.support.types import is_float

Values = list[SSAValue]


@dataclass(frozen=True)
class TopK(Kernel):
    """
    Keep the best elements of a line in a heap, its worst at the root; then sort them.

    With lanes, the line has unit stride, and so many elements are compared with the
    root at once.
    Row: `outer` loops over lines (extent; strides of input and present results), the
    extent of a line, k, the binary logarithm of k, the strides along a line.
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

    def build(self) -> FuncOp:
        outs = [("values", flat(self.element))] * self.values
        outs += [("indices", flat(i64))] * self.indices
        op, b, args = function(
            self.symbol,
            [
                ("x", flat(self.element)),
                *outs,
                ("heap", flat(self.element)),
                ("places", flat(i64)),
                ("rows", TABLE),
                ("at", INDEX),
            ],
        )
        row, count = Row(b, args), 1 + len(outs)
        outer = row.levels(self.outer, count)
        extent, k, depth = row.next("extent"), row.next("k"), row.next("depth")
        strides = row.take(count, "stride")
        heap = Heap(self.element, self.largest, args["heap"], args["places"], k, depth)

        def line(b: Body, offsets: Values) -> None:
            def load(b: Body, i: SSAValue) -> Entry:
                at = b.sum(offsets[0], b.product(i, strides[0]))
                return b.load(args["x"], at), Numbers(b, i64).of_index(i)

            heap.fill(b, load)
            start = k
            if self.lanes:
                start = self._filtered(b, args["x"], offsets[0], extent, heap, load)
            b.each(start, extent, lambda b, i: heap.offer(b, *load(b, i)))
            heap.sort(b)
            for number, (name, _) in enumerate(outs, 1):
                source = args["heap" if name == "values" else "places"]
                move = (offsets[number], strides[number])
                b.each(0, k, partial(_store, source, args[name], move), nonempty=True)

        nest(b, outer, count, line)
        b.do(func.ReturnOp())
        return op

    def _filtered(
        self,
        b: Body,
        base: SSAValue,
        at: SSAValue,
        extent: SSAValue,
        heap: Heap,
        load: Callable[[Body, SSAValue], Entry],
    ) -> SSAValue:
        """Offer what lies behind the first ones, in vectors; return where they end."""
        whole = b.difference(extent, heap.size)
        end = b.difference(extent, rest_of(b, whole, self.lanes))

        def several(b: Body, i: SSAValue) -> None:
            found = b.load_vector(base, b.sum(at, i), lanes=self.lanes)
            root = b.splat(b.load(heap.values, b.const(0)), self.lanes)
            if is_float(self.element):
                predicate = "ugt" if self.largest else "ult"
                mask = b.add(elementwise.CmpfOp(found, root, predicate))
            else:
                n = Numbers(b, self.element, self.lanes)
                mask = n.compare("gt" if self.largest else "lt", found, root)
            some = Numbers(b, i1).across(vector.CombiningKindFlag.OR, mask)

            def each(b: Body) -> None:
                upto = b.sum(i, self.lanes)
                b.each(i, upto, lambda b, j: heap.offer(b, *load(b, j)), nonempty=True)

            when(b, some, each)

        b.each(heap.size, end, several, step=self.lanes)
        return end


def _store(
    source: SSAValue,
    target: SSAValue,
    move: tuple[SSAValue, SSAValue],
    b: Body,
    i: SSAValue,
) -> None:
    start, stride = move
    b.store(b.load(source, i), target, b.sum(start, b.product(i, stride)))
