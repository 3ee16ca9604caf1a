"""Recurrent cells of the memory level, computed on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from glow.backends.reference.scalars import run_region
from glow.dialects.memory.recurrent import GruOp, LstmOp, RecurrentOp
from glow.support.arrays import Array
from glow.support.dtypes import widened

_INITIAL = ("initial_h", "initial_c")


def run_recurrent(
    op: RecurrentOp,
    read: Callable[[SSAValue | None], Array | None],
    write: Callable[[SSAValue, Array], None],
) -> None:
    """Run `op` along each sequence of a batch, for its own length."""

    @cache
    def wide(name: str) -> Array | None:
        array = read(getattr(op, name, None))
        return None if array is None else widened(array)

    cell = _Cell(op, wide)
    rows = cell.array("rows")
    steps, batch, *_ = rows.shape
    zero = np.zeros((batch, cell.units), rows.dtype)
    names = _INITIAL if isinstance(op, LstmOp) else _INITIAL[:1]
    starts = [cell.read(name) for name in names]
    lengths = cell.read("sequence_lens")
    y = np.zeros((steps, batch, cell.units), rows.dtype)
    finals = [zero.copy() for _ in names]
    for b in range(batch):
        count = steps if lengths is None else int(lengths[b])
        state = [(zero if s is None else s)[b : b + 1] for s in starts]
        for t in range(count)[:: 1 if op.reverse is None else -1]:
            state = cell.step(cell.per_gate(rows[t, b]), state)
            y[t, b] = state[0]
        for final, last in zip(finals, state, strict=True):
            final[b] = last if count else 0
    for name, array in zip(("y", "y_h", "y_c"), (y, *finals), strict=False):
        buffer = getattr(op, name)
        if buffer is not None:
            write(buffer, array)


@dataclass(frozen=True)
class _Cell:
    """One step of a cell: gates have [1, H] each, for one element of the batch."""

    op: Any
    read: Callable[[str], Array | None]

    def array(self, name: str) -> Array:
        array = self.read(name)
        assert array is not None
        return array

    @property
    def units(self) -> int:
        return self.array("recurrence").shape[1]

    def per_gate(self, blocks: Array) -> list[Array]:
        """Return [1, H] for each gate of [U, G, p]."""
        flat = np.moveaxis(blocks, 1, 0).reshape(blocks.shape[1], -1)
        return [line[None, : self.units] for line in flat]

    def sums(self, weights: str, state: Array) -> list[Array]:
        return self.per_gate(np.tensordot(self.array(weights), state[0], (1, 0)))

    def call(self, number: int, x: Array, clips: bool = True) -> Array:
        if self.op.clip is not None and clips:
            x = np.clip(x, -self.op.clip.value.data, self.op.clip.value.data)
        return run_region(self.op.activations[number], [x])[0]

    def step(self, gates: list[Array], state: list[Array]) -> list[Array]:
        """Return the state after a step, from what the input adds to each gate."""
        added = self.sums("recurrence", state[0])
        if isinstance(self.op, GruOp):
            return self._gru(gates, added, state[0])
        sums = [gate + more for gate, more in zip(gates, added, strict=True)]
        if isinstance(self.op, LstmOp):
            return self._lstm(sums, state[1])
        return [self.call(0, sums[0])]

    def _gru(self, gates: list[Array], added: list[Array], h: Array) -> list[Array]:
        z, r = (self.call(0, gates[k] + added[k]) for k in range(2))
        if self.op.renewal is None:
            late = self.read("bias")
            extra = 0 if late is None else late.reshape(-1)[: self.units]
            new = gates[2] + r * (added[2] + extra)
        else:
            new = gates[2] + self.sums("renewal", r * h)[0]
        return [(1 - z) * self.call(1, new) + z * h]

    def _lstm(self, gates: list[Array], c: Array) -> list[Array]:
        peepholes = self.read("peepholes")
        p = np.zeros((3, 1)) if peepholes is None else peepholes.reshape(3, -1)
        seen = [(line[: self.units] * c).astype(c.dtype) for line in (p[0], p[2])]
        i, o, f, new = gates
        i = self.call(0, i + seen[0])
        f = self.call(0, f + seen[1]) if self.op.input_forget is None else 1 - i
        c = f * c + i * self.call(1, new)
        o = self.call(0, o + (p[1][: self.units] * c).astype(c.dtype))
        return [o * self.call(2, c, clips=False), c]
