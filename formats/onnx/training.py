"""Steps of optimizers: Momentum, Adagrad and Adam."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from glow.dialects.graph import array_api as xp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.node import Node
from glow.formats.onnx.registry import onnx_op

DOMAIN = "ai.onnx.preview.training"

UpdateRule = Callable[..., tuple[Tensor, ...]]


def _each(node: Node, kinds: int, step: UpdateRule) -> list[Tensor]:
    """
    Apply `step` to each tensor with its gradient and states.

    Inputs are a rate, a count of steps, all tensors, all gradients, and all states,
    kind by kind; outputs are all tensors and states.
    """
    count, rest = divmod(len(node.inputs) - 2, kinds)
    if rest or count < 1:
        node.invalid(f"expected 2 inputs and {kinds} for each tensor")
    groups = [
        step(*(node.input(2 + kind * count + index) for kind in range(kinds)))
        for index in range(count)
    ]
    return [result for column in zip(*groups, strict=True) for result in column]


@onnx_op("Momentum", domains=[DOMAIN])
def momentum(node: Node) -> list[Tensor]:
    alpha, beta = node.real("alpha"), node.real("beta")
    mode = node.choice("mode", "standard", "nesterov")
    norm, rate, steps = node.real("norm_coefficient"), *_rate(node)

    def step(x: Tensor, g: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        g = norm * x + g
        factor = xp.where(steps > 0, node.literal(beta, x.dtype), 1)
        new = alpha * v + factor * g
        by = g + alpha * new if mode == "nesterov" else new
        return x - rate.astype(x.dtype) * by, new

    return _each(node, 3, step)


@onnx_op("Adagrad", domains=[DOMAIN])
def adagrad(node: Node) -> list[Tensor]:
    decay, epsilon = node.real("decay_factor"), node.real("epsilon")
    norm, rate, steps = node.real("norm_coefficient"), *_rate(node)
    rate = rate / (steps.astype(np.float64) * decay + 1)

    def step(x: Tensor, g: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        g = norm * x + g
        new = h + g * g
        return x - rate.astype(x.dtype) * g / (xp.sqrt(new) + epsilon), new

    return _each(node, 3, step)


@onnx_op("Adam", domains=[DOMAIN])
def adam(node: Node) -> list[Tensor]:
    alpha, beta, epsilon = (node.real(name) for name in ("alpha", "beta", "epsilon"))
    norm, after = node.real("norm_coefficient"), node.real("norm_coefficient_post")
    rate, steps = _rate(node)
    number = steps.astype(np.float64)
    adjusted = rate * xp.sqrt(1 - beta**number) / (1 - alpha**number)
    rate = xp.where(steps > 0, adjusted, rate)

    def step(x: Tensor, g: Tensor, v: Tensor, h: Tensor) -> tuple[Tensor, ...]:
        g = norm * x + g
        new_v = alpha * v + (1 - alpha) * g
        new_h = beta * h + (1 - beta) * (g * g)
        moved = x - rate.astype(x.dtype) * (new_v / (xp.sqrt(new_h) + epsilon))
        return (1 - after) * moved, new_v, new_h

    return _each(node, 4, step)


def _rate(node: Node) -> tuple[Tensor, Tensor]:
    """Return the learning rate, in f64, and the number of steps so far."""
    return node.input(0).astype(np.float64), node.input(1)
