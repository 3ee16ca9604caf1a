"""The activations of recurrent ops, by name, and the directions they are given for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import activation, unary
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
    "tanh": unary.TanhOp,
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
    def defaults_of(name: str) -> dict[str, float]:
        """Return the parameters of activation `name` where none are given."""
        op = ACTIVATIONS[name]
        return {"alpha": 0.0, "beta": 0.0} if op is None else op.defaults()

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that the activation has."""
        return {name: getattr(self, name) for name in self.defaults_of(self.name)}

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
    p: Mapping[str, Any], default: Sequence[str]
) -> list[tuple[Activation, ...]]:
    """Return the activations of each direction of an op with parameters `p`."""
    count, size = len(directions_of(p["direction"])), len(default)
    names = tuple(p["activations"] or tuple(default) * count)
    chosen: list[Activation] = []
    for i, name in enumerate(names):
        values = Activation.defaults_of(name)
        given = {"alpha": p["alphas"], "beta": p["betas"]}
        values |= {n: v[i] for n, v in given.items() if v and n in values}
        chosen.append(Activation(name, **values))
    return [tuple(chosen[d * size : (d + 1) * size]) for d in range(count)]


def check_activations(p: Mapping[str, Any], default: Sequence[str]) -> None:
    """Raise unless there is an activation, and its parameters, for each place."""
    count = len(default) * len(directions_of(p["direction"]))
    for name in p["activations"] or ():
        if name not in ACTIVATIONS:
            raise VerifyException(
                f'expected an activation out of {", ".join(ACTIVATIONS)}, got "{name}"'
            )
    for slot in ("activations", "alphas", "betas"):
        if p[slot] is not None and len(p[slot]) != count:
            raise VerifyException(f"expected {count} {slot}, got {len(p[slot])}")
