"""Operators of nodes: their schemas in ONNX, and the functions that import them."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import FunctionProto, GraphProto, ModelProto

from glow.formats.onnx.nodes import GLOW
from glow.formats.onnx.problems import Problems, Unsupported
from glow.formats.onnx.records import NodeRecord, graphs_of, opsets_of, record_of
from glow.formats.onnx.registry import (
    NodeHandler,
    find_handler,
    handlers,
    has_handler,
)
from glow.formats.onnx.schemas import FOREIGN, Schema, find_schema
from glow.support.errors import InvalidModelError


def schema_of(record: NodeRecord) -> Schema:
    """
    Return ONNX's schema of the operator of a node, FOREIGN for one it does not define.

    Errors: Unsupported for an unknown operator; InvalidModelError for one
    that is no longer in ONNX, or of a domain that the model does not import.
    """
    if record.opset is None:
        raise InvalidModelError(
            f"{record.label}: the model does not import domain "
            f'"{record.domain or "ai.onnx"}"'
        )
    schema = find_schema(record.op_type, record.domain, record.opset)
    if schema is None:
        if find_handler(record.operator, record.opset) is None:
            raise Unsupported(f"operator {record.operator}-{record.opset}")
        return FOREIGN
    if schema.deprecated and not has_handler(record.operator, schema.since):
        raise InvalidModelError(f"{record.label}: the operator is no longer in ONNX")
    return schema


def lacking(record: NodeRecord, schema: Schema) -> Unsupported:
    """Return the error for an operator without handler and definition."""
    return Unsupported(f"operator {record.operator}-{schema.since}")


def handler_of(record: NodeRecord, schema: Schema) -> NodeHandler | None:
    """Return what imports a node; None where the definition of its operator does."""
    assert record.opset is not None
    handler, raw = find_handler(record.operator, record.opset), schema.raw
    if handler is None and not (raw.has_function or raw.has_context_dependent_function):
        raise lacking(record, schema)
    return handler


def check_operators(graph: GraphProto, model: ModelProto, problems: Problems) -> None:
    """
    Add the operators of `graph` and its bodies that the importer lacks to `problems`.

    It needs neither shapes nor values. Errors: InvalidModelError for operators that
    ONNX no longer has, or of a domain that the model does not import.
    """
    opsets = opsets_of(model.opset_import)
    functions = {(f.domain, f.name) for f in model.functions}
    for node in graph.node:
        if (node.domain, node.op_type) not in functions:
            record = record_of(node, opsets)
            try:
                handler_of(record, schema_of(record))
            except Unsupported as problem:
                problems.add(str(problem), record.label)
        for attribute in node.attribute:
            for body in graphs_of(attribute):
                check_operators(body, model, problems)


def other_functions(functions: Iterable[FunctionProto]) -> list[FunctionProto]:
    """Return functions of a model but for those that say what graph ops compute."""
    known = handlers()
    return [f for f in functions if f.domain != GLOW or f"{GLOW}.{f.name}" not in known]
