"""Recurrent cells: steps in a loop, each a product with the state and what follows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import vector

from glow.codegen.conditions import select
from glow.codegen.functions import fma, maximum, minimum
from glow.codegen.loops import Var, loop, when
from glow.codegen.memory import on_stack, rest_of
from glow.codegen.values import Value, index, joined
from glow.codegen.writer import emit
from glow.lowering.memory_to_loops.kernels.kernel import Call
from glow.lowering.memory_to_loops.kernels.recurrent_states import (
    RecurrentRow,
    Sequential,
    StateWriter,
)
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.support.costs import Costs


@dataclass(frozen=True)
class GateProduct:
    """
    Part of a step: `count` gates from `first` on, plus what `matrix` makes of a state.

    `source` is where that state lies. The gates from `late` on start from the bias.
    """

    matrix: str
    source: str
    first: int
    count: int
    late: int


@dataclass(frozen=True)
class Recurrent(Sequential):
    """
    Walk along a sequence; units are computed in blocks of `vectors` vectors.

    Unit: a tile of rows of the batch.
    Scratch: states and gates have room for each row of the batch, so that pieces share
    none.
    """

    programs: tuple[ScalarProgram, ...]
    clip: float | None
    input_forget: bool
    """Whether the forget gate of an LSTM is what its input gate leaves of 1."""
    gates_apart: bool
    """Whether products are computed gate after gate; else all of a product together."""

    GATES: ClassVar[int]

    @property
    @abstractmethod
    def products(self) -> tuple[GateProduct, ...]:
        """The products of a step, one after the other."""

    @abstractmethod
    def finish(self, row: CellRow, product: GateProduct, sums: list[Value]) -> None:
        """Write what follows a product, for one row; a sum per gate."""

    def per_ns(self, costs: Costs) -> float:
        return costs.recurrent_products_per_ns * self.lanes

    def write(self, call: Call[RecurrentRow[Value]]) -> None:
        StepWriter(self, call).write()

    def activate(self, number: int, x: Value) -> Value:
        """Return activation `number` of vectors, lane by lane where it must be."""
        program = self.programs[number]
        if program.has_vector_form:
            return program.run([x], strip=self.strip)[0]
        return joined([_lane_by_lane(program, part) for part in x.split()])

    def bounded(self, number: int, x: Value) -> Value:
        """Return activation `number` of vectors that are clipped first."""
        if self.clip is not None:
            x = minimum(maximum(x, -self.clip), self.clip)
        return self.activate(number, x)


def _lane_by_lane(program: ScalarProgram, x: Value) -> Value:
    result = Var(x)
    for lane in loop(0, x.lanes, result, name="lane", nonempty=True):
        scalar = vector.ExtractOp(result.value.ssa, [lane.ssa], x.element)
        (scalar,) = program.run([Value.of(emit(scalar))])
        inserted = vector.InsertOp(scalar.ssa, result.value.ssa, [lane.ssa])
        result.value = Value.of(emit(inserted))
    return result.value


@dataclass(frozen=True)
class SequenceStep:
    """A step, and what is added to find the states before and after it."""

    t: Value
    now: Value
    then: Value


@dataclass(frozen=True)
class CellRow:
    """A row of the batch in one block of units at one step."""

    walk: StepWriter
    step: SequenceStep
    unit: Value
    """Where the block begins in a state of one row."""
    inputs: Value
    """Where the gates of the block begin in the rows of all steps."""
    state: Value
    """Where the block begins in states."""
    alive: Value | None
    """Whether the sequence goes on; None if all do."""

    def keep(self, new: Value, old: Value | None = None) -> None:
        """Store the state after the step: the old one if the sequence has ended."""
        if self.alive is not None and old is None:
            old = self.walk.load("h", self.state + self.step.now)
        new = new if old is None else self.chosen(new, old)
        self.walk.call["h"][self.state + self.step.then] = new

    def chosen(self, new: Value, old: Value) -> Value:
        """Return `new`, but `old` where the sequence has ended."""
        if self.alive is None:
            return new
        return select(self.walk.cell.strip.spread(self.alive), new, old)


class StepWriter(StateWriter):
    """Writes the loops of a `Recurrent`."""

    def __init__(self, cell: Recurrent, call: Call[RecurrentRow[Value]]):
        super().__init__(cell, call)
        self.cell = cell

    def write(self) -> None:
        self.check()
        self.start()
        now, then = Var(index(0)), Var(self.plane)
        for t in loop(0, self.row.steps, now, then, name="t", nonempty=True):
            for product in self.cell.products:
                for block in loop(0, self.row.blocks, name="block", nonempty=True):
                    self._tiles(product, SequenceStep(t, now.value, then.value), block)
            self.store(t, then.value)
            now.value, then.value = then.value, now.value
        self.end(now.value)

    def _tiles(self, product: GateProduct, step: SequenceStep, block: Value) -> None:
        (begin, end), tiles = self.call.range, self.cell.tiles
        whole = minimum(end, self.row.tiles) if tiles.rest else end
        for tile in loop(begin, whole, name="tile", nonempty=not tiles.rest):
            self._tile(product, step, block, tile * tiles.rows, tiles.rows)
        if tiles.rest:
            with when(end > self.row.tiles):
                first = self.row.tiles * tiles.rows
                self._tile(product, step, block, first, tiles.rest)

    def _tile(
        self,
        product: GateProduct,
        step: SequenceStep,
        block: Value,
        first: Value,
        count: int,
    ) -> None:
        """
        Compute some rows from `first` on in one block of units.

        Sums lie on the stack: what follows takes more registers than there are.
        """
        cell, strip = self.cell, self.cell.strip
        unit = block * strip.size
        rows = [self._row(step, unit, first + i) for i in range(count)]
        at_once = 1 if cell.gates_apart else product.count
        room = on_stack(cell.compute, product.count * count * strip.size)
        for low in range(0, product.count, at_once):
            gates = range(low, low + at_once)
            sums = self._multiply(product, rows, gates)
            places = [gate * count + i for i in range(count) for gate in gates]
            for place, value in zip(places, sums, strict=True):
                room.store(value, index(place * strip.size))
        for i in loop(0, count, name="row", nonempty=True):
            starts = [(i + gate * count) * strip.size for gate in range(product.count)]
            sums = [room.load(start, strip) for start in starts]
            cell.finish(self._row(step, unit, first + i), product, sums)

    def _row(self, step: SequenceStep, unit: Value, row: Value) -> CellRow:
        """Return row `row` of the batch in the block of units that begins at `unit`."""
        place, alive = self.place(step.t, row)
        along, across = self.row.moves
        inputs = unit * self.cell.GATES + (place * along + row * across)
        return CellRow(self, step, unit, inputs, row * self.pitch + unit, alive)

    def _initial(
        self, product: GateProduct, unit: Value, start: Value, gate: int
    ) -> Value:
        """Return what the sums of a gate start from."""
        strip = self.cell.strip
        if gate < product.late:
            return self.load("x", start + (product.first + gate) * strip.size)
        if "bias" in self.cell.given:
            return self.load("bias", unit)
        return strip.constant(0, self.cell.compute)

    def _multiply(
        self, product: GateProduct, rows: list[CellRow], gates: range
    ) -> list[Value]:
        """
        Return the sums of `gates`, row after row.

        Few sums are computed in several parts, so that enough are in flight.
        """
        strip, units, parts = self.cell.strip, self.row.units, 1
        sums = [
            self._initial(product, row.unit, row.inputs, gate)
            for row in rows
            for gate in gates
        ]
        in_flight = self.cell.tiles.sums_in_flight
        while parts * len(sums) * strip.count < in_flight:
            parts *= 2
        zeros = [strip.constant(0, self.cell.compute)] * len(sums)
        several = [[Var(x) for x in part] for part in (sums, *[zeros] * (parts - 1))]
        whole = units - rest_of(units, parts)
        self._add_products(product, rows, gates, (index(0), whole), several)
        while len(several) > 1:
            half = len(several) // 2
            for part, other in zip(several[:half], several[half:], strict=True):
                for x, y in zip(part, other, strict=True):
                    x.value += y.value
            several = several[:half]
        if parts > 1:
            self._add_products(product, rows, gates, (whole, units), several)
        return [x.value for x in several[0]]

    def _add_products(
        self,
        product: GateProduct,
        rows: list[CellRow],
        gates: range,
        bounds: tuple[Value, Value],
        sums: list[list[Var]],
    ) -> None:
        """Write a loop over states, as many at a time as there are parts of `sums`."""
        size, units, count = self.cell.strip.size, self.row.units, len(gates)
        weights, states = self.call[product.matrix], self.call[product.source]
        # Gates that are apart have a matrix each, others a place in a line.
        start = (rows[0].unit * product.count + gates.start * size) * units
        line = Var(start + bounds[0] * (count * size))
        now = rows[0].step.now if product.source == "h" else 0
        sources = [row.state - row.unit + now for row in rows]
        carried = [x for part in sums for x in part]
        for k in loop(*bounds, line, *carried, step=len(sums), name="k"):
            for number, part in enumerate(sums):
                starts = [line.value + g * size for g in range(count)]
                loaded = [weights.load(start, self.cell.strip) for start in starts]
                for i, source in enumerate(sources):
                    state = self.cell.strip.spread(states[source + (k + number)])
                    for x, gate in zip(part[i * count :], loaded, strict=False):
                        x.value = fma(state, gate, x.value)
                line.value += count * size

    def load(self, name: str, at: Value) -> Value:
        """Load the vectors of a block of operand `name`."""
        return self.call[name].load(at, self.cell.strip)
