"""Nodes as plain values, checked once when they are read, and their order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

from glow.support.errors import InvalidModelError

DEFAULT_DOMAIN = ""
SOURCE = "glow.source"
"""The metadata of a node with the name of what it was made from, if not its own."""
MUST_END = "glow.must_end"
"""Metadata of a `Loop`: a run fails if the limit ends it."""
COUNTED = "glow.counted"
"""Metadata of a `Slice`: it cuts an output to the rows that count."""


def domain_of(name: object) -> str:
    """Return the one spelling of a domain that has two."""
    text = text_of(name, "a domain")
    return DEFAULT_DOMAIN if text == "ai.onnx" else text


def operator_name(domain: str, op_type: str) -> str:
    """Return how messages name an operator: with its domain, if that is not ONNX's."""
    return op_type if domain == DEFAULT_DOMAIN else f"{domain}.{op_type}"


def text_of(value: object, what: str) -> str:
    """Return `value`, which protobuf yields as bytes where it is not UTF-8."""
    if not isinstance(value, str):
        raise InvalidModelError(f"{what} is not UTF-8: {value!r}")
    return value


def check_distinct(names: Sequence[str], what: str) -> None:
    """Raise if two of `names`, which are of the graph's `what`, are the same."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidModelError(f'the graph has two {what} named "{name}"')
        seen.add(name)


@dataclass(frozen=True)
class NodeRecord:
    """One node: its names as text, its attributes by name, the opsets it counts by."""

    op_type: str
    domain: str
    overload: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeProto]
    opsets: Mapping[str, int] = field(repr=False)
    captured: tuple[str, ...] = ()
    """Names of the surrounding graph that its bodies read."""
    metadata: Mapping[str, str] = field(default_factory=lambda: {}, repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """The names that it needs a value of; "" stands for an absent input."""
        return (*self.inputs, *self.captured)

    @property
    def opset(self) -> int | None:
        """The version of the node's domain, or None where it is not imported."""
        return self.opsets.get(self.domain)

    @property
    def operator(self) -> str:
        """The operator with its domain, as messages name it."""
        return operator_name(self.domain, self.op_type)

    @property
    def key(self) -> tuple[str, str, str]:
        """The key of a function that it calls: domain, name and overload."""
        return self.domain, self.op_type, self.overload

    @property
    def source(self) -> str:
        """The name that locations of its ops have: its own, or operator and output."""
        if SOURCE in self.metadata:
            return self.metadata[SOURCE]
        output = next((name for name in self.outputs if name), "")
        return self.name or f"{self.op_type}:{output}"

    @property
    def label(self) -> str:
        """The node as messages name it."""
        return f'node "{self.source}" ({self.operator}, opset {self.opset})'


def record_of(node: NodeProto, opsets: Mapping[str, int]) -> NodeRecord:
    """Read `node`, refusing names that are not text and repeated attributes."""
    attributes: dict[str, AttributeProto] = {}
    for attribute in node.attribute:
        name = text_of(attribute.name, "an attribute name")
        if name in attributes:
            raise InvalidModelError(
                f'node "{node.name}" ({node.op_type}) has attribute {name} twice'
            )
        attributes[name] = attribute
    return NodeRecord(
        op_type=text_of(node.op_type, "an operator name"),
        domain=domain_of(node.domain),
        overload=text_of(node.overload, "an overload name"),
        name=text_of(node.name, "a node name"),
        inputs=tuple(text_of(name, "an input name") for name in node.input),
        outputs=tuple(text_of(name, "an output name") for name in node.output),
        attributes=attributes,
        opsets=opsets,
        captured=tuple(sorted(_captured(node))),
        metadata=metadata_of(node),
    )


def metadata_of(proto: NodeProto | FunctionProto) -> dict[str, str]:
    """Return the metadata of a node or function."""
    entries = proto.metadata_props
    return {
        text_of(each.key, "a key"): text_of(each.value, "metadata") for each in entries
    }


def graphs_of(attribute: AttributeProto) -> list[GraphProto]:
    """Return the bodies that an attribute holds."""
    if attribute.type == AttributeProto.GRAPH:
        return [attribute.g]
    return list(attribute.graphs) if attribute.type == AttributeProto.GRAPHS else []


def _captured(node: NodeProto) -> set[str]:
    """Return the names that bodies of `node` read and do not make."""
    names: set[str] = set()
    for graph in (each for a in node.attribute for each in graphs_of(a)):
        own = {each.name for each in (*graph.input, *graph.initializer)}
        own |= {tensor.values.name for tensor in graph.sparse_initializer}
        own |= {name for each in graph.node for name in each.output}
        read = {info.name for info in graph.output}
        for each in graph.node:
            read |= {*each.input, *_captured(each)}
        names |= read - own
    return {text_of(name, "an input name") for name in names - {""}}


def opsets_of(imports: Iterable[Any]) -> dict[str, int]:
    """Return the version of each domain in a list of opset imports."""
    opsets: dict[str, int] = {}
    for entry in imports:
        domain = domain_of(entry.domain)
        if opsets.setdefault(domain, entry.version) != entry.version:
            raise InvalidModelError(
                f'domain "{domain or "ai.onnx"}" is imported in versions '
                f"{opsets[domain]} and {entry.version}"
            )
    return opsets


def ordered(nodes: Sequence[NodeRecord], given: Iterable[str]) -> list[NodeRecord]:
    """Return `nodes` in an order that works, the one they have if it does."""
    maker = _makers(nodes, set(given))
    sorter = TopologicalSorter[int]()
    for index, node in enumerate(nodes):
        sorter.add(index)
        for name in filter(None, node.reads):
            if name not in maker:
                wrong = f'{node.label} reads "{name}", which nothing makes'
                raise InvalidModelError(wrong)
            source = maker[name]
            if source is not None:
                sorter.add(index, source)
    try:
        sorter.prepare()
    except CycleError as error:
        path: list[int] = error.args[1]
        cycle = [nodes[index].source for index in path[:-1]]
        shown = [*cycle[:5], "..."] if len(cycle) > 5 else cycle
        names = " -> ".join(f'"{name}"' for name in [*shown, cycle[0]])
        raise InvalidModelError(f"the graph has a cycle: {names}") from None
    ready = list(sorter.get_ready())
    heapq.heapify(ready)
    order: list[NodeRecord] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(nodes[index])
        sorter.done(index)
        for reader in sorter.get_ready():
            heapq.heappush(ready, reader)
    return order


def _makers(nodes: Sequence[NodeRecord], given: set[str]) -> dict[str, int | None]:
    """Map each name to the node that makes it; None for what is given."""
    maker: dict[str, int | None] = dict.fromkeys(given)
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in maker:
                raise InvalidModelError(f'{node.label} makes "{name}" a second time')
            maker[name] = index
    return maker
