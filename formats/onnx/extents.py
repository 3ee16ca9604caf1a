"""Dims that a model computes in a run, from the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from glow.formats.onnx.tensors import proto_of
from glow.support.dimensions import Dims
from glow.support.names import Names


def product_of(names: Sequence[str], extents: Dims) -> int:
    """Return the product of some dimensions."""
    return prod(extents[name] for name in names)


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of different dimensions, divided by a number."""

    terms: tuple[tuple[tuple[str, ...], int], ...]
    """The dimensions of each product, and its factor."""
    divisor: int = 1

    def __str__(self) -> str:
        """Return it as it stands in names of dimensions, such as `(n + 1)/2`."""
        shown: list[str] = []
        for names, factor in self.terms:
            factors = [str(factor)] * (factor != 1 or not names)
            shown.append("*".join([*factors, *names]))
        text = " + ".join(reversed(shown)).replace("+ -", "- ")
        return text if self.divisor == 1 else f"({text})/{self.divisor}"

    def value(self, extents: Dims) -> Fraction:
        parts = (factor * product_of(names, extents) for names, factor in self.terms)
        return Fraction(sum(parts), self.divisor)


class ExtentWriter:
    """Writes nodes that compute polynomials; what is equal is computed once."""

    def __init__(self, names: Names, places: Mapping[int | str, tuple[str, int]]):
        """`places` maps each dimension to the input and axis whose extent it is."""
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._names, self._places = names, places
        self._known: dict[Any, str] = {}

    def sum(self, polynomial: Polynomial) -> str:
        """Return a vector of one element: a polynomial before it is divided."""
        total = ""
        for names, factor in polynomial.terms:
            term = "" if names and factor == 1 else self.constant([factor])
            for name in names:
                extent = self._extent(name)
                term = self.node("Mul", term, extent) if term else extent
            total = self.node("Add", total, term) if total else term
        return total or self.constant([0])

    def _extent(self, dim: str) -> str:
        name, axis = self._places[dim]
        shape = self.node("Shape", name)
        return self.node("Gather", shape, self.constant([axis]))

    def constant(self, values: Sequence[int], dtype: int = TensorProto.INT64) -> str:
        key = dtype, *values
        if key not in self._known:
            name = self._known[key] = self._names.fresh("extent")
            array = np.array(values, helper.tensor_dtype_to_np_dtype(dtype))
            self.constants.append(proto_of(array, name))
        return self._known[key]

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        """Return the output of a node, which is added unless there is an equal one."""
        key = op_type, *inputs, str(attributes)
        if key not in self._known:
            name = self._known[key] = self._names.fresh("extent")
            self.nodes.append(helper.make_node(op_type, inputs, [name], **attributes))
        return self._known[key]
