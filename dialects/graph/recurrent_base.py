"""Bases of recurrent ops: activations by name, parameters, slots and shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypedDict

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, i32
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import activation, unary
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import UnaryOp
from glow.dialects.graph.optional import NOTHING, Neutral, Neutrals
from glow.dialects.graph.parameters import check_word
from glow.support.arrays import Array
from glow.support.shapes import check_shape, same_element
from glow.support.types import FLOAT, element_of, shape_of, tensor

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
"""The op of each activation; two have none: alpha x + beta, alpha tanh(beta x)."""


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
    """
    Return the activations of each direction of an op with parameters `p`.

    Errors: an unknown activation; a number of them, or of their parameters, that is
    not the one of `default` for each direction.
    """
    count, size = len(directions_of(p["direction"])), len(default)
    for name in p["activations"] or ():
        check_word("activation", name, ACTIVATIONS)
    for slot in ("activations", "alphas", "betas"):
        if p[slot] is not None and len(p[slot]) != count * size:
            raise VerifyException(f"expected {count * size} {slot}, got {len(p[slot])}")
    chosen: list[Activation] = []
    for i, name in enumerate(p["activations"] or tuple(default) * count):
        values = Activation.defaults_of(name)
        given = {"alpha": p["alphas"], "beta": p["betas"]}
        values |= {n: v[i] for n, v in given.items() if v and n in values}
        chosen.append(Activation(name, **values))
    return [tuple(chosen[d * size : (d + 1) * size]) for d in range(count)]


def _shape_of(slot: str) -> Callable[[Any], Sequence[int]]:
    return lambda op: op.sizes.of_operands(op.GATES)[slot]


INITIAL = Neutral(0, _shape_of("initial_h"))
"""The value of an absent initial state."""

OPERANDS = (
    "$input `,` $weights `,` $recurrence (`bias` $bias^ `:` type($bias))?"
    " (`sequence_lens` $sequence_lens^ `:` type($sequence_lens))?"
    " (`initial_h` $initial_h^ `:` type($initial_h))?"
)
TYPES = (
    " attr-dict `:` type($input) `,` type($weights) `,` type($recurrence)"
    " (`y` type($y)^)? (`y_h` type($y_h)^)?"
)


class Walking(TypedDict, total=False):
    """The parameters that every recurrent op has for its walk along a sequence."""

    direction: Annotated[Direction, "forward"]
    layout: Annotated[int, 0]
    activations: Sequence[str] | None
    alphas: Sequence[float] | None
    betas: Sequence[float] | None
    clip: float | None
    with_y: Annotated[bool, True]
    with_y_h: Annotated[bool, True]


class RecurrentOp(GraphOp, elements=FLOAT):
    """
    The base class of cells that walk along a sequence.

    A subclass with more slots declares all of them, in order. It says how many gates it
    has, its default activations, and what a step does. Results may be absent, but not
    all of them.
    """

    GATES: ClassVar[int]
    ACTIVATIONS: ClassVar[tuple[str, ...]]
    RESULTS: ClassVar[tuple[str, ...]] = ("y", "y_h")

    assembly_format = OPERANDS + TYPES

    @staticmethod
    def neutrals() -> Neutrals:
        return {
            "bias": Neutral(NOTHING, _shape_of("bias")),
            "sequence_lens": Neutral(
                lambda op: op.sizes.steps,
                _shape_of("sequence_lens"),
                i32,
                text="the number of steps",
            ),
            "initial_h": INITIAL,
        }

    @property
    def sizes(self) -> RecurrentSizes:
        """The extents that operands and results have."""
        given = dict(zip(self.operand_names(), self.slots(), strict=True))
        return self.types(given, self.parameters())

    def activations_of(self, direction: int) -> tuple[Activation, ...]:
        """Return the activations of the first or second direction that is walked."""
        return resolved(self.parameters(), self.ACTIVATIONS)[direction]

    @classmethod
    def types(cls, given: Mapping[str, Any], p: dict[str, Any]) -> RecurrentSizes:
        """Return the sizes, after a check of every operand that is present."""
        resolved(p, cls.ACTIVATIONS)
        if p["layout"] not in (0, 1):
            raise VerifyException(f"expected layout 0 or 1, got {p['layout']}")
        values = [v for name, v in given.items() if name != "sequence_lens"]
        same_element(*values)
        input, recurrence = given["input"], given["recurrence"]
        assert input is not None
        assert recurrence is not None
        first, second, features = shape_of(input, 3)
        steps, batch = (second, first) if p["layout"] else (first, second)
        hidden = shape_of(recurrence, 3)[-1]
        walks = len(directions_of(p["direction"]))
        sizes = RecurrentSizes(steps, batch, features, walks, hidden, p["layout"])
        for name, shape in sizes.of_operands(cls.GATES).items():
            check_shape(name, given.get(name), shape)
        return sizes

    @classmethod
    def infer(
        cls, *slots: SSAValue | None, **parameters: Any
    ) -> tuple[AnyTensorType, ...]:
        given = dict(zip(cls.operand_names(), slots, strict=True))
        sizes, input = cls.types(given, parameters), slots[0]
        assert input is not None
        shapes = [sizes.of_sequence, *[sizes.of_state] * (len(cls.RESULTS) - 1)]
        return tuple(tensor(element_of(input), shape) for shape in shapes)


@dataclass(frozen=True)
class RecurrentSizes:
    """The extents of a recurrent op; `walks` are the directions."""

    steps: int
    batch: int
    features: int
    walks: int
    hidden: int
    layout: int

    @property
    def of_sequence(self) -> tuple[int, ...]:
        """The shape of the states of all steps."""
        if self.layout:
            return self.batch, self.steps, self.walks, self.hidden
        return self.steps, self.walks, self.batch, self.hidden

    @property
    def of_state(self) -> tuple[int, ...]:
        """The shape of the states of one step."""
        if self.layout:
            return self.batch, self.walks, self.hidden
        return self.walks, self.batch, self.hidden

    def of_operands(self, gates: int) -> dict[str, tuple[int, ...]]:
        """Return the shapes that operands must have, by slot."""
        rows = gates * self.hidden
        return {
            "weights": (self.walks, rows, self.features),
            "recurrence": (self.walks, rows, self.hidden),
            "bias": (self.walks, 2 * rows),
            "sequence_lens": (self.batch,),
            "initial_h": self.of_state,
            "initial_c": self.of_state,
            "peepholes": (self.walks, 3 * self.hidden),
        }
