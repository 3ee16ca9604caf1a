"""What each recurrent cell does with its products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import SSAValue

from glow.lowering.memory_to_loops.builder import Body
from glow.lowering.memory_to_loops.kernels.recurrent import (
    Product,
    Recurrent,
    Tile,
    Values,
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
        self, walk: Walk, b: Body, product: Product, tile: Tile, i: int, sums: Values
    ) -> None:
        n, (enter, leave, forget, new) = self.numbers(b), sums
        at = tile.states[i]
        old = walk.load(b, "c", at)
        enter = self._gate(walk, b, tile, 0, enter, old)
        if self.input_forget:
            forget = n.sub(n.const(1), enter)
        else:
            forget = self._gate(walk, b, tile, 2, forget, old)
        entering = n.mul(enter, self.bounded(b, 1, new))
        cell = n.fma(forget, old, entering)
        cell = walk.chosen(b, tile, i, cell, old)
        b.store_vector(cell, walk.args["c"], at)
        leave = self._gate(walk, b, tile, 1, leave, cell)
        walk.keep(b, tile, i, n.mul(leave, self.activate(b, 2, cell)))

    def _gate(
        self,
        walk: Walk,
        b: Body,
        tile: Tile,
        number: int,
        value: SSAValue,
        cell: SSAValue,
    ) -> SSAValue:
        """Return a gate that may peep at the cell."""
        if "peepholes" in self.given:
            at = b.sum(b.product(walk.pitch, b.const(number)), tile.unit)
            weight = walk.load(b, "peepholes", at)
            value = self.numbers(b).fma(weight, cell, value)
        return self.bounded(b, 0, value)


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
        self, walk: Walk, b: Body, product: Product, tile: Tile, i: int, sums: Values
    ) -> None:
        n, at = self.numbers(b), tile.states[i]
        old = walk.load(b, "h", b.sum(at, tile.now))
        if product.matrix == "renewal":
            update, new = walk.load(b, "update", at), sums[0]
        else:
            update, reset = (self.bounded(b, 0, value) for value in sums[:2])
            if product.count == 2:
                b.store_vector(update, walk.args["update"], at)
                b.store_vector(n.mul(reset, old), walk.args["reset"], at)
                return
            row = walk.load(b, "x", b.sum(tile.inputs[i], 2 * self.block))
            new = n.fma(reset, sums[2], row)
        new = self.bounded(b, 1, new)
        found = n.fma(update, n.sub(old, new), new)
        walk.keep(b, tile, i, found, old)


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
        self, walk: Walk, b: Body, product: Product, tile: Tile, i: int, sums: Values
    ) -> None:
        walk.keep(b, tile, i, self.bounded(b, 0, sums[0]))
