"""Copies of runs of neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, TABLE, Body, flat, function
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.strips import rest_of

_UNROLL = 4


@dataclass(frozen=True)
class Runs(Kernel):
    """
    Copy lines of at least `lanes` elements that lie next to each other on both sides.

    A line has `vectors` vectors, or any number if that is 0. The last one ends with
    the line, over elements that were copied before; so do, of the innermost loop, the
    last `lines`, which are copied together.
    Row: `outer` loops, then the length of a line.
    """

    element: Attribute
    outer: int
    lanes: int
    vectors: int = 0
    lines: int = 1

    @property
    def prefix(self) -> str:
        return "copy"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [("x", memory), ("y", memory), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels, length = row.levels(self.outer, 2), row.next("length")
        run = _Run(self, args["x"], args["y"], length)
        if self.lines == 1:
            nest(b, levels, 2, lambda b, offsets: run.lines(b, [offsets]))
        else:
            *levels, inner = levels
            nest(b, levels, 2, lambda b, offsets: run.several(b, offsets, inner))
        b.do(func.ReturnOp())
        return op


@dataclass(frozen=True)
class _Run:
    """Emits copies of lines, told where they start in the source and the result."""

    kernel: Runs
    source: SSAValue
    result: SSAValue
    length: SSAValue

    def several(self, b: Body, offsets: list[SSAValue], level: Level) -> None:
        """Append a loop that copies a few lines at a time."""
        (extent, strides), count = level, self.kernel.lines
        last = b.difference(extent, b.const(count))

        def step(b: Body, i: SSAValue) -> None:
            i = b.binary(arith.MinSIOp, i, last)
            at = [
                b.sum(offset, b.product(i, stride))
                for offset, stride in zip(offsets, strides, strict=True)
            ]
            places = [at]
            for _ in range(1, count):
                pairs = zip(places[-1], strides, strict=True)
                places.append([b.sum(a, stride) for a, stride in pairs])
            self.lines(b, places)

        b.each(0, extent, step, step=count, nonempty=True)

    def lines(self, b: Body, places: list[list[SSAValue]]) -> None:
        """Append copies of the lines that start at `places`."""
        lanes, vectors = self.kernel.lanes, self.kernel.vectors
        if not vectors:
            for place in places:
                self._loop(b, place)
            return
        steps = [b.const(k * lanes) for k in range(vectors - 1)]
        steps.append(b.difference(self.length, b.const(lanes)))
        self._copy(
            b, [[b.sum(at, k) for at in place] for place in places for k in steps]
        )

    def _loop(self, b: Body, place: list[SSAValue]) -> None:
        """Append loops over several vectors at a time, then over one."""
        lanes = self.kernel.lanes
        size = lanes * _UNROLL
        last = b.difference(self.length, b.const(lanes))
        whole = b.difference(self.length, rest_of(b, self.length, size))

        def several(b: Body, i: SSAValue) -> None:
            first = [b.sum(at, i) for at in place]
            self._copy(
                b, [[b.sum(at, k * lanes) for at in first] for k in range(_UNROLL)]
            )

        def one(b: Body, i: SSAValue) -> None:
            i = b.binary(arith.MinSIOp, i, last)
            self._copy(b, [[b.sum(at, i) for at in place]])

        b.each(0, whole, several, step=size)
        b.each(whole, self.length, one, step=lanes)

    def _copy(self, b: Body, places: list[list[SSAValue]]) -> None:
        """Append loads of all vectors at `places`, then their stores."""
        lanes = self.kernel.lanes
        loaded = [b.load_vector(self.source, at, lanes=lanes) for at, _ in places]
        for value, (_, at) in zip(loaded, places, strict=True):
            b.store_vector(value, self.result, at)
