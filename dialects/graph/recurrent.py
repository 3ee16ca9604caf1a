"""Recurrent networks: a cell that walks along a sequence, with or without gates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, ClassVar, Unpack

import numpy as np

from glow.dialects.graph.optional import NOTHING, Neutrals
from glow.dialects.graph.recurrent_base import (
    INITIAL,
    OPERANDS,
    TYPES,
    RecurrentOp,
    Walking,
    directions_of,
    resolved,
)
from glow.support.arrays import Array

States = tuple[Array, ...]


@dataclass(frozen=True)
class Walk:
    """One direction of a computation: its weights, its functions, where it starts."""

    is_reverse: bool
    rows: Array
    """The terms of the gates due to the input and half of the bias, per step."""
    recurrence: Array
    bias: Array
    """The second half of the bias, or zeros."""
    peepholes: Array | None
    functions: tuple[Callable[[Array], Array], ...]
    bound: Callable[[Array], Array]
    """The clipping of the arguments of `functions`."""
    states: States

    def peeped(self, number: int, gate: Array, cell: Array) -> Array:
        """Return the sum of a gate after a look at the cell, if there are peepholes."""
        if self.peepholes is None:
            return gate
        return gate + np.split(self.peepholes, 3)[number] * cell


CellStep = Callable[[Walk, Array, States], States]


def applied(weights: Array, states: Array) -> Array:
    """
    Return states @ weights.T, a row at a time.

    A product of few rows would start the threads of BLAS, for longer than it takes.
    """
    return (weights @ states[:, :, None])[:, :, 0]


def walk_all(op: type[RecurrentOp], step: CellStep, given: dict[str, Any]) -> States:
    """
    Return the present results of `op` for all its arguments.

    Results beyond the length of a sequence are 0 and leave the states unchanged; the
    states of one without any step are 0.
    """
    p = op.defaults() | given
    if p["layout"]:
        batched = ("input", "initial_h", "initial_c")
        p |= {n: p[n].swapaxes(0, 1) for n in batched if p.get(n) is not None}
    steps, batch, _ = p["input"].shape
    lens = p["sequence_lens"]
    lens = np.full(batch, steps) if lens is None else lens.astype(np.int64)
    outside = lens[(lens < 0) | (lens > steps)]
    if outside.size:
        raise IndexError(
            f"expected a sequence length in [0, {steps}], got {outside[0]}"
        )
    walked = [_walked(walk, step, lens) for walk in _walks(op, p)]
    y, *last = (np.stack(each) for each in zip(*walked, strict=True))
    results = (y.swapaxes(0, 1), *last)
    if p["layout"]:
        results = (y.transpose(2, 1, 0, 3), *(state.swapaxes(0, 1) for state in last))
    pairs = zip(op.RESULTS, results, strict=True)
    return tuple(array for name, array in pairs if p[f"with_{name}"])


def _walked(walk: Walk, step: CellStep, lens: Array) -> States:
    """Return the first state of all steps, and the last states."""
    states, dtype = walk.states, walk.rows.dtype
    steps, batch, _ = walk.rows.shape
    outputs = np.zeros((steps, *states[0].shape), dtype)
    for t in range(steps):
        alive = t < lens
        at = np.where(alive, lens - 1 - t if walk.is_reverse else t, 0)
        new = step(walk, walk.rows[at, np.arange(batch)], states)
        pairs = zip(new, states, strict=True)
        states = tuple(np.where(alive[:, None], n, s).astype(dtype) for n, s in pairs)
        outputs[at[alive], np.flatnonzero(alive)] = states[0][alive]
    last = (np.where(lens[:, None] > 0, state, 0).astype(dtype) for state in states)
    return outputs, *last


def _walks(op: type[RecurrentOp], p: dict[str, Any]) -> Iterator[Walk]:
    x, recurrence, bias = p["input"], p["recurrence"], p["bias"]
    (steps, batch, features), (walks, rows, hidden) = x.shape, recurrence.shape
    if bias is None:
        bias = np.full((walks, 2 * rows), NOTHING, x.dtype)
    zeros = np.zeros((walks, batch, hidden), x.dtype)
    initial = [p[name] for name in ("initial_h", "initial_c") if name in p]
    states = [zeros if state is None else state for state in initial]
    flat, peepholes = x.reshape(steps * batch, features), p.get("peepholes")
    clip = inf if p["clip"] is None else p["clip"]
    functions = resolved(p, op.ACTIVATIONS)
    for d, is_reverse in enumerate(directions_of(p["direction"])):
        product = (flat @ p["weights"][d].T).reshape(steps, batch, rows)
        yield Walk(
            is_reverse,
            product + bias[d, :rows],
            recurrence[d],
            bias[d, rows:],
            None if peepholes is None else peepholes[d],
            functions[d],
            partial(np.clip, a_min=-clip, a_max=clip),
            tuple(state[d] for state in states),
        )


class LstmOp(RecurrentOp):
    """
    Long short-term memory: a state h and a cell c that gates let through or forget.

    At each step, with f, g, h the activations, and peepholes P of the cell:
    i, o, u = f(X Wi + H Ri + Pi C + Bi), f(.. Po C' ..), f(.. Pf C ..) are gates for
    input, output and forgetting; C' = u C + i g(X Wc + H Rc + Bc); H' = o h(C').
    With `clip`, the arguments of f and g lie in [-clip, clip]; with `input_forget`, u
    is 1 - i. Results beyond the length of a sequence are 0 and leave the states
    alone; those of a sequence of length 0 are 0. An absent bias, state or peephole is
    0, absent lengths are that of the input. `layout` 1 puts the batch in front.

    Shapes: input [T, B, I], weights [D, 4H, I] and recurrence [D, 4H, H] with gates in
        the order i, o, u, c, bias [D, 8H] (of both products), sequence_lens [B] of
        i32, initial_h and initial_c [D, B, H], peepholes [D, 3H] in the order i, o, u;
        y [T, D, B, H], y_h and y_c [D, B, H]; D is 2 for both directions, else 1. With
        layout 1: [B, T, I], [B, D, H], [B, T, D, H].
    Errors: operands of other shapes or types, an unknown direction, layout or
        activation, a number of activations, alphas or betas other than 3 D, no result;
        when run, a length outside [0, T].
    Source: ONNX LSTM-22. A list of parameters has one for each activation.

    ```mlir
    %y, %c = graph.lstm %x, %w, %r bias %b : tensor<1x32xf32>
        : tensor<5x2x3xf32>, tensor<1x16x3xf32>, tensor<1x16x4xf32>
        y tensor<5x1x2x4xf32> y_c tensor<1x2x4xf32>
    ```
    """

    GATES: ClassVar = 4
    ACTIVATIONS: ClassVar = ("sigmoid", "tanh", "tanh")
    RESULTS: ClassVar = ("y", "y_h", "y_c")

    assembly_format = (
        f"{OPERANDS} (`initial_c` $initial_c^ `:` type($initial_c))?"
        f" (`peepholes` $peepholes^ `:` type($peepholes))?{TYPES}"
        " (`y_c` type($y_c)^)?"
    )

    @staticmethod
    def neutrals() -> Neutrals:
        return {**RecurrentOp.neutrals(), "initial_c": INITIAL}

    @staticmethod
    def compute(
        input: Array,
        weights: Array,
        recurrence: Array,
        bias: Array | None = None,
        sequence_lens: Array | None = None,
        initial_h: Array | None = None,
        initial_c: Array | None = None,
        peepholes: Array | None = None,
        *,
        input_forget: bool = False,
        with_y_c: bool = True,
        **walking: Unpack[Walking],
    ) -> tuple[Array, ...]:
        given = locals() | walking

        def step(walk: Walk, rows: Array, states: States) -> States:
            (h, c), (f, g, out) = states, walk.functions
            sums = rows + applied(walk.recurrence, h) + walk.bias
            i, o, u, new = np.split(sums, 4, axis=-1)
            i = f(walk.bound(walk.peeped(0, i, c)))
            u = 1 - i if input_forget else f(walk.bound(walk.peeped(2, u, c)))
            c = u * c + i * g(walk.bound(new))
            return f(walk.bound(walk.peeped(1, o, c))) * out(c), c

        return walk_all(LstmOp, step, given)


class GruOp(RecurrentOp):
    """
    Gated recurrent unit: a state h that gates renew or reset.

    At each step, with f and g the activations: z, r = f(X Wz + H Rz + Bz), f(..) are
    gates for update and reset; N = g(X Wn + (r H) Rn + Bn), or with
    `linear_before_reset` g(X Wn + r (H Rn + Bn') + Bn); H' = (1 - z) N + z H. The rest
    is as in `graph.lstm`.

    Shapes: input [T, B, I], weights [D, 3H, I] and recurrence [D, 3H, H] with gates in
        the order z, r, n, bias [D, 6H] (of both products), sequence_lens [B] of i32,
        initial_h [D, B, H]; y [T, D, B, H], y_h [D, B, H]; with layout 1 as in
        `graph.lstm`.
    Errors: as `graph.lstm`, with 2 D activations.
    Source: ONNX GRU-22. A list of parameters has one for each activation.

    ```mlir
    %y = graph.gru %x, %w, %r {linear_before_reset}
        : tensor<5x2x3xf32>, tensor<1x12x3xf32>, tensor<1x12x4xf32>
        y tensor<5x1x2x4xf32>
    ```
    """

    GATES: ClassVar = 3
    ACTIVATIONS: ClassVar = ("sigmoid", "tanh")

    @staticmethod
    def compute(
        input: Array,
        weights: Array,
        recurrence: Array,
        bias: Array | None = None,
        sequence_lens: Array | None = None,
        initial_h: Array | None = None,
        *,
        linear_before_reset: bool = False,
        **walking: Unpack[Walking],
    ) -> tuple[Array, ...]:
        given = locals() | walking

        def step(walk: Walk, rows: Array, states: States) -> States:
            (h,), (f, g) = states, walk.functions
            xz, xr, xn = np.split(rows, 3, axis=-1)
            wz, wr, wn = np.split(walk.recurrence, 3)
            bz, br, bn = np.split(walk.bias, 3)
            z = f(walk.bound(xz + applied(wz, h) + bz))
            r = f(walk.bound(xr + applied(wr, h) + br))
            if linear_before_reset:
                new = g(walk.bound(xn + r * (applied(wn, h) + bn)))
            else:
                new = g(walk.bound(xn + applied(wn, r * h) + bn))
            return ((1 - z) * new + z * h,)

        return walk_all(GruOp, step, given)


class RnnOp(RecurrentOp):
    """
    A recurrent network without gates: H' = f(X W + H R + B) at each step.

    The rest is as in `graph.lstm`.

    Shapes: input [T, B, I], weights [D, H, I], recurrence [D, H, H], bias [D, 2H] (of
        both products), sequence_lens [B] of i32, initial_h [D, B, H];
        y [T, D, B, H], y_h [D, B, H]; with layout 1 as in `graph.lstm`.
    Errors: as `graph.lstm`, with D activations.
    Source: ONNX RNN-22. A list of parameters has one for each activation.

    ```mlir
    %h = graph.rnn %x, %w, %r {direction = "reverse"}
        : tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>
        y_h tensor<1x2x4xf32>
    ```
    """

    GATES: ClassVar = 1
    ACTIVATIONS: ClassVar = ("tanh",)

    @staticmethod
    def compute(
        input: Array,
        weights: Array,
        recurrence: Array,
        bias: Array | None = None,
        sequence_lens: Array | None = None,
        initial_h: Array | None = None,
        **walking: Unpack[Walking],
    ) -> tuple[Array, ...]:
        given = locals() | walking

        def step(walk: Walk, rows: Array, states: States) -> States:
            (h,), (f,) = states, walk.functions
            return (f(walk.bound(rows + applied(walk.recurrence, h) + walk.bias)),)

        return walk_all(RnnOp, step, given)
