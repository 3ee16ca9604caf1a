"""Write recurrent networks step by step, as products and activations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.recurrent import GruOp, LstmOp
from glow.dialects.graph.recurrent_base import (
    ACTIVATIONS,
    Activation,
    RecurrentOp,
    directions_of,
)
from glow.dialects.graph.tensors import Tensor, emit
from glow.passes.patterns import Replacement, Results, RewritePass

StepStates = tuple[Tensor, ...]


def decompose_recurrent(op: RecurrentOp, new: Replacement) -> Results:
    """lstm(x, w, r, ...) -> stack(h1, ...) where h1 = f(x1 @ w + h0 @ r + b)"""
    walks = [
        _Direction(op, new, number, is_reverse)
        for number, is_reverse in enumerate(directions_of(op.direction))
    ]
    sequences, *last = zip(*(walk.results() for walk in walks), strict=True)
    front = 2 if op.layout else 0
    y = xp.stack(sequences, 1)  # [T, D, B, H]
    results = [y.transpose(2, 0, 1, 3) if front else y]
    results += [xp.stack(states, 1 if front else 0) for states in last]
    present = [getattr(op, name) for name in op.RESULTS]
    return [r for r, s in zip(results, present, strict=True) if s is not None]


@dataclass(frozen=True)
class _Direction:
    """One direction of a network, whose steps go from its first row to the last."""

    op: Any
    new: Replacement
    number: int
    is_reverse: bool

    def results(self) -> StepStates:
        """Return the first state of all steps, and the last of each state."""
        sizes, states = self.op.sizes, self._initial()
        rows, outputs = self._in_order(self._rows()), list[Tensor]()
        for step in range(sizes.steps):
            states = self._kept(step, self._step(rows[step], states), states)
            outputs.append(self._masked(step, states[0]))
        if not outputs:
            return rows[..., : sizes.hidden], *(self._zeros() for _ in states)
        sequence = self._in_order(xp.stack(outputs))
        if self.lengths is None:
            return sequence, *states
        return sequence, *(xp.where(self.lengths > 0, s, 0) for s in states)

    @cached_property
    def lengths(self) -> Tensor | None:
        """The number of steps of each element of the batch, as a column."""
        if self.op.sequence_lens is None:
            return None
        return self.new.tensor(self.op.sequence_lens).reshape(-1, 1)

    def _operand(self, name: str) -> Tensor | None:
        """Return the part of an operand for this direction, None where it is absent."""
        value = getattr(self.op, name)
        return None if value is None else self.new.tensor(value)[self.number]

    def _initial(self) -> StepStates:
        states = list[Tensor]()
        for name in ("initial_h", "initial_c")[: len(self.op.RESULTS) - 1]:
            value = getattr(self.op, name)
            if value is None:
                states.append(self._zeros())
            else:
                state = self.new.tensor(value)
                own = (slice(None), self.number) if self.op.layout else self.number
                states.append(state[own])
        return tuple(states)

    def _zeros(self) -> Tensor:
        """Return the state of a sequence without steps."""
        zero = self.new.like(0, self.new.tensor(self.op.input))
        return xp.broadcast_to(zero, (self.op.sizes.batch, self.op.sizes.hidden))

    def _rows(self) -> Tensor:
        """Return the input's terms of all gates, per step [T, B, G H]."""
        sizes, x = self.op.sizes, self.new.tensor(self.op.input)
        if self.op.layout:
            x = x.transpose(1, 0, 2)
        flat = x.reshape(sizes.steps * sizes.batch, sizes.features)
        weights, bias = self._operand("weights"), self._bias(0)
        product = emit(MatMulOp, flat, weights, bias, transpose_rhs=True)
        return product.reshape(sizes.steps, sizes.batch, product.shape[-1])

    def _bias(self, half: int) -> Tensor | None:
        bias, rows = self._operand("bias"), self.op.GATES * self.op.sizes.hidden
        return None if bias is None else bias[half * rows : (half + 1) * rows]

    def _in_order(self, rows: Tensor) -> Tensor:
        """Put rows into the order in which they are walked, or back into their own."""
        if not self.is_reverse:
            return rows
        if self.lengths is None:
            return rows[::-1]
        lengths = self.lengths.reshape(1, -1, 1)
        steps = np.arange(rows.shape[0], dtype=lengths.dtype).reshape(-1, 1, 1)
        places = xp.where(lengths > steps, lengths - 1 - steps, self.new.tensor(steps))
        return xp.take_along_axis(rows, xp.broadcast_to(places, rows.shape), 0)

    def _kept(self, step: int, states: StepStates, before: StepStates) -> StepStates:
        """Return `states`, or those `before` where a sequence has ended."""
        if self.lengths is None:
            return states
        alive = self.lengths > step
        pairs = zip(states, before, strict=True)
        return tuple(xp.where(alive, each, old) for each, old in pairs)

    def _masked(self, step: int, state: Tensor) -> Tensor:
        if self.lengths is None:
            return state
        return xp.where(self.lengths > step, state, 0)

    def _step(self, rows: Tensor, states: StepStates) -> StepStates:
        match self.op:
            case LstmOp():
                return self._lstm(rows, *states)
            case GruOp():
                return self._gru(rows, *states)
            case _:
                (f,) = self.op.activations_of(self.number)
                return (self._applied(f, rows + self._recurrent(states[0])),)

    def _lstm(self, rows: Tensor, h: Tensor, c: Tensor) -> StepStates:
        f, g, out = self.op.activations_of(self.number)
        i, o, u, value = self._gates(rows + self._recurrent(h))
        i = self._applied(f, self._peeped(0, i, c))
        u = 1 - i if self.op.input_forget else self._applied(f, self._peeped(2, u, c))
        c = u * c + i * self._applied(g, value)
        gate = self._applied(f, self._peeped(1, o, c))
        return gate * _activated(out, c), c

    def _gru(self, rows: Tensor, h: Tensor) -> StepStates:
        f, g = self.op.activations_of(self.number)
        xz, xr, xn = self._gates(rows)
        hz, hr, hn = self._gates(self._recurrent(h))
        z, r = self._applied(f, xz + hz), self._applied(f, xr + hr)
        if not self.op.linear_before_reset:
            hn = self._gates(self._recurrent(r * h))[2]
            return self._renewed(z, self._applied(g, xn + hn), h)
        return self._renewed(z, self._applied(g, xn + r * hn), h)

    def _renewed(self, z: Tensor, value: Tensor, h: Tensor) -> StepStates:
        return ((1 - z) * value + z * h,)

    def _recurrent(self, h: Tensor) -> Tensor:
        """Return the state's terms of all gates, plus the second half of the bias."""
        recurrence, bias = self._operand("recurrence"), self._bias(1)
        return emit(MatMulOp, h, recurrence, bias, transpose_rhs=True)

    def _gates(self, rows: Tensor) -> Sequence[Tensor]:
        hidden = self.op.sizes.hidden
        return [
            rows[:, gate * hidden : (gate + 1) * hidden]
            for gate in range(self.op.GATES)
        ]

    def _peeped(self, gate: int, value: Tensor, cell: Tensor) -> Tensor:
        peepholes, hidden = self._operand("peepholes"), self.op.sizes.hidden
        if peepholes is None:
            return value
        return value + peepholes[gate * hidden : (gate + 1) * hidden] * cell

    def _applied(self, function: Activation, x: Tensor) -> Tensor:
        """Return an activation of its argument, which `clip` bounds."""
        if self.op.clip is not None:
            x = xp.clip(x, -self.op.clip, self.op.clip)
        return _activated(function, x)


def _activated(function: Activation, x: Tensor) -> Tensor:
    op = ACTIVATIONS[function.name]
    if op is not None:
        return emit(op, x, **function.parameters)
    if function.name == "affine":
        return x * function.alpha + function.beta
    return xp.tanh(x * function.beta) * function.alpha


class DecomposeRecurrentPass(RewritePass):
    """
    Replace each recurrent network by the ops of all its steps.

    Code grows with the number of steps: this is for gradients, and not in the pipeline.

    Level: graph -> graph. Needs: nothing.
    """

    name = "decompose-recurrent"
    patterns = (decompose_recurrent,)
