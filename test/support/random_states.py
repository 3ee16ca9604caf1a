"""Random programs that load and save a few placeholders, as text and in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[Any]

SHAPE = (2, 6)
TENSOR = "tensor<2x6xf32>"
TURNED = "tensor<6x2xf32>"
PART = "tensor<2x2xf32>"
ORDER = (3, 0, 5, 1, 4, 2)
PERMUTATION = np.eye(6, dtype=np.float32)[list(ORDER)]


def _plain(name: str, count: int) -> str:
    operands = ", ".join("{}" for _ in range(count))
    types = ", ".join([TENSOR] * count)
    return f"%r = graph.{name} {operands} : ({types}) -> {TENSOR}"


def _scattered(into: Array, from_: Array, at: Array) -> Array:
    found = into.copy()
    for row, start in enumerate(at):
        found[row, (start + np.arange(2)) % 6] = from_[row, 1:3]
    return found


# Name: the lines of the op, with operands and %r for the result, and what it means.
OPS: dict[str, tuple[str, Callable[[Array, Array, Array], Array]]] = {
    "neg": (_plain("neg", 1), lambda a, b, at: -a),
    "max": (_plain("max", 2), lambda a, b, at: np.maximum(a, b)),
    "sub": (_plain("sub", 2), lambda a, b, at: a - b),
    "turned": (
        f"%r.t = graph.transpose {{}} {{{{permutation = array<i64: 1, 0>}}}}"
        f" : ({TENSOR}) -> {TURNED}\n"
        f"%r = graph.reshape %r.t {{{{shape = array<i64: 2, 6>}}}}"
        f" : ({TURNED}) -> {TENSOR}",
        lambda a, b, at: a.T.reshape(SHAPE),
    ),
    "joined": (
        f"%r.t = graph.slice {{}} {{{{starts = array<i64: 0, 1>,"
        f" sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>}}}}"
        f" : ({TENSOR}) -> tensor<2x4xf32>\n"
        f"%r.u = graph.slice {{}} {{{{starts = array<i64: 0, 0>,"
        f" sizes = array<i64: 2, 2>, steps = array<i64: 1, 3>}}}}"
        f" : ({TENSOR}) -> {PART}\n"
        f"%r = graph.concat %r.t, %r.u {{{{axis = 1 : i64}}}}"
        f" : (tensor<2x4xf32>, {PART}) -> {TENSOR}",
        lambda a, b, at: np.concatenate((a[:, 1:5], b[:, 0:4:3]), axis=1),
    ),
    "scattered": (
        f"%r.t = graph.slice {{1}} {{{{starts = array<i64: 0, 1>,"
        f" sizes = array<i64: 2, 2>, steps = array<i64: 1, 1>}}}}"
        f" : ({TENSOR}) -> {PART}\n"
        f"%r = graph.tensor_scatter {{0}}, %r.t at %at {{{{axis = 1 : i64,"
        f' mode = "circular"}}}} : ({TENSOR}, {PART}, tensor<2xi64>) -> {TENSOR}',
        _scattered,
    ),
    "product": (
        f"%r = graph.matmul {{}}, %w : ({TENSOR}, tensor<6x6xf32>) -> {TENSOR}",
        lambda a, b, at: a @ PERMUTATION,
    ),
}


@dataclass(frozen=True)
class Program:
    """
    What one run does to states, in numbers of values: the states, an input, results.

    `states` and `outputs` say which value each gets.
    """

    steps: tuple[tuple[str, int, int], ...]
    states: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def text(self) -> str:
        names = [f"s{i}" for i in range(len(self.states))]
        lines = [f'graph.placeholder @{name} "inout" : {TENSOR}' for name in names]
        lines += [f'graph.placeholder @x "in" : {TENSOR}']
        lines += ['graph.placeholder @at "in" : tensor<2xi64>']
        lines += [
            f'graph.placeholder @y{i} "out" : {TENSOR}'
            for i in range(len(self.outputs))
        ]
        lines += ["func.func @main() {"]
        values = [f"%{name}" for name in (*names, "x")]
        lines += [f"{v} = graph.load @{v[1:]} : {TENSOR}" for v in values]
        lines += ["%at = graph.load @at : tensor<2xi64>", f"%w = {_weights()}"]
        for number, (name, *operands) in enumerate(self.steps):
            first, second = (values[i % len(values)] for i in operands)
            template = OPS[name][0].replace("%r", f"%v{number}")
            lines.append(template.format(first, second))
            values.append(f"%v{number}")
        saved = {f"y{i}": v for i, v in enumerate(self.outputs)}
        saved |= dict(zip(names, self.states, strict=True))
        lines += [
            f"graph.save @{name}, {values[i % len(values)]} : {TENSOR}"
            for name, i in saved.items()
        ]
        return "\n".join([*lines, "func.return", "}"])

    def run(
        self, states: Sequence[Array], x: Array, at: Array
    ) -> tuple[list[Array], list[Array]]:
        """Return the states and outputs after a run."""
        values = [*states, x]
        for name, *operands in self.steps:
            first, second = (values[i % len(values)] for i in operands)
            values.append(OPS[name][1](first, second, at))
        return (
            [values[i % len(values)] for i in self.states],
            [values[i % len(values)] for i in self.outputs],
        )


def _weights() -> str:
    rows = ", ".join(str(row.tolist()) for row in PERMUTATION)
    return f"graph.literal dense<[{rows}]> : tensor<6x6xf32> : tensor<6x6xf32>"


_INDEX = st.integers(0, 99)


def programs() -> st.SearchStrategy[Program]:
    """Return programs of one to four states."""
    step = st.tuples(st.sampled_from(sorted(OPS)), _INDEX, _INDEX)
    return st.builds(
        Program,
        st.lists(step, max_size=8).map(tuple),
        st.lists(_INDEX, min_size=1, max_size=4).map(tuple),
        st.lists(_INDEX, min_size=1, max_size=3).map(tuple),
    )
