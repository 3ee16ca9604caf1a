"""A random model while it grows: nodes, weights, and what is known of each value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

Shape = tuple[int, ...]
Draw = Callable[[Any], Any]
Array = NDArray[Any]

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
I32, I64, BOOL = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.bool_)

LARGEST = 4096
"""The most elements that a value may have."""


@dataclass(frozen=True)
class Value:
    """
    What a name stands for.

    `exact` says that every target must compute the same bits, so that comparisons and
    conversions to integers have one answer.
    """

    name: str
    shape: Shape
    dtype: np.dtype[Any] = F32
    exact: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        return self.dtype.kind == "f"

    @property
    def is_image(self) -> bool:
        return self.dtype == F32 and self.rank in (3, 4, 5)

    def info(self) -> ValueInfoProto:
        kind = helper.np_dtype_to_tensor_dtype(self.dtype)
        return helper.make_tensor_value_info(self.name, kind, self.shape)


class Network:
    """Nodes in order; every value that a node gives can be an operand of later ones."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.rng = np.random.default_rng(draw(st.integers(0, 2**16)))
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self.values: dict[str, Value] = {}

    # Choices

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def choose(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def flip(self) -> bool:
        return self.draw(st.booleans())

    def pick(self, condition: Callable[[Value], bool]) -> Value | None:
        """Return a value that fits, or None where there is none."""
        fitting = [v for v in self.values.values() if condition(v)]
        return self.choose(fitting) if fitting else None

    # Growth

    def add(self, value: Value) -> None:
        self.values[value.name] = value

    def constant(self, array: Array) -> str:
        """Return the name of a weight that holds `array`."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape: int, dtype: np.dtype[Any] = F32) -> str:
        """Return a random weight: about half a unit large, integers none of them 0."""
        if dtype == BOOL:
            return self.constant(self.rng.integers(0, 2, shape).astype(BOOL))
        if dtype.kind == "i":
            signs = self.rng.choice([-1, 1], shape)
            found = signs * self.rng.integers(1, 10, shape)
            return self.constant(np.asarray(found, dtype))
        found = self.rng.standard_normal(shape) * 0.5
        return self.constant(np.asarray(found, dtype))

    def ints(self, *values: int) -> str:
        return self.constant(np.array(values, I64))

    def emit(
        self,
        kind: str,
        inputs: Sequence[str],
        *shapes: Shape,
        dtype: np.dtype[Any] = F32,
        exact: bool = False,
        **attributes: Any,
    ) -> list[Value]:
        """
        Append a node with a result per shape and return these.

        Nothing is appended, and nothing returned, if one would be too large.
        """
        if any(math.prod(shape) > LARGEST for shape in shapes):
            return []
        names = [f"v{len(self.values) + k}" for k in range(len(shapes))]
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, names, name, **attributes))
        found = [Value(*pair, dtype, exact) for pair in zip(names, shapes, strict=True)]
        for value in found:
            self.add(value)
        return found

    def like(
        self, kind: str, value: Value, *others: str, **attributes: Any
    ) -> list[Value]:
        """Append a node whose result is as exact as `value`, and of its type."""
        shape = attributes.pop("shape", value.shape)
        return self.emit(
            kind,
            [value.name, *others],
            shape,
            dtype=value.dtype,
            exact=value.exact,
            **attributes,
        )
