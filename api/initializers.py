"""
Initializers of weights: descriptors that print, and make the same array anywhere.

    builder.linear(x, 10, init=initializers.he(seed=3))

An array depends on the descriptor, the name of the weight, its shape and its element
type, and on nothing else: not on the order in which weights are made, nor on the
process. Random numbers are those of NumPy's PCG64.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from glow.support.arrays import Array
from glow.support.dtypes import dtype_named

Distribution = Literal["normal", "uniform"]


@dataclass(frozen=True)
class Fans:
    """
    The fan-in and fan-out of a layer, which He and Glorot scale by.

    That is how many inputs a result depends on, and how many results on an input.
    """

    inputs: int
    outputs: int


@dataclass(frozen=True)
class Initializer:
    """The start values of a weight."""

    name: str
    parameters: tuple[tuple[str, float], ...]
    draw: Callable[[np.random.Generator, Sequence[int], Fans | None], Array]
    scales: bool = False
    """Whether it needs to know fans."""

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value!r}" for key, value in self.parameters)
        return f"{self.name}({given})"

    def text(self, fans: Fans | None) -> str:
        """Return the metadata stored with a weight: all that it was made from."""
        if fans is None or not self.scales:
            return str(self)
        return f"{str(self)[:-1]}, fan_in={fans.inputs}, fan_out={fans.outputs})"

    def array(
        self, name: str, shape: Sequence[int], dtype: Any, fans: Fans | None = None
    ) -> Array:
        """Return the start value of weight `name`; ValueError if fans are missing."""
        if self.scales and fans is None:
            raise ValueError(
                f'weight "{name}": expected the fans that {self.name} scales by, '
                "got none"
            )
        seed = hashlib.sha256(f"{self} of {name}".encode()).digest()
        rng = np.random.Generator(np.random.PCG64(int.from_bytes(seed, "little")))
        try:
            drawn = self.draw(rng, tuple(shape), fans)
        except (ValueError, TypeError) as error:
            raise ValueError(f'weight "{name}": {self}: {error}') from None
        return drawn.astype(dtype_named(dtype))


def constant(value: float) -> Initializer:
    """Return the initializer of weights that are `value` everywhere."""
    given = (("value", value),)
    return Initializer("constant", given, lambda _, shape, __: np.full(shape, value))


def zeros() -> Initializer:
    """Return the initializer of weights that are 0."""
    return Initializer("zeros", (), lambda _, shape, __: np.zeros(shape))


def ones() -> Initializer:
    """Return the initializer of weights that are 1."""
    return Initializer("ones", (), lambda _, shape, __: np.ones(shape))


def uniform(low: float = -1.0, high: float = 1.0, seed: int = 0) -> Initializer:
    """Return the initializer of weights from `low` up to `high`, each as likely."""
    parameters = (("low", low), ("high", high), ("seed", seed))
    return Initializer(
        "uniform", parameters, lambda rng, shape, _: rng.uniform(low, high, shape)
    )


def normal(mean: float = 0.0, std: float = 1.0, seed: int = 0) -> Initializer:
    """Return the initializer of weights around `mean`, with a standard deviation."""
    parameters = (("mean", mean), ("std", std), ("seed", seed))
    return Initializer(
        "normal", parameters, lambda rng, shape, _: rng.normal(mean, std, shape)
    )


def he(seed: int = 0, distribution: Distribution = "normal") -> Initializer:
    """
    Return the initializer of weights with variance 2 / fan-in, for rectifiers.

    Source: He et al., Delving Deep into Rectifiers, 2015.
    """
    return _scaled("he", seed, distribution, lambda fans: 2 / fans.inputs)


def glorot(seed: int = 0, distribution: Distribution = "uniform") -> Initializer:
    """
    Return the initializer of weights with variance 2 / (fan-in + fan-out).

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward
    neural networks, 2010; also called after Xavier.
    """
    return _scaled(
        "glorot", seed, distribution, lambda fans: 2 / (fans.inputs + fans.outputs)
    )


def _scaled(
    name: str, seed: int, distribution: Distribution, variance: Callable[[Fans], float]
) -> Initializer:
    if distribution not in ("normal", "uniform"):
        raise ValueError(
            f"expected a distribution out of normal, uniform, got {distribution!r}"
        )

    def draw(
        rng: np.random.Generator, shape: Sequence[int], fans: Fans | None
    ) -> Array:
        assert fans is not None
        deviation = math.sqrt(variance(fans))
        if distribution == "normal":
            return rng.normal(0, deviation, shape)
        limit = math.sqrt(3) * deviation
        return rng.uniform(-limit, limit, shape)

    return Initializer(f"{name}_{distribution}", (("seed", seed),), draw, True)
