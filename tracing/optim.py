"""
Optimizers of nested parameters, as `glow.optim`: SGD, Adam, clipping, schedules.

All are NumPy code, which runs as it is and traces. An optimizer has two functions:
`init(parameters)` returns its state, and `update(parameters, gradients, state)` returns
new parameters and a new state; all are nested alike. In one compiled step, with what it
changes in place:

    weights = optim.variables(weights)
    state = optim.variables(optimizer.init(weights))

    @glow.jit
    def step(x, labels):
        value, gradients = glow.value_and_grad(loss)(weights, x, labels)
        optim.assign((weights, state), optimizer.update(weights, gradients, state))
        return value
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, pi
from typing import Any, NamedTuple, cast

import numpy as np

from glow.support.names import with_article
from glow.tracing.pytrees import flatten, is_array, map_leaves, unflatten
from glow.tracing.variables import Variable

RateSchedule = Callable[[Any], Any]
"""The rate at a step, counted from 0."""
Rate = float | RateSchedule


class Optimizer(NamedTuple):
    """A rule by which gradients change parameters; see the module."""

    init: Callable[[Any], Any]
    update: Callable[[Any, Any, Any], tuple[Any, Any]]


def sgd(
    rate: Rate,
    *,
    momentum: float = 0.0,
    nesterov: bool = False,
    weight_decay: float = 0.0,
) -> Optimizer:
    """
    Return stochastic gradient descent.

    With momentum, w -= rate * v where v = momentum * v + g; with `nesterov` it is
    g + momentum * v instead of v. `weight_decay` times w is added to g.
    Source: PyTorch's SGD without dampening.
    """

    _check_rate(rate)

    def init(parameters: Any) -> Any:
        state = {"step": np.zeros((), np.float32)}
        return state | ({"velocity": zeros(parameters)} if momentum else {})

    def update(parameters: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
        before = _steps_in(state)
        size, changed = _rate_at(rate, before), {"step": before + 1}
        moves = gradients
        if weight_decay:
            moves = gradients = _sums(gradients, parameters, weight_decay)
        if momentum:
            moves = _sums(gradients, state["velocity"], momentum)
            changed["velocity"] = moves
            if nesterov:
                moves = _sums(gradients, moves, momentum)
        return _sums(parameters, moves, -size), changed

    return Optimizer(init, update)


def adam(
    rate: Rate,
    *,
    betas: tuple[float, float] = (0.9, 0.999),
    epsilon: float = 1e-8,
    weight_decay: float = 0.0,
) -> Optimizer:
    """
    Return Adam: w -= rate * m / (sqrt(v) + epsilon), of means m of g and v of g^2.

    `weight_decay` times w is added to g. Source: Kingma and Ba, 2015; PyTorch's Adam.
    """
    return _adam(rate, betas, epsilon, weight_decay, 0.0)


def adamw(
    rate: Rate,
    *,
    betas: tuple[float, float] = (0.9, 0.999),
    epsilon: float = 1e-8,
    weight_decay: float = 0.01,
) -> Optimizer:
    """
    Return Adam whose decay is apart from gradients: first w -= rate * weight_decay * w.

    Source: Loshchilov and Hutter, 2019; PyTorch's AdamW.
    """
    return _adam(rate, betas, epsilon, 0.0, weight_decay)


def _adam(
    rate: Rate,
    betas: tuple[float, float],
    epsilon: float,
    in_gradients: float,
    apart: float,
) -> Optimizer:
    _check_rate(rate)
    first, second = betas

    def init(parameters: Any) -> Any:
        step = np.zeros((), np.float32)
        return {"step": step, "mean": zeros(parameters), "square": zeros(parameters)}

    def update(parameters: Any, gradients: Any, state: Any) -> tuple[Any, Any]:
        before = _steps_in(state)
        step, size = before + 1, _rate_at(rate, before)
        if in_gradients:
            gradients = _sums(gradients, parameters, in_gradients)
        squares = _products(gradients, gradients)
        mean = _mixed(state["mean"], gradients, first)
        square = _mixed(state["square"], squares, second)
        scale, root = size / _bias(first, step), np.sqrt(_bias(second, step))

        def moved(w: Any, m: Any, v: Any) -> Any:
            kept = w - size * apart * w if apart else w
            return kept - scale * m / (np.sqrt(v) / root + epsilon)

        changed = {"step": step, "mean": mean, "square": square}
        return map_leaves(moved, parameters, mean, square), changed

    return Optimizer(init, update)


def _bias(beta: float, step: Any) -> Any:
    """Return 1 - beta^step without cancellation, which would leave few bits in f32."""
    return -np.expm1(step * log(beta)) if beta else 1.0


def _check_rate(rate: object) -> None:
    if not callable(rate) and not is_array(rate):
        got = with_article(type(rate).__name__)
        raise TypeError(
            f"expected a number or a function of the step as rate, got {got}"
        )


def _steps_in(state: Any) -> Any:
    """Return the number of steps before this one."""
    if not isinstance(state, Mapping) or "step" not in state:
        got = with_article(type(cast(object, state)).__name__)
        raise TypeError(
            "expected update(parameters, gradients, state) with a state of init, got "
            f"{got} without steps as state"
        )
    return cast(Any, state)["step"]


def _rate_at(rate: Rate, step: Any) -> Any:
    return rate(step) if callable(rate) else rate


def _sums(one: Any, other: Any, scale: Any) -> Any:
    """Return `one` plus `scale` times `other`, leaf by leaf."""

    def total(x: Any, y: Any) -> Any:
        return x + y * scale

    return map_leaves(total, one, other)


def _mixed(one: Any, other: Any, beta: float) -> Any:
    """Return weighted means of two trees: `beta` for the first."""

    def mixed(x: Any, y: Any) -> Any:
        return x * beta + y * (1 - beta)

    return map_leaves(mixed, one, other)


def _products(one: Any, other: Any) -> Any:
    def product(x: Any, y: Any) -> Any:
        return x * y

    return map_leaves(product, one, other)


def clip_by_norm(gradients: Any, limit: float) -> Any:
    """Return gradients scaled such that the norm of all together is at most `limit`."""
    norm = global_norm(gradients)
    scale = limit / np.maximum(norm, limit)

    def scaled(g: Any) -> Any:
        return g * scale

    return map_leaves(scaled, gradients)


def clip(gradients: Any, limit: float) -> Any:
    """Return gradients held in [-limit, limit], each element by itself."""

    def bounded(g: Any) -> Any:
        return np.clip(g, -limit, limit)

    return map_leaves(bounded, gradients)


def global_norm(tree: Any) -> Any:
    """Return the square root of the sum of all squares in a tree."""
    leaves = [leaf.value for leaf in flatten(tree)[0]]
    total: Any = sum(np.sum(leaf * leaf) for leaf in leaves)
    return np.sqrt(total)


def cosine(
    rate: float, steps: int, *, warmup: int = 0, end: float = 0.0
) -> RateSchedule:
    """
    Return a rate that rises for `warmup` steps and falls to `end` like a cosine.

    It is `rate` after the warmup, and stays at `end` from `steps` on.
    """

    def at(step: Any) -> Any:
        part: Any = np.clip((step - warmup) / max(steps - warmup, 1), 0.0, 1.0)
        falling = end + (rate - end) * (1 + np.cos(pi * part)) / 2
        return _warmed(falling, rate, step, warmup)

    return at


def linear(
    rate: float, steps: int, *, warmup: int = 0, end: float = 0.0
) -> RateSchedule:
    """Return a rate as `cosine` does, which falls on a line."""

    def at(step: Any) -> Any:
        part = np.clip((step - warmup) / max(steps - warmup, 1), 0.0, 1.0)
        return _warmed(rate + (end - rate) * part, rate, step, warmup)

    return at


def exponential(rate: float, decay: float, *, every: int = 1) -> RateSchedule:
    """Return a rate that is multiplied by `decay` in the course of `every` steps."""
    return lambda step: rate * np.power(np.float32(decay), step / every)


def _warmed(value: Any, rate: float, step: Any, warmup: int) -> Any:
    if not warmup:
        return value
    rising = rate * (step + 1) / warmup
    return cast(Any, np.where(step < warmup, rising, value))


def zeros(tree: Any) -> Any:
    """Return zeros of the shapes and types of a tree's leaves."""

    def zero(leaf: Any) -> Any:
        return np.zeros(leaf.shape, leaf.dtype)

    return map_leaves(zero, tree)


def variables(tree: Any, name: str = "") -> Any:
    """Return a tree with a `glow.Variable` for each leaf, named after its place."""
    leaves, structure = flatten(tree, path=(name,) if name else ())
    return unflatten(structure, [Variable(leaf.value, leaf.name) for leaf in leaves])


def assign(targets: Any, values: Any) -> None:
    """
    Let the variables of a tree hold the leaves of another one, nested alike.

    Errors: ValueError for another structure; as assignments to `glow.Variable`.
    """

    def store(target: Any, value: Any) -> Any:
        target.value = value
        return 0

    map_leaves(store, targets, values)
