"""One node with its inputs, and many of them as one model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
)

Array = NDArray[Any]

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
I32, I64, BOOL = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.bool_)
FLOATS, INTS = (F32, F64), (I32, I64)
NUMBERS = FLOATS + INTS
NARROW = tuple(
    np.dtype(t) for t in ("i1", "i2", "u1", "u2", "u4", "u8")
)  # few others compute with all of these

OPSET = 17  # what cases use that do not care


@dataclass(frozen=True)
class Case:
    """
    An ONNX node with values for its inputs; None leaves one out.

    One of another domain has that in front of its name, and version 1.
    `constants` are the inputs that the model holds itself.
    """

    op: str
    inputs: tuple[Array | None, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    constants: frozenset[int] = frozenset()
    outputs: int = 1
    opset: int = OPSET

    def fed(self, index: int) -> bool:
        """Say whether input `index` is an input of the model."""
        return self.inputs[index] is not None and index not in self.constants

    def __str__(self) -> str:
        inputs = ", ".join(
            "-" if i is None else f"{i.dtype}{list(i.shape)}" for i in self.inputs
        )
        return f"{self.op}-{self.opset}({inputs}) {self.attributes}"


def case(
    op: str,
    *inputs: Array | None,
    constants: Sequence[int] = (),
    outputs: int = 1,
    opset: int = OPSET,
    **attributes: Any,
) -> Case:
    return Case(op, inputs, attributes, frozenset(constants), outputs, opset)


def draw(
    shape: Sequence[int],
    dtype: np.dtype[Any] = F32,
    low: float = -3,
    high: float = 3,
    seed: int = 0,
) -> Array:
    """Return random elements between `low` and `high`; booleans are fair coins."""
    rng = np.random.default_rng([seed, *shape])
    if dtype == BOOL:
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "u":
        return rng.integers(max(int(low), 0), int(high) + 1, shape).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(int(low), int(high) + 1, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def ints(*values: int) -> Array:
    """Return a list of 64-bit integers, as shapes and axes are given."""
    return np.array(values, I64)


def model_of(cases: Sequence[Case]) -> ModelProto:
    """Return one model with all `cases`, which share an opset; names by position."""
    (opset,) = {case.opset for case in cases}
    nodes: list[NodeProto] = []
    inputs: list[ValueInfoProto] = []
    outputs: list[ValueInfoProto] = []
    weights: list[TensorProto] = []
    domains: set[str] = set()
    for number, each in enumerate(cases):
        names = [f"x{number}_{k}" for k in range(len(each.inputs))]
        for k, array in enumerate(each.inputs):
            if array is None:
                names[k] = ""
            elif k in each.constants:
                weights.append(numpy_helper.from_array(array, names[k]))
            else:
                kind = helper.np_dtype_to_tensor_dtype(array.dtype)
                inputs.append(
                    helper.make_tensor_value_info(names[k], kind, array.shape)
                )
        results = [f"y{number}_{k}" for k in range(each.outputs)]
        domain, _, op = each.op.rpartition(".")
        node = helper.make_node(op, names, results, f"{op}{number}", **each.attributes)
        node.domain = domain
        nodes.append(node)
        domains.add(domain)
        outputs += [ValueInfoProto(name=result) for result in results]
    graph = helper.make_graph(nodes, "cases", inputs, outputs, weights)
    opsets = [helper.make_opsetid(defs.ONNX_DOMAIN, opset)]
    opsets += [helper.make_opsetid(domain, 1) for domain in sorted(domains - {""})]
    version = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    return helper.make_model(graph, ir_version=version, opset_imports=opsets)


def feeds_of(cases: Sequence[Case]) -> dict[str, Array]:
    """Return what `model_of(cases)` is run on."""
    return {
        f"x{number}_{k}": array
        for number, each in enumerate(cases)
        for k, array in enumerate(each.inputs)
        if array is not None and each.fed(k)
    }
