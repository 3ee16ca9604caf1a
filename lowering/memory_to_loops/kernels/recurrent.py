"""Recurrent cells: steps in a loop, each a product with the state and what follows."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import func, vector
from xdsl.dialects.builtin import i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import (
    INDEX,
    OFFSETS,
    TABLE,
    Body,
    flat,
    function,
)
from glow.lowering.memory_to_loops.kernels.recurrent_states import Sequential, States
from glow.lowering.memory_to_loops.kernels.strips import rest_of
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram

Values = list[SSAValue]

_SUMS = 8
"""Multiply-adds in flight that keep the arithmetic units busy."""


@dataclass(frozen=True)
class RowTiles:
    """How many rows of the batch are computed together, and how many are left over."""

    rows: int
    rest: int


@dataclass(frozen=True)
class Product:
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

    Operands are the rows, the recurrence, and those that are given.
    Row: steps, batch, blocks, units, tiles of rows, strides of the rows along steps and
    the batch, the fault code; strides of the lengths, of initial states and of results,
    those that are given.
    """

    tiles: RowTiles
    programs: tuple[ScalarProgram, ...]
    clip: float | None

    GATES: ClassVar[int]

    @property
    @abstractmethod
    def products(self) -> tuple[Product, ...]:
        """The products of a step, one after the other."""

    @abstractmethod
    def finish(
        self, walk: Walk, b: Body, product: Product, tile: Tile, i: int, sums: Values
    ) -> None:
        """Append what follows a product, for row `i` of a tile and one vector."""

    def build(self) -> FuncOp:
        operands = [("x", flat(self.element)), ("recurrence", flat(self.element))]
        for name in self.given:
            element = i32 if name == "sequence_lens" else self.element
            operands.append((name, flat(element)))
        rest = [("fault", OFFSETS), ("rows", TABLE), ("at", INDEX)]
        op, b, args = function(self.symbol, [*operands, *rest])
        Walk(self, b, args).write(b)
        b.do(func.ReturnOp())
        return op

    def activate(self, b: Body, number: int, value: SSAValue) -> SSAValue:
        """Return activation `number` of a vector, lane by lane where it must be."""
        program = self.programs[number]
        if program.has_vector_form:
            return program.emit(b, [value], self.lanes)[0]

        def each(b: Body, lane: SSAValue, found: Values) -> Values:
            scalar = b.add(vector.ExtractOp(found[0], [lane], self.element))
            (scalar,) = program.emit(b, [scalar])
            return [b.add(vector.InsertOp(scalar, found[0], [lane]))]

        return b.loop(0, self.lanes, 1, [value], each, name="lane", nonempty=True)[0]

    def bounded(self, b: Body, number: int, value: SSAValue) -> SSAValue:
        """Return activation `number` of a vector that is clipped first."""
        if self.clip is not None:
            n = self.numbers(b)
            value = n.minimum(n.maximum(value, n.const(-self.clip)), n.const(self.clip))
        return self.activate(b, number, value)


@dataclass(frozen=True)
class Tile:
    """Rows of the batch in one block of units at one step; offsets by row."""

    unit: SSAValue
    """Where the block begins in a state of one row."""
    inputs: Values
    """Where the gates of the block begin in the rows of all steps."""
    states: Values
    """Where the block begins in states."""
    alive: Values
    """Whether each sequence goes on; none if all do."""
    now: SSAValue
    """What is added to find the state before the step."""
    then: SSAValue
    """What is added to find the state after it."""


