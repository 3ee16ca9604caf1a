"""The same case in every version of its operator that takes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from onnx import defs, helper

from operators.case import Case

OLDEST = 7
NEWEST = 26  # that ONNX Runtime knows


@cache
def versions_of(op: str) -> list[int]:
    """Return the opsets from `OLDEST` to `NEWEST` that define `op` anew."""
    schemas = [
        schema
        for schema in defs.get_all_schemas_with_history()
        if schema.name == op and not schema.domain
    ]
    return sorted(
        {
            max(OLDEST, schema.since_version)
            for schema in schemas
            if schema.since_version <= NEWEST
        }
    )


def in_all_versions(cases: Iterable[Case]) -> list[Case]:
    """Return each case under every opset that accepts it, but for its own."""
    return [
        replace(case, opset=opset)
        for case in cases
        for opset in versions_of(case.op)
        if opset != case.opset and _accepts(case, opset)
    ]


def _accepts(case: Case, opset: int) -> bool:
    """Say whether inputs, outputs and attributes of `case` fit version `opset`."""
    schema = defs.get_schema(case.op, opset)
    if schema.deprecated or not set(case.attributes) <= set(schema.attributes):
        return False
    required = {n for n, a in schema.attributes.items() if a.required}
    if not required <= set(case.attributes):
        return False
    if not schema.min_input <= len(case.inputs) <= schema.max_input:
        return False
    if case.outputs > schema.max_output:
        return False
    return all(
        _is_optional(schema, index)
        if array is None
        else _type_of(array.dtype) in _types(schema, index)
        for index, array in enumerate(case.inputs)
    )


def _is_optional(schema: defs.OpSchema, index: int) -> bool:
    options = defs.OpSchema.FormalParameterOption
    return schema.inputs[index].option == options.Optional


def _types(schema: defs.OpSchema, index: int) -> set[str]:
    return set(schema.inputs[min(index, len(schema.inputs) - 1)].types)


def _type_of(dtype: object) -> str:
    number = helper.np_dtype_to_tensor_dtype(dtype)  # pyright: ignore
    return f"tensor({helper.tensor_dtype_to_string(number).split('.')[1].lower()})"
