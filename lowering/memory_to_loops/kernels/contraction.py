"""Sums of products in plain loops: any strides, any element type, clipped windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
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
from glow.lowering.memory_to_loops.kernels.faults import reporter
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Level, Row, nest
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import is_float

LEFT, RIGHT, BIAS = 0, 1, 2


@dataclass(frozen=True)
class Window:
    """
    A window that slides along an axis of the left factor and is clipped to it.

    At place i it begins at position `i * step - pad` and has `taps`, `dilation` apart.
    """

    level: Level
    step: SSAValue
    pad: SSAValue
    dilation: SSAValue
    taps: SSAValue
    limit: SSAValue
    """The positions that exist."""
    moves: list[SSAValue]
    """How far the left and the right factor move per tap."""

    @staticmethod
    def read(row: Row, operands: int) -> Window:
        (level,) = row.levels(1, operands)
        step, pad, dilation = (row.next(name) for name in ("step", "pad", "dilation"))
        taps, limit = row.next("taps"), row.next("limit")
        return Window(level, step, pad, dilation, taps, limit, row.take(2, "move"))

    def clip(self, b: Body, place: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return the first tap that reads an element, and the one after the last."""
        begin = b.difference(b.product(place, self.step), self.pad)
        before = b.difference(b.const(0), begin)
        left = b.difference(self.limit, begin)
        first, last = (self._taps(b, distance) for distance in (before, left))
        return first, b.binary(arith.MinSIOp, last, self.taps)

    def _taps(self, b: Body, distance: SSAValue) -> SSAValue:
        """Return how many taps lie before `distance`."""
        distance = b.binary(arith.MaxSIOp, distance, b.const(0))
        rounded = b.difference(b.sum(distance, self.dilation), b.const(1))
        return b.binary(arith.DivSIOp, rounded, self.dilation)


@dataclass(frozen=True)
class Contraction(Kernel):
    """
    `result = epilogue(bias + sum of left * right)`, an element at a time.

    Row: where left begins; `outer` loops over results; windows; `inner` loops over
    what is summed, which move left and right alone; the fault code if the program
    divides integers.
    """

    program: ScalarProgram
    has_bias: bool
    outer: int
    windows: int
    inner: int

    @property
    def prefix(self) -> str:
        return "contraction"

    @property
    def element(self) -> Attribute:
        return self.program.inputs[0]

    def _names(self) -> list[str]:
        extras = [f"extra{i}" for i in range(len(self.program.inputs) - 1)]
        return ["left", "right", "bias", *extras, "result"]

    def _arguments(self) -> list[tuple[str, Attribute]]:
        product, *extras = self.program.inputs
        elements = [product, product, product, *extras, self.program.elements[-1]]
        named = zip(self._names(), elements, strict=True)
        return [
            *((n, flat(e)) for n, e in named if self.has_bias or n != "bias"),
            *([("fault", OFFSETS)] if self.program.divides_integers else []),
            ("rows", TABLE),
            ("at", INDEX),
        ]

    def build(self) -> FuncOp:
        op, b, args = function(self.symbol, self._arguments())
        names = self._names()
        row = Row(b, args)
        starts = [b.const(0)] * len(names)
        starts[LEFT] = row.next("begin")
        outer = row.levels(self.outer, len(names))
        windows = [Window.read(row, len(names)) for _ in range(self.windows)]
        inner = row.levels(self.inner, 2)
        report = None
        if self.program.divides_integers:
            report = reporter(args["fault"], row.next("code"))

        def element(
            b: Body, offsets: list[SSAValue], clips: list[tuple[SSAValue, SSAValue]]
        ) -> None:
            first = (
                b.load(args["bias"], offsets[BIAS])
                if self.has_bias
                else b.scalar(0, self.element)
            )
            loops = [
                (window.moves, *clip)
                for window, clip in zip(windows, clips, strict=True)
            ]
            loops += [(strides, b.const(0), extent) for extent, strides in inner]
            total = self._sum(b, loops, offsets[:BIAS], first, args)
            extras = zip(names[BIAS + 1 : -1], offsets[BIAS + 1 : -1], strict=True)
            values = [total, *(b.load(args[name], at) for name, at in extras)]
            (found,) = self.program.emit(b, values, report=report)
            b.store(found, args["result"], offsets[-1])

        def place(b: Body, offsets: list[SSAValue]) -> None:
            _slide(b, windows, offsets, [], element)

        nest(b, outer, len(names), place, starts)
        b.do(func.ReturnOp())
        return op

    def _sum(
        self,
        b: Body,
        loops: Sequence[tuple[Sequence[SSAValue], SSAValue, SSAValue]],
        offsets: Sequence[SSAValue],
        total: SSAValue,
        args: dict[str, SSAValue],
    ) -> SSAValue:
        """Return `total` and the products that `loops` reach from `offsets`."""
        if not loops:
            x, y = b.load(args["left"], offsets[0]), b.load(args["right"], offsets[1])
            has_fraction = is_float(self.element)
            times, plus = (
                (arith.MulfOp, arith.AddfOp)
                if has_fraction
                else (arith.MuliOp, arith.AddiOp)
            )
            return b.binary(plus, total, b.binary(times, x, y))
        (strides, first, last), *rest = loops

        def step(b: Body, i: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
            here = [
                b.sum(offset, b.product(i, stride))
                for offset, stride in zip(offsets, strides, strict=True)
            ]
            return [self._sum(b, rest, here, carried[0], args)]

        return b.loop(first, last, 1, [total], step)[0]


def _slide(
    b: Body,
    windows: Sequence[Window],
    offsets: list[SSAValue],
    clips: list[tuple[SSAValue, SSAValue]],
    body: Callable[[Body, list[SSAValue], list[tuple[SSAValue, SSAValue]]], None],
) -> None:
    """Append a loop per window; `body` is told where operands stand, and the taps."""
    if not windows:
        body(b, offsets, clips)
        return
    window, *rest = windows
    extent, strides = window.level

    def step(b: Body, i: SSAValue) -> None:
        here = [
            b.sum(offset, b.product(i, stride))
            for offset, stride in zip(offsets, strides, strict=True)
        ]
        _slide(b, rest, here, [*clips, window.clip(b, i)], body)

    b.each(0, extent, step, nonempty=True)
