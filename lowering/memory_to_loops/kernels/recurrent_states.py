"""The states of recurrent cells, row by row: how they start, and what is stored."""

from __future__ import annotations

from abc import ABC
from collections.abc import Generator
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute

from glow.codegen.casts import convert
from glow.codegen.conditions import is_outside, select
from glow.codegen.functions import maximum, minimum
from glow.codegen.loops import N, loop
from glow.codegen.memory import Memory, Strip
from glow.codegen.strips import Strips
from glow.codegen.values import INDEX, Value, index
from glow.lowering.memory_to_loops.kernels.kernel import Call, Fault, Kernel

STRIDES = {
    "sequence_lens": 1,
    "initial_h": 2,
    "initial_c": 2,
    "y": 3,
    "y_h": 2,
    "y_c": 2,
}
"""The operands whose strides the row has, and how many."""


@dataclass(frozen=True)
class RecurrentRow(Generic[N]):
    """
    Steps, rows of the batch, blocks of units, units, tiles of rows.

    `moves` are the strides of the input along steps and the batch, `code` the fault of
    a length, `strides` those of `STRIDES` that are given.
    """

    steps: N
    batch: N
    blocks: N
    units: N
    tiles: N
    moves: tuple[N, N]
    code: N
    strides: tuple[tuple[N, ...], ...]


@dataclass(frozen=True)
class BatchTiles:
    """The rows of the batch that are computed together, and those left over."""

    rows: int
    rest: int
    sums_in_flight: int
    """Multiply-adds that a tile should have under way."""


@dataclass(frozen=True)
class Sequential(Kernel, ABC):
    """
    A kernel whose states change from step to step; they have blocks of `lanes`.

    `given` are its optional operands. A row of the batch whose sequence has
    ended keeps its state, and has 0 in what is stored per step.
    """

    compute: Attribute
    lanes: int
    vectors: int
    tiles: BatchTiles
    reverse: bool
    given: tuple[str, ...]
    strips: Strips

    @property
    def strip(self) -> Strip:
        """The units of a block."""
        return Strip(self.lanes, self.vectors)

    @property
    def strided(self) -> tuple[str, ...]:
        """The operands whose strides are in the row."""
        return tuple(name for name in STRIDES if name in self.given)


class StateWriter:
    """Writes what a `Sequential` does to states row by row: start, store, end."""

    def __init__(self, kernel: Sequential, call: Call[RecurrentRow[Value]]):
        row = call.row
        self.kernel, self.call, self.row = kernel, call, row
        self.strides = dict(zip(kernel.strided, row.strides, strict=True))
        self.pitch = row.blocks * kernel.strip.size
        self.plane = row.batch * self.pitch
        height = kernel.tiles.rows
        self.first, self.last = call.begin * height, call.end * height
        if kernel.tiles.rest:
            self.last = minimum(self.last, row.batch)

    def rows(self) -> Generator[Value]:
        """Write a loop over the rows of the batch that a call computes."""
        return loop(self.first, self.last, nonempty=True)

    # Lengths of sequences

    def _given_length(self, i: Value) -> Value:
        (stride,) = self.strides["sequence_lens"]
        return convert(self.call["sequence_lens"][i * stride], INDEX)

    def check(self) -> None:
        """Report lengths that no sequence has."""
        if "sequence_lens" in self.strides:
            fault = Fault(self.call["fault"], self.row.code)
            for i in self.rows():
                length = self._given_length(i)
                fault.report(is_outside(length, self.row.steps + 1))

    def _length(self, i: Value) -> Value:
        return maximum(minimum(self._given_length(i), self.row.steps), 0)

    def place(self, t: Value, i: Value) -> tuple[Value, Value | None]:
        """Return which step of the input row i takes, and whether it goes on."""
        if "sequence_lens" not in self.strides:
            return (self.row.steps - 1 - t if self.kernel.reverse else t), None
        length = self._length(i)
        alive = t < length
        if not self.kernel.reverse:
            return t, alive
        return select(alive, length - 1 - t, t), alive

    # States, row by row

    def start(self) -> None:
        """Set states to zero, or to their initial values."""
        kernel, call = self.kernel, self.call
        one = Strip(kernel.lanes)
        for i in self.rows():
            at = i * self.pitch
            for name in ("h", "c"):
                if name not in kernel.given:
                    continue
                for k in loop(at, at + self.pitch, step=kernel.lanes, nonempty=True):
                    call[name].store(one.constant(0, kernel.compute), k)
                if (initial := f"initial_{name}") in self.strides:
                    row, step = self.strides[initial]
                    source = call[initial], i * row, step
                    self._copy(source, (call[name], at, index(1)))

    def _copy(
        self,
        source: tuple[Memory, Value, Value],
        target: tuple[Memory, Value, Value],
        alive: Value | None = None,
    ) -> None:
        """Copy the units of one row, or zeros; each end has a start and a stride."""
        strips = self.kernel.strips
        for k, strip in strips.along(self.row.units):
            places = [
                start + (k if strips.lanes else k * stride)
                for _, start, stride in (source, target)
            ]
            value = source[0].load(places[0], strip)
            if alive is not None:
                value = select(strip.spread(alive), value, 0)
            target[0].store(value, places[1], strip)

    def store(self, t: Value, then: Value) -> None:
        """Store the states after step t."""
        if "y" not in self.strides:
            return
        along, row, step = self.strides["y"]
        for i in self.rows():
            place, alive = self.place(t, i)
            source = self.call["h"], then + i * self.pitch, index(1)
            target = self.call["y"], place * along + i * row, step
            self._copy(source, target, alive)

    def end(self, now: Value) -> None:
        """Store the last states; what never began has none."""
        for i in self.rows():
            at, began = i * self.pitch, None
            if "sequence_lens" in self.strides:
                began = self._length(i) > 0
            for name, plane in (("h", now), ("c", index(0))):
                if (result := f"y_{name}") in self.strides:
                    row, step = self.strides[result]
                    target = self.call[result], i * row, step
                    source = self.call[name], plane + at, index(1)
                    self._copy(source, target, began)
