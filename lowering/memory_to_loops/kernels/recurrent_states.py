"""The states of recurrent cells, row by row: how they start, and what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Attribute, SSAValue

from glow.lowering.memory_to_loops.builder import INDEX, Body
from glow.lowering.memory_to_loops.kernels.faults import reporter
from glow.lowering.memory_to_loops.kernels.kernel import Kernel
from glow.lowering.memory_to_loops.kernels.nest import Row
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.lowering.memory_to_loops.kernels.strips import Piece, Strips

Values = list[SSAValue]


@dataclass(frozen=True)
class Sequential(Kernel):
    """
    A kernel whose states change from step to step; they have blocks of `lanes`.

    `given` are its operands after the first two. A row of the batch whose sequence has
    ended keeps its state, and has 0 in what is stored per step.
    """

    element: Attribute
    lanes: int
    vectors: int
    reverse: bool
    given: tuple[str, ...]
    strips: Strips

    STRIDED: ClassVar = ("initial_h", "initial_c", "y", "y_h", "y_c")

    @property
    def block(self) -> int:
        """The units of a block."""
        return self.lanes * self.vectors

    def numbers(self, b: Body) -> Numbers:
        return Numbers(b, self.element, self.lanes)


class States:
    """Writes what a `Sequential` does to states row by row: start, store, end."""

    def __init__(self, kernel: Sequential, b: Body, args: dict[str, SSAValue]):
        self.kernel, self.args = kernel, args
        row = Row(b, args)
        names = ("steps", "batch", "blocks", "units", "tiles")
        self.steps, self.batch, self.blocks, self.units, self.tiles = map(
            row.next, names
        )
        self.moves = row.take(2, "stride")
        code = row.next("code")
        self.strides: dict[str, Values] = {}
        if self.has_lengths:
            self.strides["sequence_lens"] = row.take(1, "stride")
        for name in kernel.STRIDED:
            if name in kernel.given:
                self.strides[name] = row.take(3 if name == "y" else 2, "stride")
        self.report = reporter(args["fault"], code)
        self.pitch = b.product(self.blocks, kernel.block)
        self.plane = b.product(self.batch, self.pitch)

    @property
    def has_lengths(self) -> bool:
        return "sequence_lens" in self.kernel.given

    # Lengths of sequences

    def _given_length(self, b: Body, i: SSAValue) -> SSAValue:
        at = b.product(i, self.strides["sequence_lens"][0])
        return b.offset(self.args["sequence_lens"], at)

    def check(self, b: Body, i: SSAValue) -> None:
        """Report a length above the steps; without a sign, a negative one is."""
        length = self._given_length(b, i)
        self.report(b, b.add(arith.CmpiOp(length, self.steps, "ugt")))

    def _length(self, b: Body, i: SSAValue) -> SSAValue:
        n, length = Numbers(b, INDEX), self._given_length(b, i)
        return n.maximum(n.minimum(length, self.steps), b.const(0))

    def place(
        self, b: Body, t: SSAValue, i: SSAValue
    ) -> tuple[SSAValue, SSAValue | None]:
        """Return which step of the input row i takes, and whether it goes on."""
        last = b.difference(b.difference(self.steps, b.const(1)), t)
        if not self.has_lengths:
            return (last if self.kernel.reverse else t), None
        length = self._length(b, i)
        alive = b.add(arith.CmpiOp(t, length, "slt"))
        if not self.kernel.reverse:
            return t, alive
        behind = b.difference(b.difference(length, b.const(1)), t)
        return b.add(arith.SelectOp(alive, behind, t)), alive

    # States, row by row

    def start(self, b: Body, i: SSAValue) -> None:
        kernel, at = self.kernel, b.product(i, self.pitch)
        for name in ("h", "c"):
            if name not in kernel.given:
                continue
            zero = kernel.numbers(b).const(0)
            b.each(
                at,
                b.sum(at, self.pitch),
                lambda b, k, name=name, zero=zero: b.store_vector(
                    zero, self.args[name], k
                ),
                step=kernel.lanes,
                nonempty=True,
            )
            if (initial := f"initial_{name}") in kernel.given:
                row, step = self.strides[initial]
                start = b.product(i, row)
                self._copy(b, (initial, start, step), (name, at, b.const(1)))

    def _copy(
        self,
        b: Body,
        source: tuple[str, SSAValue, SSAValue],
        target: tuple[str, SSAValue, SSAValue],
        alive: SSAValue | None = None,
    ) -> None:
        """Copy the units of one row, or zeros; each end has a start and a stride."""
        strips = self.kernel.strips

        def step(b: Body, k: SSAValue, piece: Piece) -> None:
            places = [
                b.sum(start, k if strips.lanes else b.product(k, stride))
                for _, start, stride in (source, target)
            ]
            values = piece.load(b, self.args[source[0]], places[0])
            if alive is not None:
                n = Numbers(b, self.kernel.element, piece.lanes)
                some = piece.spread(b, alive)
                values = [n.select(some, value, n.const(0)) for value in values]
            piece.store(b, values, self.args[target[0]], places[1])

        strips.each(b, self.units, step)

    def store(self, b: Body, t: SSAValue, i: SSAValue, then: SSAValue) -> None:
        """Store the state of row i after step t."""
        place, alive = self.place(b, t, i)
        along, row, step = self.strides["y"]
        start = b.sum(b.product(place, along), b.product(i, row))
        source = b.sum(then, b.product(i, self.pitch))
        self._copy(b, ("h", source, b.const(1)), ("y", start, step), alive)

    def finish(self, b: Body, i: SSAValue, now: SSAValue) -> None:
        """Store the last states of row i; what never began has none."""
        at, began = b.product(i, self.pitch), None
        if self.has_lengths:
            began = b.add(arith.CmpiOp(b.const(0), self._length(b, i), "slt"))
        for name, plane in (("h", now), ("c", b.const(0))):
            if (result := f"y_{name}") in self.kernel.given:
                row, step = self.strides[result]
                target = (result, b.product(i, row), step)
                self._copy(b, (name, b.sum(plane, at), b.const(1)), target, began)
