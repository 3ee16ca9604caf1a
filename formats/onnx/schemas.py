"""Schemas of operators: attributes, inputs and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from onnx import AttributeProto, defs

from glow.formats.onnx.records import NodeRecord
from glow.support.errors import InvalidModelError

_OPTION = defs.OpSchema.FormalParameterOption


@dataclass(frozen=True)
class FormalParameter:
    """One input or output: ONNX's names of its types, and how often it may stand."""

    name: str
    types: frozenset[str]
    variable: str
    is_optional: bool
    is_variadic: bool
    is_homogeneous: bool


@dataclass(frozen=True)
class AttributeRule:
    """The type of an attribute, and its default as ONNX stores it."""

    type: int
    required: bool
    default: AttributeProto | None

    def is_default(self, value: object) -> bool:
        """Return whether a value is what the absence of the attribute stands for."""
        return self.default is not None and value == value_of(self.default)


@dataclass(frozen=True)
class Schema:
    """One version of an operator."""

    since: int
    deprecated: bool
    inputs: tuple[FormalParameter, ...]
    input_counts: tuple[int, int]
    output_counts: tuple[int, int]
    attributes: Mapping[str, AttributeRule]
    raw: Any

    def input(self, index: int) -> FormalParameter:
        """Return the parameter of input `index`; the last may be variadic."""
        return self.inputs[min(index, len(self.inputs) - 1)]


_ANY_COUNT = (0, 1 << 30)

FOREIGN = Schema(1, False, (), _ANY_COUNT, _ANY_COUNT, {}, None)
"""The schema of an operator that ONNX does not define: empty."""


@lru_cache(maxsize=4096)
def find_schema(op_type: str, domain: str, opset: int) -> Schema | None:
    """Return the schema of `op_type` in `opset`, or None if it has no such operator."""
    try:
        raw = defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        return None
    return Schema(
        since=raw.since_version,
        deprecated=raw.deprecated,
        inputs=tuple(
            FormalParameter(
                each.name,
                frozenset(each.types),
                each.type_str,
                each.option == _OPTION.Optional,
                each.option == _OPTION.Variadic,
                each.is_homogeneous,
            )
            for each in raw.inputs
        ),
        input_counts=(raw.min_input, raw.max_input),
        output_counts=(raw.min_output, raw.max_output),
        attributes={n: _rule_of(a) for n, a in raw.attributes.items()},
        raw=raw,
    )


def _rule_of(raw: Any) -> AttributeRule:
    default = raw.default_value if raw.default_value.type else None
    return AttributeRule(int(raw.type.value), raw.required, default)


def check_node(record: NodeRecord, schema: Schema) -> None:
    """Raise unless inputs, outputs and attributes of the node are as ONNX says."""
    _check_count(record, "inputs", len(record.inputs), schema.input_counts)
    _check_count(record, "outputs", len(record.outputs), schema.output_counts)
    for index, name in enumerate(record.inputs):
        parameter = schema.input(index)
        if not name and not (parameter.is_optional or parameter.is_variadic):
            raise InvalidModelError(f"{record.label} lacks its input {parameter.name}")
    for name, rule in schema.attributes.items():
        if rule.required and name not in record.attributes:
            raise InvalidModelError(f"{record.label} lacks its attribute {name}")
    for name, attribute in record.attributes.items():
        if name in schema.attributes:
            _check_attribute(record, attribute, schema.attributes[name])


def _check_count(
    record: NodeRecord, what: str, count: int, bounds: tuple[int, int]
) -> None:
    low, high = bounds
    if not low <= count <= high:
        several = f"at least {low}" if high > 1 << 20 else f"{low} to {high}"
        expected = f"{low}" if low == high else several
        message = f"{record.label} has {count} {what}, expected {expected}"
        raise InvalidModelError(message)


_SHORT = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g"} | {
    "TYPE_PROTO": "tp"
}
_VALUE_FIELDS: dict[int, str] = {
    number: _SHORT.get(name, name.lower())
    for name, number in AttributeProto.AttributeType.items()
    if number != AttributeProto.UNDEFINED
}


def _check_attribute(
    record: NodeRecord, attribute: AttributeProto, rule: AttributeRule
) -> None:
    """Raise unless the attribute has the type of its rule and no other value."""
    if attribute.type != rule.type:
        raise InvalidModelError(
            f"{record.label} has attribute {attribute.name} of type "
            f"{attribute_type(attribute.type)}, expected {attribute_type(rule.type)}"
        )
    present = {field.name for field, _ in attribute.ListFields()}
    others = present & set(_VALUE_FIELDS.values()) - {_VALUE_FIELDS[rule.type]}
    if others:
        raise InvalidModelError(
            f"{record.label} has attribute {attribute.name} of type "
            f"{attribute_type(rule.type)} with a value in field {min(others)}"
        )


def attribute_type(number: int) -> str:
    """Return ONNX's name of an attribute type, such as INTS."""
    names: dict[int, str] = {v: k for k, v in AttributeProto.AttributeType.items()}
    return names.get(number, f"number {number}")


def value_of(attribute: AttributeProto) -> Any:
    """Return the value as a Python value; tensors and graphs as they are."""
    match attribute.type:
        case AttributeProto.STRING:
            return _decode(attribute.s, attribute.name)
        case AttributeProto.STRINGS:
            return tuple(_decode(s, attribute.name) for s in attribute.strings)
        case AttributeProto.FLOATS | AttributeProto.INTS:
            return tuple(getattr(attribute, _VALUE_FIELDS[attribute.type]))
        case known if known in _VALUE_FIELDS:
            return getattr(attribute, _VALUE_FIELDS[known])
        case other:
            raise InvalidModelError(
                f"attribute {attribute.name} has type {attribute_type(other)}"
            )


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise InvalidModelError(f"attribute {name} is not UTF-8: {data!r}") from None
