"""Weighted sums of elements that tables name, per place along a few axes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
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
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]


@dataclass(frozen=True)
class _Axis:
    """A resized axis: how long it is, its stride, and where its tables begin."""

    places: SSAValue
    result: SSAValue
    positions: SSAValue
    weights: SSAValue
    taps: SSAValue


@dataclass(frozen=True)
class _Tap:
    """Where an element is read, and its weight: None for 1."""

    at: SSAValue
    weight: SSAValue | None = None


@dataclass(frozen=True)
class _Loop:
    """How many taps there are along an axis, and where its records are."""

    count: SSAValue
    position: SSAValue
    weight: SSAValue


@dataclass(frozen=True)
class Resize(Kernel):
    """
    Sum up, for each place of the result, elements of the input by weights.

    `taps` says how many per axis, and 0 that the row does. Where nothing is `weighted`,
    there is one. Where places may be `partial`, a record of positions begins with 1 or
    0: whether the place is computed. With `lines`, the innermost axis is not resized;
    else `unit` says that places of the last one are neighbours.
    Units: positions count elements of the source from its start.
    Row: `outer` loops (extent, strides of source and result); per resized axis: places,
    stride of the result, where positions and weights start, taps; the innermost axis,
    if any (extent, strides).
    """

    element: Attribute
    outer: int
    taps: tuple[int, ...]
    weighted: bool
    partial: bool
    lines: bool
    unit: bool
    strips: Strips

    @property
    def prefix(self) -> str:
        return "resize"

    def build(self) -> FuncOp:
        memory = flat(self.element)
        arguments: list[tuple[str, Attribute]] = [("x", memory), ("y", memory)]
        arguments += [("positions", OFFSETS)]
        arguments += [("weights", memory)] * self.weighted
        arguments += [("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, arguments)
        row = Row(b, args)
        levels = row.levels(self.outer, 2)
        axes = tuple(_Axis(*row.take(5, "axis")) for _ in self.taps)
        inner = row.levels(1, 2)[0] if self.lines else None
        emitter = _Emitter(self, args, axes, inner)

        def image(b: Body, offsets: Values) -> None:
            emitter.axis(b, 0, offsets[1], [_Tap(offsets[0])], [])

        nest(b, levels, 2, image)
        b.do(func.ReturnOp())
        return op


@dataclass(frozen=True)
class _Emitter:
    """Emits loops over places, and the sum in each of them."""

    kernel: Resize
    args: dict[str, SSAValue]
    axes: tuple[_Axis, ...]
    inner: Level | None

    def axis(
        self,
        b: Body,
        index: int,
        result: SSAValue,
        taps: list[_Tap],
        loops: list[_Loop],
    ) -> None:
        """Append a loop over the places of axis `index` and of those inside it."""
        if index == len(self.axes):
            self._line(b, result, taps, loops)
            return
        axis, count = self.axes[index], self.kernel.taps[index]
        partial = int(self.kernel.partial)

        def place(b: Body, i: SSAValue) -> None:
            is_last = index + 1 == len(self.axes) and self.kernel.unit
            at = b.sum(result, i if is_last else b.product(i, axis.result))
            length = b.const(count) if count else axis.taps
            record = b.sum(axis.positions, b.product(i, b.sum(length, partial)))
            loop = _Loop(
                length,
                b.sum(record, partial),
                b.sum(axis.weights, b.product(i, length)),
            )

            def inside(b: Body) -> None:
                if count:
                    self.axis(b, index + 1, at, self._spread(b, taps, loop, count), [])
                else:
                    self.axis(b, index + 1, at, taps, [*loops, loop])

            if partial:
                flag = b.offset(self.args["positions"], record)
                b.each(0, flag, lambda b, _: inside(b))
            else:
                inside(b)

        b.each(0, axis.places, place, nonempty=True)

    def _spread(self, b: Body, taps: list[_Tap], loop: _Loop, count: int) -> list[_Tap]:
        """Return each of `taps` at each position that `loop` has."""
        own = [self._tap(b, loop, b.const(i)) for i in range(count)]
        return [self._combined(b, tap, other) for tap in taps for other in own]

    def _tap(self, b: Body, loop: _Loop, i: SSAValue) -> _Tap:
        at = b.offset(self.args["positions"], b.sum(loop.position, i))
        if not self.kernel.weighted:
            return _Tap(at)
        return _Tap(at, b.load(self.args["weights"], b.sum(loop.weight, i)))

    def _combined(self, b: Body, tap: _Tap, other: _Tap) -> _Tap:
        at = b.sum(tap.at, other.at)
        if tap.weight is None or other.weight is None:
            return _Tap(at, tap.weight or other.weight)
        numbers = Numbers(b, self.kernel.element)
        return _Tap(at, numbers.mul(tap.weight, other.weight))

    def _line(
        self, b: Body, result: SSAValue, taps: list[_Tap], loops: list[_Loop]
    ) -> None:
        """Append the computation of a place, along the innermost axis if there is."""

        def step(b: Body, moves: Values, piece: Piece) -> None:
            moved = [_Tap(b.sum(tap.at, moves[0]), tap.weight) for tap in taps]
            found = self._summed(b, moved, loops, piece)
            piece.store(b, found, self.args["y"], b.sum(result, moves[1]))

        if self.inner is None:
            step(b, [b.const(0)] * 2, Piece(0))
            return
        extent, strides = self.inner

        def along(b: Body, i: SSAValue, piece: Piece) -> None:
            moves = (
                [i, i]
                if piece.lanes or self.kernel.strips.lanes
                else [b.product(i, stride) for stride in strides]
            )
            step(b, moves, piece)

        self.kernel.strips.each(b, extent, along)

    def _summed(
        self, b: Body, taps: list[_Tap], loops: list[_Loop], piece: Piece
    ) -> Values:
        n = Numbers(b, self.kernel.element, piece.lanes)
        if not loops:
            found: Values = []
            for tap in taps:
                found = self._added(b, found, tap, piece)
            return found
        (start,) = taps
        return self._looped(b, start, loops, [n.const(0)] * piece.count, piece)

    def _looped(
        self, b: Body, start: _Tap, loops: list[_Loop], found: Values, piece: Piece
    ) -> Values:
        if not loops:
            return self._added(b, found, start, piece)
        loop, *rest = loops

        def step(b: Body, i: SSAValue, carried: Values) -> Values:
            tap = self._combined(b, start, self._tap(b, loop, i))
            return self._looped(b, tap, rest, carried, piece)

        return b.loop(0, loop.count, 1, found, step, nonempty=True)

    def _added(self, b: Body, found: Values, tap: _Tap, piece: Piece) -> Values:
        """Return the sums `found`, none yet if empty, with an element added."""
        n = Numbers(b, self.kernel.element, piece.lanes)
        values = piece.load(b, self.args["x"], tap.at)
        if tap.weight is None:
            return values
        weight = piece.spread(b, tap.weight)
        if not found:
            return [n.mul(value, weight) for value in values]
        pairs = zip(values, found, strict=True)
        return [n.fma(value, weight, total) for value, total in pairs]
