"""Pools: the greatest, the mean or the norm of what a sliding window covers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import (
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row
from glow.lowering.memory_to_loops.kernels.numbers import Numbers, lowest
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.lowering.memory_to_loops.kernels.windows import Window, Windows, fold
from glow.support.types import is_float


@dataclass(frozen=True)
class Pool(Kernel):
    """
    Reduce each window to one element per channel, by `kind`: max, avg or lp.

    On vectors, channels have unit stride.
    Row: see `Windows`; the operands are the input, then the result.
    """

    kind: str
    element: Attribute
    spatial: int
    strips: Strips
    p: int = 2

    @property
    def prefix(self) -> str:
        return f"{self.kind}_pool"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [
            ("x", memory),
            ("y", memory),
            ("windows", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, arguments)
        windows = Windows.of(Row(b, args), self.spatial, operands=2, read=1)
        channels, strides = windows.channels

        def window(b: Body, window: Window) -> None:
            divisor = None
            if self.kind == "avg" and window.divisor is not None:
                divisor = Numbers(b, self.element).of_index(window.divisor)

            def step(b: Body, i: SSAValue, piece: Piece) -> None:
                moves = [i, i]
                if not self.strips.lanes:
                    moves = [b.product(i, stride) for stride in strides]
                places = zip(window.offsets, moves, strict=True)
                source, result = (b.sum(offset, move) for offset, move in places)
                found = self._reduced(b, args["x"], source, window, piece)
                found = [self._finished(b, v, divisor, piece.lanes) for v in found]
                piece.store(b, found, args["y"], result)

            self.strips.each(b, channels, step)

        windows.each(b, args["windows"], window)
        b.do(func.ReturnOp())
        return op

    def _reduced(
        self, b: Body, base: SSAValue, at: SSAValue, window: Window, piece: Piece
    ) -> list[SSAValue]:
        start = lowest(self.element) if self.kind == "max" else 0
        first = Numbers(b, self.element, piece.lanes).const(start)

        def tap(b: Body, at: list[SSAValue], carried: list[SSAValue]) -> list[SSAValue]:
            n = Numbers(b, self.element, piece.lanes)
            values = piece.load(b, base, at[0])
            pairs = zip(carried, values, strict=True)
            return [self._combined(n, found, value) for found, value in pairs]

        return fold(b, window.taps, [at], [first] * piece.count, tap)

    def _combined(self, n: Numbers, found: SSAValue, value: SSAValue) -> SSAValue:
        match self.kind, self.p:
            case "max", _:
                return n.maximum(found, value)
            case "avg", _:
                return n.add(found, value)
            case "lp", 1:
                return n.add(found, n.abs(value))
            case "lp", 2:
                return n.fma(value, value, found)
            case _:
                power = n.const(self.p)
                return n.add(found, n.function(math.PowFOp, n.abs(value), power))

    def _finished(
        self, b: Body, value: SSAValue, divisor: SSAValue | None, lanes: int
    ) -> SSAValue:
        n = Numbers(b, self.element, lanes)
        if divisor is not None:
            return n.div(value, n.spread(divisor))
        if self.kind != "lp" or self.p == 1:
            return value
        if self.p == 2:
            return n.function(math.SqrtOp, value)
        return n.function(math.PowFOp, value, n.const(1 / self.p))


@dataclass(frozen=True)
class MaxPoolIndices(Kernel):
    """
    The greatest element of each window, and which one of the input it is.

    Row: see `Windows`; the operands are the input, the numbers of its elements, the
    result, the indices.
    """

    element: Attribute
    spatial: int

    @property
    def prefix(self) -> str:
        return "max_pool_indices"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments = [
            ("x", memory),
            ("y", memory),
            ("indices", flat(i64)),
            ("windows", OFFSETS),
            ("rows", TABLE),
            ("at", INDEX),
        ]
        op, b, args = function(self.symbol, arguments)
        windows = Windows.of(Row(b, args), self.spatial, operands=4, read=2)
        channels, strides = windows.channels

        def window(b: Body, window: Window) -> None:
            def channel(b: Body, i: SSAValue) -> None:
                at, number, result, index = (
                    b.sum(offset, b.product(i, stride))
                    for offset, stride in zip(window.offsets, strides, strict=True)
                )
                greatest, found = self._greatest(b, args["x"], [at, number], window)
                b.store(greatest, args["y"], result)
                cast = arith.IndexCastOp.create(operands=[found], result_types=[i64])
                b.store(b.add(cast), args["indices"], index)

            b.each(0, channels, channel, nonempty=True)

        windows.each(b, args["windows"], window)
        b.do(func.ReturnOp())
        return op

    def _greatest(
        self, b: Body, base: SSAValue, starts: list[SSAValue], window: Window
    ) -> list[SSAValue]:
        """Return the greatest element, the first of equal ones or of NaN, and where."""
        initial = [Numbers(b, self.element).const(lowest(self.element)), b.const(-1)]

        def tap(b: Body, at: list[SSAValue], carried: list[SSAValue]) -> list[SSAValue]:
            n, numbers = Numbers(b, self.element), Numbers(b, INDEX)
            value, (greatest, found) = b.load(base, at[0]), carried
            is_first = numbers.compare("lt", found, b.const(0))
            better = b.binary(
                arith.OrIOp, is_first, self._is_greater(n, value, greatest)
            )
            return [
                n.select(better, value, greatest),
                numbers.select(better, at[1], found),
            ]

        return fold(b, window.taps, starts, initial, tap)

    def _is_greater(self, n: Numbers, value: SSAValue, than: SSAValue) -> SSAValue:
        """NaN is greater than any number, and nothing is greater than NaN."""
        if not is_float(self.element):
            return n.compare("gt", value, than)
        above = n.b.add(arith.CmpfOp(value, than, "ugt"))
        is_number = n.b.add(arith.CmpfOp(than, than, "ord"))
        return n.b.binary(arith.AndIOp, above, is_number)
