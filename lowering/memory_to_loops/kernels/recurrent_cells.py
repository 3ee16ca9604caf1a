"""Recurrent cells: the new states from the products of a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from glow.codegen.functions import fma
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.kernels.recurrent import (
    Product,
    Recurrent,
    Tile,
    Walk,
)


@dataclass(frozen=True)
class Lstm(Recurrent):
    """Gates are input, output, forget and the new cell."""

    input_forget: bool = False

    GATES: ClassVar = 4

    @property
    def prefix(self) -> str:
        return "lstm"

    @property
    def products(self) -> tuple[Product, ...]:
        return (Product("recurrence", "h", 0, 4, 4),)

    def finish(
        self, walk: Walk, product: Product, tile: Tile, i: int, sums: list[Value]
    ) -> None:
        (enter, leave, forget, new), at = sums, tile.states[i]
        old = walk.load("c", at)
        enter = self._gate(walk, tile, 0, enter, old)
        if self.input_forget:
            forget = 1 - enter
        else:
            forget = self._gate(walk, tile, 2, forget, old)
        cell = fma(forget, old, enter * self.bounded(1, new))
        cell = walk.chosen(tile, i, cell, old)
        walk.call["c"][at] = cell
        leave = self._gate(walk, tile, 1, leave, cell)
        walk.keep(tile, i, leave * self.activate(2, cell))

    def _gate(
        self, walk: Walk, tile: Tile, number: int, value: Value, cell: Value
    ) -> Value:
        """Return a gate that may peep at the cell."""
        if "peepholes" in self.given:
            weight = walk.load("peepholes", walk.pitch * number + tile.unit)
            value = fma(weight, cell, value)
        return self.bounded(0, value)


@dataclass(frozen=True)
class Gru(Recurrent):
    """Gates are update, reset and the new state, reset before its product or after."""

    GATES: ClassVar = 3

    @property
    def prefix(self) -> str:
        return "gru"

    @property
    def products(self) -> tuple[Product, ...]:
        if "renewal" not in self.given:
            return (Product("recurrence", "h", 0, 3, 2),)
        return (
            Product("recurrence", "h", 0, 2, 2),
            Product("renewal", "reset", 2, 1, 1),
        )

    def finish(
        self, walk: Walk, product: Product, tile: Tile, i: int, sums: list[Value]
    ) -> None:
        at = tile.states[i]
        old = walk.load("h", at + tile.step.now)
        if product.matrix == "renewal":
            update, new = walk.load("update", at), sums[0]
        else:
            update, reset = (self.bounded(0, value) for value in sums[:2])
            if product.count == 2:
                walk.call["update"][at] = update
                walk.call["reset"][at] = reset * old
                return
            new = walk.load("x", tile.inputs[i] + 2 * self.strip.size)
            new = fma(reset, sums[2], new)
        new = self.bounded(1, new)
        walk.keep(tile, i, fma(update, old - new, new), old)


@dataclass(frozen=True)
class Rnn(Recurrent):
    """There are no gates, only the new state."""

    GATES: ClassVar = 1

    @property
    def prefix(self) -> str:
        return "rnn"

    @property
    def products(self) -> tuple[Product, ...]:
        return (Product("recurrence", "h", 0, 1, 1),)

    def finish(
        self, walk: Walk, product: Product, tile: Tile, i: int, sums: list[Value]
    ) -> None:
        walk.keep(tile, i, self.bounded(0, sums[0]))
