"""Recurrent ops in NumPy: a walk along the sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glow.dialects.graph.base import Array
from glow.dialects.graph.optional import NOTHING
from glow.dialects.graph.recurrent_activations import directions_of, resolved

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class Walk:
    """One direction of a computation: its weights, its functions, where it starts."""

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
    step: Step,
    default: Sequence[str],
    arrays: dict[str, Array | None],
    p: dict[str, Any],
) -> tuple[Array, ...]:
    """
    Return the states of all steps, and the last ones, in layout 0 or 1.

    Results beyond the length of a sequence are 0 and leave the states unchanged; the
    states of one without any step are 0.
    """
    x = arrays["input"]
    assert x is not None
    x = np.moveaxis(x, 1, 0) if p["layout"] else x
    steps, batch = x.shape[:2]
    lens = arrays["sequence_lens"]
    lens = np.full(batch, steps) if lens is None else lens.astype(np.int64)
    outside = lens[(lens < 0) | (lens > steps)]
    if outside.size:
        raise IndexError(
            f"expected a sequence length in [0, {steps}], got {outside[0]}"
        )
    per_direction: list[list[Array]] = []
    backwards = directions_of(p["direction"])
    walks = list(_walks(default, arrays, p, x))
    for is_reverse, walk in zip(backwards, walks, strict=True):
        states, outputs = walk.states, np.zeros((steps, *walk.states[0].shape), x.dtype)
        for t in range(steps):
            alive = (t < lens)[:, None]
            at = np.where(t < lens, lens - 1 - t if is_reverse else t, 0)
            new = step(walk, walk.rows[at, np.arange(batch)], states)
            states = tuple(
                np.where(alive, n, s).astype(x.dtype)
                for n, s in zip(new, states, strict=True)
            )
            outputs[at[t < lens], np.flatnonzero(t < lens)] = states[0][t < lens]
        finals = [np.where(lens[:, None] > 0, s, 0).astype(x.dtype) for s in states]
        per_direction.append([outputs, *finals])
    y, *last = (np.stack(parts, axis) for axis, parts in _by_result(per_direction))
    if p["layout"]:
        y, last = y.transpose(2, 0, 1, 3), [s.transpose(1, 0, 2) for s in last]
    return y, *last


def _by_result(per_direction: list[list[Array]]) -> Iterator[tuple[int, list[Array]]]:
    """Yield, per result, where its axis of directions is, and its parts."""
    for number, parts in enumerate(zip(*per_direction, strict=True)):
        yield (1 if number == 0 else 0), list(parts)


def _walks(
    default: Sequence[str], arrays: dict[str, Array | None], p: dict[str, Any], x: Array
) -> Iterator[Walk]:
    weights, recurrence = arrays["weights"], arrays["recurrence"]
    assert weights is not None
    assert recurrence is not None
    functions = resolved(p, default)
    walks, rows, hidden = recurrence.shape

    def given(name: str, shape: tuple[int, ...], neutral: float = 0) -> Array:
        value = arrays.get(name)
        if value is None:
            return np.full(shape, neutral, x.dtype)
        return np.moveaxis(value, 1, 0) if p["layout"] and len(shape) == 3 else value

    bias, peepholes = given("bias", (walks, 2 * rows), NOTHING), arrays.get("peepholes")
    names = [name for name in ("initial_h", "initial_c") if name in arrays]
    states = [given(name, (walks, x.shape[1], hidden)) for name in names]
    steps, batch, features = x.shape
    flat, clip = x.reshape(steps * batch, features), p["clip"]

    def bound(value: Array) -> Array:
        return value if clip is None else np.clip(value, -clip, clip)

    for d in range(walks):
        yield Walk(
            (flat @ weights[d].T).reshape(steps, batch, rows) + bias[d, :rows],
            recurrence[d],
            bias[d, rows:],
            None if peepholes is None else peepholes[d],
            functions[d],
            bound,
            tuple(state[d] for state in states),
        )
