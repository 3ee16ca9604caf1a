"""Elementwise kernels: a scalar program over operands of any strides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from glow.lowering.memory_to_loops.kernels.faults import Fault
from glow.lowering.memory_to_loops.kernels.kernel import FAULT, Operand
from glow.lowering.memory_to_loops.kernels.lines import Line, Rule
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.types import compute_type


@dataclass(frozen=True)
class Elementwise(Rule):
    """Run `program` on an element of each input; `code` is that of its faults."""

    INDEPENDENT: ClassVar = True
    NUMBERS: ClassVar = ("code",)

    program: ScalarProgram

    @property
    def name(self) -> str:
        if not self.program.inputs:
            return "fill"
        return "elementwise" if self.program.instructions else "copy"

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(f"x{i}" for i in range(len(self.program.inputs)))

    @property
    def results(self) -> tuple[str, ...]:
        return tuple(f"y{i}" for i in range(len(self.program.outputs)))

    def operands(self) -> Mapping[str, Operand]:
        names = (*self.inputs, *self.results)
        moves = not self.program.instructions  # bits that are only moved stay as stored
        return {
            name: Operand(element, element if moves else compute_type(element))
            for name, element in zip(names, self.program.elements, strict=True)
        }

    def others(self) -> Mapping[str, Operand]:
        return {"fault": FAULT} if self.program.divides_integers else {}

    def line(self, line: Line) -> None:
        report = None
        if self.program.divides_integers:
            report = Fault(line.call["fault"], line.numbers["code"]).report
        for at in line.along(hoist=self.inputs):
            inputs = [at.load(name) for name in self.inputs]
            values = self.program.run(inputs, report, at.strip)
            for name, value in zip(self.results, values, strict=True):
                at.store(value, name)
