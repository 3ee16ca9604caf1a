"""One graph op with arrays for its operands, and where random ones come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.base import GraphOp
from glow.registry import UNIVERSE
from glow.support.dtypes import is_floating
from glow.support.types import element_type_of, tensor

Array = NDArray[Any]
Dtype = np.dtype[Any]

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
I32, I64, BOOL = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.bool_)
FLOATS, INDICES = (F32, F64), (I32, I64)
INTS = tuple(np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8))
NUMBERS = 3 * FLOATS + INTS  # a float is as likely as an integer
WIDE = tuple(dtype for dtype in NUMBERS if dtype.itemsize >= 4)
ALL = (*NUMBERS, BOOL, BOOL)

EXTENTS = (1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)
LARGEST = 3000
STRANGE = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 1e-310, 1e30, -1e30)


@dataclass(frozen=True)
class Call:
    """
    `op` on `slots`: an array each, None where an operand is absent, or a list of them.

    `sums` says that results are sums, so that errors are relative to the largest;
    `cancels` that they may be small differences of numbers of about 1.
    """

    op: type[GraphOp]
    slots: tuple[Array | list[Array] | None, ...]
    parameters: dict[str, Any] = field(default_factory=lambda: {})
    sums: bool = False
    cancels: bool = False

    @property
    def arrays(self) -> list[Array]:
        """The arrays in order, those of lists one by one."""
        found: list[Array] = []
        for slot in self.slots:
            found += slot if isinstance(slot, list) else []
            found += [slot] if isinstance(slot, np.ndarray) else []
        return found

    def build(self, values: Sequence[Any] | None = None) -> GraphOp:
        """Return the op on `values`, one for each array; on fresh ones if absent."""
        left = iter(values or [create_ssa_value(_type_of(a)) for a in self.arrays])
        slots: list[Any] = []
        for slot in self.slots:
            match slot:
                case None:
                    slots.append(None)
                case list():
                    slots.append([next(left) for _ in slot])
                case _:
                    slots.append(next(left))
        return self.op(*slots, **self.parameters)

    def with_floats(self, dtype: Dtype) -> Call:
        """Return this call with all floats rounded to `dtype`."""

        def rounded(slot: Array | list[Array] | None) -> Any:
            if isinstance(slot, list):
                return [rounded(each) for each in slot]
            if slot is None or not is_floating(slot.dtype):
                return slot
            with np.errstate(all="ignore"):
                return slot.astype(dtype, copy=False)

        return replace(self, slots=tuple(map(rounded, self.slots)))

    def expected(self) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):
            return self.build().evaluate(self.arrays)

    @property
    def has_meaning(self) -> bool:
        """Whether the op accepts these operands and no integer is divided by zero."""
        if not self.is_valid:
            return False
        try:
            self.expected()
        except ZeroDivisionError:
            return False
        return True

    @property
    def is_valid(self) -> bool:
        """Whether the op accepts these operands and results are of a fair size."""
        try:
            op = self.build()
            op.verify()
        except VerifyException:
            return False
        shapes = [result.type.get_shape() for result in op.results]  # pyright: ignore
        return all(math.prod(shape) <= 4 * LARGEST for shape in shapes)

    def __str__(self) -> str:
        operands = ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays)
        return f"{self.op.name}({operands}) {self.parameters}"


def _type_of(array: Array) -> Any:
    return tensor(element_type_of(array.dtype), array.shape)


def ops_of(base: type[GraphOp]) -> list[type[GraphOp]]:
    """Return the ops of the graph dialect that are of kind `base`."""
    operations = UNIVERSE.all_dialects["graph"]().operations
    return [op for op in operations if issubclass(op, base)]


class Source:
    """Random choices, shapes and arrays, the same for the same seed."""

    def __init__(self, *seed: int):
        self.rng = np.random.default_rng(seed)

    def integer(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def choose(self, options: Sequence[Any]) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def flip(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def shape(
        self, low: int = 0, high: int = 5, empty: float = 0.05
    ) -> tuple[int, ...]:
        """Return a shape of a rank in this range; some have no elements."""
        found = [self.choose(EXTENTS) for _ in range(self.integer(low, high))]
        while math.prod(found) > LARGEST:
            found[found.index(max(found))] = self.choose((1, 2, 3))
        if found and self.flip(empty):
            found[self.integer(0, len(found) - 1)] = 0
        return tuple(found)

    def broadcast(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return a shape that broadcasts to `shape`."""
        small = [1 if self.flip(0.3) else extent for extent in shape]
        return tuple(small[self.integer(0, len(shape)) if self.flip() else 0 :])

    def shapes(self, count: int) -> list[tuple[int, ...]]:
        """Return shapes that broadcast together."""
        whole = self.shape()
        return [self.broadcast(whole) for _ in range(count)]

    def array(
        self, shape: Sequence[int], dtype: Dtype, strange: float = 0.2, scale: float = 3
    ) -> Array:
        """
        Return elements of about `scale`.

        With the chance `strange` some are none of a kind: NaN, infinities, extremes.
        """
        if dtype == BOOL:
            return np.asarray(self.rng.integers(0, 2, shape), dtype)
        is_strange = self.flip(strange)
        if dtype.kind in "iu":
            low, odd = -9 * (dtype.kind == "i"), (0, 1, -1, 7, 8, 15, 31, 63, 64)
            found = np.asarray(self.rng.integers(low, 10, shape), dtype)
            odd = np.array([*odd, np.iinfo(np.int64).min]).astype(dtype)
            odd = [*odd, np.iinfo(dtype).min, np.iinfo(dtype).max]
        else:
            found = np.asarray(self.rng.normal(0, scale, shape), dtype)
            odd = STRANGE
        if is_strange and found.size:
            with np.errstate(all="ignore"):
                picks = np.asarray(self.rng.choice(np.array(odd), shape)).astype(dtype)
            found = np.where(self.rng.random(shape) < 0.3, picks, found)
        return np.asarray(found, dtype)

    def finite(self, shape: Sequence[int], dtype: Dtype, scale: float = 1) -> Array:
        return self.array(shape, dtype, 0, scale)
