"""Operators that others define, by the model or by ONNX, and bodies such as Loop's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TypeProto
from xdsl.ir import SSAValue

from glow.formats.onnx.records import (
    DEFAULT_DOMAIN,
    NodeRecord,
    check_distinct,
    domain_of,
    graphs_of,
    metadata_of,
    opsets_of,
    ordered,
    record_of,
    text_of,
)
from glow.formats.onnx.schemas import Schema
from glow.formats.onnx.tensors import Weights, weights_of
from glow.support.errors import InvalidModelError

FUNCTIONS = "glow.functions"
"""The domain of functions that stay whole: those of a module, such as composites."""
COMPOSITE = "glow.composite"
"""The metadata of a function with the name of the composite that it is."""

Key = tuple[str, str, str]

MAX_DEPTH = 32
MAX_NODES = 1 << 20


@dataclass(frozen=True)
class Body:
    """
    Nodes with formal inputs and outputs, of a function or in an attribute.

    A function has `defaults` of its attributes, and metadata. A graph has weights of
    its own, and sees names around it.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: Sequence[NodeRecord]
    weights: Weights = field(default_factory=lambda: {})
    defaults: Mapping[str, AttributeProto] = field(default_factory=lambda: {})
    metadata: Mapping[str, str] = field(default_factory=lambda: {})

    def check_outputs(self, owner: str, given: Collection[str] = ()) -> None:
        """Raise unless `given` or the body have a value for each output."""
        known = {*self.inputs, *self.weights, *given}
        known |= {name for node in self.nodes for name in node.outputs}
        for name in self.outputs:
            if name not in known:
                raise InvalidModelError(f'nothing makes output "{name}" of {owner}')

    def called(self, call: NodeRecord) -> list[NodeRecord]:
        """Return the nodes with the attributes that `call` gives them."""
        if len(call.inputs) > len(self.inputs) or len(call.outputs) > len(self.outputs):
            raise InvalidModelError(
                f"{call.label} has {len(call.inputs)} inputs and {len(call.outputs)} "
                f"outputs, expected at most {len(self.inputs)} and {len(self.outputs)}"
            )
        values = {**self.defaults, **call.attributes}
        bound = (_bound(node.attributes, values) for node in self.nodes)
        nodes = zip(self.nodes, bound, strict=True)
        return [replace(node, attributes=attributes) for node, attributes in nodes]


def _bound(
    attributes: Mapping[str, AttributeProto], values: Mapping[str, AttributeProto]
) -> dict[str, AttributeProto]:
    """Replace references to the function's attributes by their values, if any."""
    bound: dict[str, AttributeProto] = {}
    for name, attribute in attributes.items():
        if graphs_of(attribute):
            bound[name] = _with_bound_bodies(attribute, values)
        elif not attribute.ref_attr_name:
            bound[name] = attribute
        elif attribute.ref_attr_name in values:
            value = AttributeProto()
            value.CopyFrom(values[attribute.ref_attr_name])
            value.name = name
            bound[name] = value
    return bound


def _with_bound_bodies(
    attribute: AttributeProto, values: Mapping[str, AttributeProto]
) -> AttributeProto:
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    for node in (node for graph in graphs_of(copy) for node in graph.node):
        bound = _bound({each.name: each for each in node.attribute}, values)
        kept = [
            AttributeProto.FromString(b.SerializeToString()) for b in bound.values()
        ]
        del node.attribute[:]
        node.attribute.extend(kept)
    return copy


def function_of(proto: FunctionProto, opsets: Mapping[str, int]) -> Body:
    """Read a function; `opsets` hold for domains that it does not import."""
    name = text_of(proto.name, "a function name")
    own = {**opsets, **opsets_of(proto.opset_import)}
    inputs = tuple(text_of(n, f"an input of function {name}") for n in proto.input)
    outputs = tuple(text_of(n, f"an output of function {name}") for n in proto.output)
    if len(set(inputs)) < len(inputs):
        raise InvalidModelError(f'function "{name}" has two inputs of one name')
    nodes = ordered([record_of(node, own) for node in proto.node], inputs)
    defaults = {attribute.name: attribute for attribute in proto.attribute_proto}
    metadata = metadata_of(proto)
    return Body(inputs, outputs, nodes, defaults=defaults, metadata=metadata)


