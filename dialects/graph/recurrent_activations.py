"""The activations of recurrent ops, by name, and the directions they are given for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import activation, trigonometry
from glow.dialects.graph.base import Array
from glow.dialects.graph.elementwise import UnaryOp

Direction = Literal["forward", "reverse", "bidirectional"]

ACTIVATIONS: dict[str, type[UnaryOp] | None] = {
    "affine": None,
    "elu": activation.EluOp,
    "hard_sigmoid": activation.HardSigmoidOp,
    "leaky_relu": activation.LeakyReluOp,
    "relu": activation.ReluOp,
    "scaled_tanh": None,
    "sigmoid": activation.SigmoidOp,
    "softplus": activation.SoftplusOp,
    "softsign": activation.SoftsignOp,
    "tanh": trigonometry.TanhOp,
    "thresholded_relu": activation.ThresholdedReluOp,
}
"""The op that an activation is, by its name; two have none: lines, and tanh of one."""


@dataclass(frozen=True)
class Activation:
    """An activation with its parameters, those that it has."""

    name: str
    alpha: float = 0.0
    beta: float = 0.0

    @staticmethod
    def names_of_parameters(name: str) -> tuple[str, ...]:
        """Return which of alpha and beta activation `name` has."""
        op = ACTIVATIONS[name]
        if op is None:
            return ("alpha", "beta")
        return tuple(op.defaults())

    @staticmethod
    def defaults_of(name: str) -> dict[str, float]:
        """Return the parameters of activation `name` where none are given."""
        op = ACTIVATIONS[name]
        if op is None:
            return {"alpha": 0.0, "beta": 0.0}
        return op.defaults()

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that the activation has."""
        names = self.names_of_parameters(self.name)
        return {name: getattr(self, name) for name in names}

    def __call__(self, x: Array) -> Array:
        op = ACTIVATIONS[self.name]
        if op is not None:
            return np.asarray(op.compute(x, **self.parameters)).astype(x.dtype)
        if self.name == "affine":
            return (self.alpha * x + self.beta).astype(x.dtype)
        return (self.alpha * np.tanh(self.beta * x)).astype(x.dtype)


def directions_of(direction: str) -> tuple[bool, ...]:
    """Return, per direction that is walked, whether it goes from the end."""
    return {"forward": (False,), "reverse": (True,)}.get(direction, (False, True))


def resolved(
    activations: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    direction: str,
) -> list[tuple[Activation, ...]]:
    """Return the activations of each direction."""
    count = len(directions_of(direction))
    names = tuple(activations or tuple(default) * count)
    chosen: list[Activation] = []
    for i, name in enumerate(names):
        values = Activation.defaults_of(name)
        given = {"alpha": alphas, "beta": betas}
        values |= {n: v[i] for n, v in given.items() if v and n in values}
        chosen.append(Activation(name, **values))
    size = len(default)
    return [tuple(chosen[d * size : (d + 1) * size]) for d in range(count)]


def check_activations(
    activations: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    direction: str,
) -> None:
    """Raise unless there is an activation, and its parameters, for each place."""
    count = len(default) * len(directions_of(direction))
    for name in activations or ():
        if name not in ACTIVATIONS:
            raise VerifyException(
                f'expected an activation out of {", ".join(ACTIVATIONS)}, got "{name}"'
            )
    given = {"activations": activations, "alphas": alphas, "betas": betas}
    for slot, values in given.items():
        if values is not None and len(values) != count:
            raise VerifyException(f"expected {count} {slot}, got {len(values)}")
