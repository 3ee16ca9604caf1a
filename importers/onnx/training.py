"""Steps of optimizers, for many tensors at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.ir import SSAValue

from glow.importers.onnx.expression import Expression, input_of
from glow.importers.onnx.node import Node
from glow.importers.onnx.registry import onnx_op

DOMAIN = "ai.onnx.preview.training"

Step = Callable[..., tuple[Expression, ...]]


def _each(node: Node, kinds: int, step: Step) -> list[SSAValue]:
    """
    Apply `step` to each tensor with what belongs to it.

    Inputs are a rate, a count of steps, all tensors, all gradients, all states of a
    kind, then those of the next; outputs are all tensors and states.
    """
    count, rest = divmod(len(node.inputs) - 2, kinds)
    if rest or count < 1:
        node.invalid(f"expected 2 inputs and {kinds} for each tensor")
    groups = [
        step(*(input_of(node, 2 + kind * count + index) for kind in range(kinds)))
        for index in range(count)
    ]
    return [result.value for column in zip(*groups, strict=True) for result in column]


@onnx_op("Momentum", domains=[DOMAIN])
def momentum(node: Node) -> list[SSAValue]:
    alpha, beta = node.real("alpha"), node.real("beta")
    mode = node.choice("mode", "standard", "nesterov")
    norm, rate, steps = node.real("norm_coefficient"), *_rate(node)

    def step(x: Expression, g: Expression, v: Expression) -> tuple[Expression, ...]:
        g = norm * x + g
        first = Expression(node, node.literal(1, x.dtype))
        new = alpha * v + (steps > 0).choose(first * beta, first) * g
        by = g + alpha * new if mode == "nesterov" else new
        return x - rate.cast(x.dtype) * by, new

    return _each(node, 3, step)


@onnx_op("Adagrad", domains=[DOMAIN])
def adagrad(node: Node) -> list[SSAValue]:
    decay, epsilon = node.real("decay_factor"), node.real("epsilon")
    norm, rate, steps = node.real("norm_coefficient"), *_rate(node)
    rate = rate / (steps.cast(np.float64) * decay + 1)

    def step(x: Expression, g: Expression, h: Expression) -> tuple[Expression, ...]:
        g = norm * x + g
        new = h + g * g
        return x - rate.cast(x.dtype) * g / (new.sqrt() + epsilon), new

    return _each(node, 3, step)


@onnx_op("Adam", domains=[DOMAIN])
def adam(node: Node) -> list[SSAValue]:
    alpha, beta, epsilon = (node.real(name) for name in ("alpha", "beta", "epsilon"))
    norm, after = node.real("norm_coefficient"), node.real("norm_coefficient_post")
    rate, steps = _rate(node)
    number = steps.cast(np.float64)
    adjusted = rate * (1 - beta**number).sqrt() / (1 - alpha**number)
    rate = (steps > 0).choose(adjusted, rate)

    def step(
        x: Expression, g: Expression, v: Expression, h: Expression
    ) -> tuple[Expression, ...]:
        g = norm * x + g
        new_v = alpha * v + (1 - alpha) * g
        new_h = beta * h + (1 - beta) * (g * g)
        moved = x - rate.cast(x.dtype) * (new_v / (new_h.sqrt() + epsilon))
        return (1 - after) * moved, new_v, new_h

    return _each(node, 4, step)


def _rate(node: Node) -> tuple[Expression, Expression]:
    """Return the learning rate, in f64, and the number of steps so far."""
    return input_of(node, 0).cast(np.float64), input_of(node, 1)
