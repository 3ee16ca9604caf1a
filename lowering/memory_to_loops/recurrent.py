"""Lower recurrent cells: a loop over steps, in blocks of units, a few rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from glow.codegen.functions import fma
from glow.codegen.strips import Strips
from glow.codegen.values import Value
from glow.dialects.memory.address import addressing_of
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.recurrent import GruOp, LstmOp, RecurrentOp, RnnOp
from glow.lowering.memory_to_loops.kernels.kernel import Work
from glow.lowering.memory_to_loops.kernels.recurrent import (
    CellRow,
    GateProduct,
    Recurrent,
)
from glow.lowering.memory_to_loops.kernels.recurrent_states import (
    STRIDES,
    BatchTiles,
    RecurrentRow,
)
from glow.lowering.memory_to_loops.main import Main, lowers
from glow.lowering.memory_to_loops.scalar_program import ScalarProgram
from glow.lowering.tiles import cell_rows
from glow.support.types import compute_type, dtype_of


@dataclass(frozen=True)
class Lstm(Recurrent):
    """Gates are input, output, forget and the new cell."""

    GATES: ClassVar = 4

    @property
    def products(self) -> tuple[GateProduct, ...]:
        return (GateProduct("recurrence", "h", 0, 4, 4),)

    def finish(self, row: CellRow, product: GateProduct, sums: list[Value]) -> None:
        (enter, leave, forget, new), call = sums, row.walk.call
        old = row.walk.load("c", row.state)
        enter = self._gate(row, 0, enter, old)
        forget = 1 - enter if self.input_forget else self._gate(row, 2, forget, old)
        cell = fma(forget, old, enter * self.bounded(1, new))
        cell = row.chosen(cell, old)
        call["c"][row.state] = cell
        leave = self._gate(row, 1, leave, cell)
        row.keep(leave * self.activate(2, cell))

    def _gate(self, row: CellRow, number: int, value: Value, cell: Value) -> Value:
        """Return a gate that may peep at the cell."""
        if "peepholes" in self.given:
            weight = row.walk.load("peepholes", row.walk.pitch * number + row.unit)
            value = fma(weight, cell, value)
        return self.bounded(0, value)


@dataclass(frozen=True)
class Gru(Recurrent):
    """Gates are update, reset and the new state, reset before its product or after."""

    GATES: ClassVar = 3

    @property
    def products(self) -> tuple[GateProduct, ...]:
        if "renewal" not in self.given:
            return (GateProduct("recurrence", "h", 0, 3, 2),)
        return (
            GateProduct("recurrence", "h", 0, 2, 2),
            GateProduct("renewal", "reset", 2, 1, 1),
        )

    def finish(self, row: CellRow, product: GateProduct, sums: list[Value]) -> None:
        at, walk = row.state, row.walk
        old = walk.load("h", at + row.step.now)
        if product.matrix == "renewal":
            update, new = walk.load("update", at), sums[0]
        else:
            update, reset = (self.bounded(0, value) for value in sums[:2])
            if product.count == 2:
                walk.call["update"][at] = update
                walk.call["reset"][at] = reset * old
                return
            new = walk.load("x", row.inputs + 2 * self.strip.size)
            new = fma(reset, sums[2], new)
        new = self.bounded(1, new)
        row.keep(fma(update, old - new, new), old)


@dataclass(frozen=True)
class Rnn(Recurrent):
    """There are no gates, only the new state."""

    GATES: ClassVar = 1

    @property
    def products(self) -> tuple[GateProduct, ...]:
        return (GateProduct("recurrence", "h", 0, 1, 1),)

    def finish(self, row: CellRow, product: GateProduct, sums: list[Value]) -> None:
        row.keep(self.bounded(0, sums[0]))


_CELLS: dict[type[MemoryOp], type[Recurrent]] = {LstmOp: Lstm, GruOp: Gru, RnnOp: Rnn}


@lowers(*_CELLS)
def lower_recurrent(main: Main, op: LstmOp | GruOp | RnnOp) -> None:
    steps, batch, blocks, gates, p = addressing_of(op.rows).shape
    units = addressing_of(op.recurrence).shape[1]
    buffers = op.present()
    compute = compute_type(buffer_type(op.rows).element_type)
    size = main.target.vector_bytes // dtype_of(compute).itemsize
    apart = _has_gates_apart(op)
    rows = cell_rows(main.target, batch, p // size * (1 if apart else gates))
    tiles = BatchTiles(rows, batch % rows, main.target.sums_in_flight)
    strided = {n: addressing_of(b) for n, b in buffers.items() if n in STRIDES}
    states = [a for name, a in strided.items() if name != "sequence_lens"]
    is_row = all(a.shape[-1] == 1 or a.strides[-1] == 1 for a in states)
    kernel = _CELLS[type(op)](
        compute,
        lanes=size,
        vectors=p // size,
        tiles=tiles,
        reverse=op.reverse is not None,
        given=tuple(buffers),
        strips=main.strips(op.rows) if is_row else Strips(0),
        programs=tuple(ScalarProgram.of(region) for region in op.activations),
        clip=None if op.clip is None else op.clip.value.data,
        input_forget=isinstance(op, LstmOp) and op.input_forget is not None,
        gates_apart=apart,
    )
    code = 0  # of no message: every step is one of the sequence
    if op.sequence_lens is not None:
        code = main.message(op, f"expected a sequence length in [0, {steps}]")
    along, across = addressing_of(op.rows).strides[:2]
    strides = tuple(strided[name].strides for name in kernel.strided)
    whole = batch // tiles.rows
    sizes = steps, batch, blocks, units, whole
    row = RecurrentRow(*sizes, (along, across), code, strides)
    given = {"x": op.rows, "recurrence": op.recurrence, **buffers}
    cost = steps * tiles.rows * blocks * gates * p * units
    work = Work(whole + bool(tiles.rest), cost)
    main.call(kernel, {**given, "fault": main.fault}, row, work)


def _has_gates_apart(op: RecurrentOp) -> bool:
    """Return whether weights of a block lie gate after gate, not line after line."""
    _, along, gate, _ = addressing_of(op.recurrence).strides
    return gate > along