class Walk(States):
    """Writes the loops of a `Recurrent`."""

    def __init__(self, cell: Recurrent, b: Body, args: dict[str, SSAValue]):
        super().__init__(cell, b, args)
        self.cell = cell

    def write(self, b: Body) -> None:
        if self.has_lengths:
            b.each(0, self.batch, self.check, nonempty=True)
        b.each(0, self.batch, self.start, nonempty=True)
        first = [b.const(0), self.plane]
        now, _ = b.loop(0, self.steps, 1, first, self._step, name="t", nonempty=True)
        b.each(0, self.batch, lambda b, i: self.finish(b, i, now), nonempty=True)

    # Steps

    def _step(self, b: Body, t: SSAValue, planes: Values) -> Values:
        now, then = planes
        for product in self.cell.products:

            def block(b: Body, unit: SSAValue, product: Product = product) -> None:
                self._tiles(b, product, (t, unit, now, then))

            b.each(0, self.blocks, block, name="block", nonempty=True)
        if "y" in self.kernel.given:
            b.each(0, self.batch, lambda b, i: self.store(b, t, i, then),
                   nonempty=True)  # fmt: skip
        return [then, now]

    def _tiles(
        self,
        b: Body,
        product: Product,
        at: tuple[SSAValue, SSAValue, SSAValue, SSAValue],
    ) -> None:
        size, rest = self.cell.tiles.rows, self.cell.tiles.rest

        def several(b: Body, tile: SSAValue) -> None:
            self._tile(b, product, at, b.product(tile, size), size)

        b.each(0, self.tiles, several, name="tile", nonempty=True)
        if rest:
            self._tile(b, product, at, b.product(self.tiles, size), rest)

    def _tile(
        self,
        b: Body,
        product: Product,
        at: tuple[SSAValue, SSAValue, SSAValue, SSAValue],
        first: SSAValue,
        count: int,
    ) -> None:
        """Compute some rows from `first` on in one block of units."""
        kernel, (t, block, now, then) = self.cell, at
        unit = b.product(block, kernel.block)
        gates = b.product(unit, kernel.GATES)
        rows = [b.sum(first, i) for i in range(count)]
        places = [self.place(b, t, row) for row in rows]
        starts = [b.product(row, self.pitch) for row in rows]
        along, across = self.moves
        inputs = [
            b.sum(gates, b.sum(b.product(place, along), b.product(row, across)))
            for (place, _), row in zip(places, rows, strict=True)
        ]
        states = [b.sum(start, unit) for start in starts]
        alive = [found for _, found in places if found is not None]
        tile = Tile(unit, inputs, states, alive, now, then)
        sources = starts if product.source != "h" else [b.sum(s, now) for s in starts]
        matrix = b.product(b.product(unit, self.units), product.count)
        sums = self._initial(b, product, tile)
        sums = self._multiply(b, product, sources, matrix, sums)
        for i in range(count):
            for j in range(kernel.vectors):
                each = [
                    sums[(i * product.count + g) * kernel.vectors + j]
                    for g in range(product.count)
                ]
                moved = self._moved(b, tile, i, j)
                kernel.finish(self, b, product, moved, i, each)

    def _moved(self, b: Body, tile: Tile, i: int, j: int) -> Tile:
        """Return `tile` as vector j of the block sees it."""
        if not j:
            return tile
        move = j * self.kernel.lanes
        return Tile(
            b.sum(tile.unit, move),
            [b.sum(v, move) for v in tile.inputs],
            [b.sum(v, move) for v in tile.states],
            tile.alive,
            tile.now,
            tile.then,
        )

    def _initial(self, b: Body, product: Product, tile: Tile) -> Values:
        """Return what the sums of a tile start from: row after row, gate after gate."""
        found: Values = []
        for start in tile.inputs:
            for gate in range(product.count):
                for j in range(self.kernel.vectors):
                    move = j * self.kernel.lanes
                    if gate < product.late:
                        at = b.sum(start, (product.first + gate) * self.kernel.block)
                        found.append(self.load(b, "x", b.sum(at, move)))
                    elif "bias" in self.kernel.given:
                        found.append(self.load(b, "bias", b.sum(tile.unit, move)))
                    else:
                        found.append(self.kernel.numbers(b).const(0))
        return found

    def _multiply(
        self, b: Body, product: Product, sources: Values, matrix: SSAValue, sums: Values
    ) -> Values:
        """
        Add the products of states and weights to `sums`.

        Few sums are computed in several parts, so that enough are in flight.
        """
        kernel, width = self.cell, product.count * self.kernel.vectors
        parts = 1
        while parts * len(sums) < _SUMS:
            parts *= 2
        base, source = self.args[product.matrix], self.args[product.source]
        pitch = product.count * kernel.block

        def turn(count: int, lower: SSAValue, upper: SSAValue, sums: Values) -> Values:
            def step(b: Body, k: SSAValue, carried: Values) -> Values:
                line, *found = carried
                for part in range(count):
                    start = b.sum(line, part * pitch)
                    places = [b.sum(start, j * kernel.lanes) for j in range(width)]
                    weights = [self.load_from(b, base, place) for place in places]
                    for i, row in enumerate(sources):
                        state = b.load(source, b.sum(row, b.sum(k, part)))
                        state = b.splat(state, kernel.lanes)
                        for j, weight in enumerate(weights):
                            n = (part * len(sources) + i) * width + j
                            found[n] = kernel.numbers(b).fma(state, weight, found[n])
                return [b.sum(line, count * pitch), *found]

            begin = b.sum(matrix, b.product(lower, pitch))
            return b.loop(lower, upper, count, [begin, *sums], step, name="k")[1:]

        zero = kernel.numbers(b).const(0)
        whole = b.difference(self.units, rest_of(b, self.units, parts))
        several = [*sums, *[zero] * ((parts - 1) * len(sums))]
        several = turn(parts, b.const(0), whole, several)
        while len(several) > len(sums):
            half = len(several) // 2
            pairs = zip(several[:half], several[half:], strict=True)
            several = [kernel.numbers(b).add(x, y) for x, y in pairs]
        return several if parts == 1 else turn(1, whole, self.units, several)

    # What cells load and store

    def load(self, b: Body, name: str, at: SSAValue) -> SSAValue:
        """Load a vector of operand `name`."""
        return self.load_from(b, self.args[name], at)

    def load_from(self, b: Body, base: SSAValue, at: SSAValue) -> SSAValue:
        return b.load_vector(base, at, lanes=self.kernel.lanes)

    def keep(
        self, b: Body, tile: Tile, i: int, new: SSAValue, old: SSAValue | None = None
    ) -> None:
        """Store the state of row i after the step: the old one if it has ended."""
        after = b.sum(tile.states[i], tile.then)
        if tile.alive:
            if old is None:
                old = self.load(b, "h", b.sum(tile.states[i], tile.now))
            new = self.chosen(b, tile, i, new, old)
        b.store_vector(new, self.args["h"], after)

    def chosen(
        self, b: Body, tile: Tile, i: int, new: SSAValue, old: SSAValue
    ) -> SSAValue:
        """Return `new`, but `old` where the sequence of row i has ended."""
        if not tile.alive:
            return new
        alive = b.splat(tile.alive[i], self.kernel.lanes)
        return self.kernel.numbers(b).select(alive, new, old)
