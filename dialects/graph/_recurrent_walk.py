"""Recurrent ops in NumPy: a walk along the sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

import numpy as np

from glow.dialects.graph.base import Array
from glow.dialects.graph.optional import NOTHING
from glow.dialects.graph.recurrent_base import RecurrentOp, directions_of, resolved

Function = Callable[[Array], Array]


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
    functions: tuple[Function, ...]
    bound: Function
    """The clipping of the arguments of `functions`."""
    states: tuple[Array, ...]


def applied(weights: Array, states: Array) -> Array:
    """
    Return states @ weights.T, a row at a time.

    A product of few rows would start the threads of BLAS, for longer than it takes.
    """
    return (weights @ states[:, :, None])[:, :, 0]


Step = Callable[[Walk, Array, tuple[Array, ...]], tuple[Array, ...]]


def walk_all(
    op: type[RecurrentOp], step: Step, given: dict[str, Any]
) -> tuple[Array, ...]:
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


def _walked(walk: Walk, step: Step, lens: Array) -> tuple[Array, ...]:
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
