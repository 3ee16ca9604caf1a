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
from glow.lowering.memory_to_loops.kernels.heap import Heap, Line, when
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
        room = (args["heap"], args["places"], k, depth)

        def line(b: Body, offsets: Values) -> None:
            source = Line(args["x"], offsets[0], strides[0])
            kind = Heap.of(self.element)
            heap = kind(self.element, self.largest, *room, source)
            heap.fill(b)
            start = self._filtered(b, extent, heap) if self.lanes else k
            b.each(start, extent, heap.offer)
            heap.sort(b)
            for number, (name, _) in enumerate(outs, 1):
                found = heap.value if name == "values" else heap.place
                move = (offsets[number], strides[number])
                b.each(0, k, partial(_store, found, args[name], move), nonempty=True)

        nest(b, outer, count, line)
        b.do(func.ReturnOp())
        return op

    def _filtered(self, b: Body, extent: SSAValue, heap: Heap) -> SSAValue:
        """Offer what lies behind the first ones, in vectors; return where they end."""
        whole = b.difference(extent, heap.size)
        end = b.difference(extent, rest_of(b, whole, self.lanes))
        line = heap.line

        def several(b: Body, i: SSAValue) -> None:
            found = b.load_vector(line.base, b.sum(line.start, i), lanes=self.lanes)
            root = b.splat(heap.value(b, b.const(0)), self.lanes)
            if is_float(self.element):
                predicate = "ugt" if self.largest else "ult"
                mask = b.add(elementwise.CmpfOp(found, root, predicate))
            else:
                n = Numbers(b, self.element, self.lanes)
                mask = n.compare("gt" if self.largest else "lt", found, root)
            some = Numbers(b, i1).across(vector.CombiningKindFlag.OR, mask)

            def each(b: Body) -> None:
                upto = b.sum(i, self.lanes)
                b.each(i, upto, heap.offer, nonempty=True)

            when(b, some, each)

        b.each(heap.size, end, several, step=self.lanes)
        return end


def _store(
    found: Callable[[Body, SSAValue], SSAValue],
    target: SSAValue,
    move: tuple[SSAValue, SSAValue],
    b: Body,
    i: SSAValue,
) -> None:
    start, stride = move
    b.store(found(b, i), target, b.sum(start, b.product(i, stride)))
