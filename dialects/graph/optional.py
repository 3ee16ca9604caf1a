"""Neutral values, which stand for optional operands that are absent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation, SSAValue

from glow.support.dtypes import limits_of
from glow.support.types import dtype_of, element_of

NOTHING = -0.0
"""
The neutral element of addition: -0.0 for floats, 0 for integers.

Adding 0.0 would turn -0.0 into 0.0.
"""

NeutralNumber = float | Literal["lowest", "highest"] | Callable[[Any], float]
"""A number, the lowest or highest finite one of the type, or what the op says."""

Outside = Callable[[Any, SSAValue, SSAValue], Sequence[Operation]]
"""
Ops that do to the result of an op what the operand left out would have done.

`outside(op, result, operand)`; the last op has the new result.
"""


Inside = Callable[[Any, SSAValue], Sequence[Operation]]
"""
Ops that do what an operand would have done, and then the op without it.

`inside(op, operand)`; the last op is the one without.
"""


@dataclass(frozen=True)
class Neutral:
    """
    The value of an absent operand: one number in every element.

    With an operand of `shape` and this number the op computes the same, bit for bit,
    as without. `shape` asks the op, and is None where it takes no such operand.
    """

    number: NeutralNumber
    shape: Callable[[Any], Sequence[int] | None]
    element: Attribute | None = None
    """The element type; None: that of the first operand."""
    outside: Outside | None = None
    """How to do without the operand where it is not a neutral one; None: not at all."""
    inside: Inside | None = None
    """The rewrite before the op, where none after it can replace the operand."""
    text: str = ""
    """A description of `number`, where it is a function."""

    def array(self, op: Any) -> NDArray[Any] | None:
        """Return the operand that changes nothing in `op`; its strides are 0."""
        shape = self.shape(op)
        if shape is None:
            return None
        return np.broadcast_to(self.element_for(op), tuple(shape))

    def element_for(self, op: Any) -> NDArray[Any]:
        """Return the number in the type that it has for `op`."""
        dtype = dtype_of(self.element or element_of(op.operands[0]))
        return np.asarray(self._number(op, dtype)).astype(dtype)

    def _number(self, op: Any, dtype: np.dtype[Any]) -> Any:
        if callable(self.number):
            return self.number(op)
        if not isinstance(self.number, str):
            return self.number
        if dtype == np.bool_:
            return self.number == "highest"
        limits = limits_of(dtype)
        return limits.min if self.number == "lowest" else limits.max

    def __str__(self) -> str:
        if isinstance(self.number, str):
            return f"the {self.number} finite number of its type"
        if callable(self.number):
            return self.text
        is_nothing = self.number == 0 and np.signbit(self.number)
        return "-0.0, of integers 0" if is_nothing else f"{self.number:g}"


Neutrals = Mapping[str, Neutral]
"""The neutral values of an op's optional operands, by slot."""