def functions_of(
    protos: Sequence[FunctionProto], opsets: Mapping[str, int]
) -> dict[Key, Body]:
    """Return the functions of a model by domain, name and overload."""
    functions: dict[Key, Body] = {}
    for proto in protos:
        name = text_of(proto.name, "a function name")
        key = (domain_of(proto.domain), name, text_of(proto.overload, "an overload"))
        if key in functions:
            raise InvalidModelError(f'the model has two functions "{name}"')
        functions[key] = function_of(proto, opsets)
        functions[key].check_outputs(f'"{name}"')
    return functions


def too_large() -> InvalidModelError:
    """Return the error for functions that expand to too much."""
    return InvalidModelError(
        f"functions of the model nest deeper than {MAX_DEPTH} levels "
        f"or expand to more than {MAX_NODES} nodes"
    )


def check_expansion(nodes: Sequence[NodeRecord], functions: Mapping[Key, Body]) -> None:
    """
    Refuse `nodes` that call too much, before any is imported.

    Nodes in attributes do not count: which of them are imported is not known yet.
    """
    sizes: dict[Key, tuple[int, int]] = {}

    def size_of(nodes: Sequence[NodeRecord], depth: int) -> tuple[int, int]:
        """Return how many nodes there will be, and how deep calls nest in them."""
        count, height = len(nodes), 0
        for key in (node.key for node in nodes if node.key in functions):
            if key not in sizes:
                if depth == MAX_DEPTH:
                    raise too_large()
                sizes[key] = size_of(functions[key].nodes, depth + 1)
            inner, levels = sizes[key]
            count, height = count + inner, max(height, levels + 1)
            if count > MAX_NODES or depth + height > MAX_DEPTH:
                raise too_large()
        return count, height

    size_of(nodes, 0)


def definition_of(
    record: NodeRecord, schema: Schema, types: Iterable[TypeProto]
) -> Body:
    """Return ONNX's definition of an operator by others, or raise what onnx raises."""
    raw = schema.raw
    assert record.opset is not None
    if raw.has_function:
        version = _version(raw.function_opset_versions, record.opset)
        data = raw.get_function_with_opset_version(version)
    else:
        version = _version(raw.context_dependent_function_opset_versions, record.opset)
        data = raw.get_context_dependent_function_with_opset_version(
            version,
            _node_of(record).SerializeToString(),
            [type_.SerializeToString() for type_ in types],
        )
    proto = FunctionProto.FromString(data)
    own = {DEFAULT_DOMAIN: version} if record.domain == DEFAULT_DOMAIN else {}
    function = function_of(proto, {**record.opsets, **own})
    defaults = {
        name: rule.default
        for name, rule in schema.attributes.items()
        if rule.default is not None
    }
    return replace(function, defaults=defaults)


def _version(versions: Sequence[int], opset: int) -> int:
    """Return the newest version of a body that `opset` has, or else the oldest."""
    return max((v for v in versions if v <= opset), default=min(versions))


def _node_of(record: NodeRecord) -> NodeProto:
    return NodeProto(
        op_type=record.op_type,
        domain=record.domain,
        name=record.name,
        input=record.inputs,
        output=record.outputs,
        attribute=record.attributes.values(),
    )


RunBody = Callable[[Sequence[SSAValue | None]], list[SSAValue | None]]
"""Imports a body once more for these values of its inputs; returns its outputs."""


def body_of(
    graph: GraphProto,
    opsets: Mapping[str, int],
    around: Collection[str],
    folder: Path | None,
) -> Body:
    """Read `graph`, whose nodes may read the names `around` it."""
    weights = weights_of(graph, (), folder, {})
    inputs = tuple(text_of(info.name, "an input name") for info in graph.input)
    check_distinct(inputs, "inputs")
    outputs = tuple(text_of(info.name, "an output name") for info in graph.output)
    given = [*around, *inputs, *weights]
    nodes = ordered([record_of(node, opsets) for node in graph.node], given)
    body = Body(inputs, outputs, nodes, weights)
    body.check_outputs("a body", around)
    return body
