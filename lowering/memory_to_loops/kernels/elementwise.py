"""The elementwise kernel: a scalar program over operands of any strides."""

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
from glow.lowering.memory_to_loops.kernels.faults import Report, reporter
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row, nest
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram


@dataclass(frozen=True)
class Elementwise(Kernel):
    """
    Loops around one that runs `program` on an element of each input.

    On vectors, `moves` says which inputs move along the innermost axis, by 1; results
    do. On scalars, all operands have strides in the row.
    Row: `outer` loops, the innermost extent, its strides if scalar, the fault code if
    the program divides integers.
    """

    program: ScalarProgram
    outer: int
    moves: tuple[bool, ...]
    strips: Strips

    @property
    def prefix(self) -> str:
        if not self.program.inputs:
            return "fill"
        return "elementwise" if self.program.instructions else "copy"

    def build(self) -> FuncOp:
        op, b, args = function(self.symbol, self._arguments())
        row = Row(b, args)
        bases = [args[name] for name in self._names()]
        levels = row.levels(self.outer, len(bases))
        extent = row.next("inner")
        strides = None if self.strips.lanes else row.take(len(bases), "stride")
        report = None
        if self.program.divides_integers:
            report = reporter(args["fault"], row.next("code"))

        def line(b: Body, offsets: list[SSAValue]) -> None:
            if strides is None:
                self._vectors(b, bases, offsets, extent)
            else:
                self._scalars(b, bases, offsets, (extent, strides), report)

        nest(b, levels, len(bases), line)
        b.do(func.ReturnOp())
        return op

    def _names(self) -> list[str]:
        inputs = len(self.program.inputs)
        return [
            *(f"x{i}" for i in range(inputs)),
            *(f"y{i}" for i in range(len(self.program.outputs))),
        ]

    def _arguments(self) -> list[tuple[str, Attribute]]:
        elements = zip(self._names(), self.program.elements, strict=True)
        found: list[tuple[str, Attribute]] = [(n, flat(e)) for n, e in elements]
        if self.program.divides_integers:
            found.append(("fault", OFFSETS))
        return [*found, ("rows", TABLE), ("at", INDEX)]

    def _vectors(
        self,
        b: Body,
        bases: list[SSAValue],
        offsets: list[SSAValue],
        extent: SSAValue,
    ) -> None:
        count = len(self.program.inputs)
        still = {
            i: b.load(bases[i], offsets[i])
            for i, moves in enumerate(self.moves)
            if not moves
        }
        spread = {i: Piece(self.strips.lanes).spread(b, v) for i, v in still.items()}

        def step(b: Body, i: SSAValue, piece: Piece) -> None:
            fixed = spread if piece.lanes else still
            loaded = [
                [fixed[k]] * piece.count
                if k in fixed
                else piece.load(b, bases[k], b.sum(offsets[k], i))
                for k in range(count)
            ]
            found = [
                self.program.emit(b, [values[j] for values in loaded], piece.lanes)
                for j in range(piece.count)
            ]
            for k in range(count, len(bases)):
                values = [outputs[k - count] for outputs in found]
                piece.store(b, values, bases[k], b.sum(offsets[k], i))

        self.strips.each(b, extent, step)

    def _scalars(
        self,
        b: Body,
        bases: list[SSAValue],
        offsets: list[SSAValue],
        line: tuple[SSAValue, list[SSAValue]],
        report: Report | None,
    ) -> None:
        count = len(self.program.inputs)

        def element(b: Body, at: list[SSAValue]) -> None:
            values = [b.load(bases[k], at[k]) for k in range(count)]
            results = self.program.emit(b, values, report=report)
            for base, place, value in zip(
                bases[count:], at[count:], results, strict=True
            ):
                b.store(value, base, place)

        nest(b, [line], len(bases), element, offsets)
