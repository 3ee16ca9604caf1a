"""Bodies of nodes: graphs in an attribute, as of Loop and If."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnx import GraphProto
from xdsl.ir import SSAValue

from glow.importers.onnx.ordering import ordered
from glow.importers.onnx.records import Record, record_of, text_of
from glow.importers.onnx.weights import Weights, check_distinct
from glow.support.errors import InvalidModelError

Values = Sequence[SSAValue | None]
RunBody = Callable[[Values], list[SSAValue | None]]
"""Imports a body once more for these values of its inputs; returns its outputs."""


@dataclass(frozen=True)
class Body:
    """A graph with inputs, outputs and weights of its own; it sees names around it."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: Weights
    nodes: Sequence[Record]


def body_of(
    graph: GraphProto,
    opsets: Mapping[str, int],
    around: Collection[str],
    folder: Path | None,
) -> Body:
    """Read `graph`, whose nodes may read the names `around` it."""
    weights = Weights(graph, (), folder, {})
    inputs = tuple(text_of(info.name, "an input name") for info in graph.input)
    check_distinct(inputs, "inputs")
    outputs = tuple(text_of(info.name, "an output name") for info in graph.output)
    given = [*around, *inputs, *weights]
    nodes = ordered([record_of(node, opsets) for node in graph.node], given)
    for name in outputs:
        if name not in given and not any(name in node.outputs for node in nodes):
            raise InvalidModelError(f'nothing makes output "{name}" of a body')
    return Body(inputs, outputs, weights, nodes)
