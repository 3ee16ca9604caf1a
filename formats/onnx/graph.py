"""Import the nodes of a graph one by one, and collect unsupported ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from onnx import TypeProto, helper
from xdsl.dialects.builtin import AnyTensorType, LocationAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph import control_flow as dialect
from glow.dialects.graph.control_flow import CallFunctionOp, Types
from glow.dialects.graph.storage import LoadOp
from glow.dialects.graph.tensors import Tensor
from glow.formats.onnx.element_types import onnx_type_of, text_of_type
from glow.formats.onnx.emitter import Emitter, hint_of
from glow.formats.onnx.functions import (
    COMPOSITE,
    FUNCTIONS,
    MAX_DEPTH,
    MAX_NODES,
    Body,
    Key,
    RunBody,
    body_of,
    check_expansion,
    definition_of,
    too_large,
)
from glow.formats.onnx.node import Node
from glow.formats.onnx.operators import handler_of, lacking, schema_of
from glow.formats.onnx.problems import Problems, Unsupported
from glow.formats.onnx.records import SOURCE, NodeRecord
from glow.formats.onnx.registry import NodeHandler, Outputs
from glow.formats.onnx.schemas import (
    FOREIGN,
    Schema,
    check_node,
    value_of,
)
from glow.support.errors import InvalidModelError, memory_for
from glow.support.locations import location_of
from glow.support.types import shape_of

MAX_REFUSALS = 16
"""The number of failed calls after which a function is not imported again."""

Environment = dict[str, SSAValue | None]  # None: of a node that cannot be imported


@dataclass
class GraphImporter:
    """
    Imports nodes in order; a node that reads what could not be imported is skipped.

    What is wrong with a node, and what is only unsupported, goes to `problems`. After
    the latter, the import goes on with the types that the model declares.
    Errors: InvalidModelError for functions that expand to too much.
    """

    emitter: Emitter
    problems: Problems
    functions: Mapping[Key, Body]
    declared: Mapping[str, AnyTensorType]
    folder: Path | None
    budget: int = MAX_NODES
    refused: Counter[Key] = field(default_factory=Counter[Key])
    """The failed calls of each function: more of them would report the same."""
    whole: dict[tuple[Key, Types], FuncOp] = field(default_factory=lambda: {})
    """Functions of the module, by what they are read from and types of inputs."""

    def run(
        self,
        nodes: Sequence[NodeRecord],
        values: Environment,
        outputs: Collection[str],
        within: LocationAttr | None = None,
        depth: int = 0,
    ) -> None:
        """
        Import `nodes`, which are ordered, adding what they make to `values`.

        A value that neither a node nor `outputs` reads may be missing. `within`, if
        given, is the location of all ops.
        """
        wanted = {name for node in nodes for name in node.reads}.union(outputs) - {""}
        self.budget -= len(nodes)
        if not depth:
            check_expansion(nodes, self.functions)
        if depth > MAX_DEPTH or self.budget < 0:
            self.budget = -1  # for the calls around
            raise too_large()
        for record in nodes:
            inputs = [values[name] if name else None for name in record.inputs]
            location = within or location_of(record.source)
            around = {name: values[name] for name in record.captured}
            place = _NodeContext(location, wanted, depth, around)
            try:
                made = self._import(record, inputs, place)
            except Unsupported as problem:
                unknown = problem.unknown_inputs
                self.problems.add(str(problem), record.label, unknown)
                made = self._stand_ins(record)
            except InvalidModelError as error:
                if self.budget < 0:
                    raise
                self.problems.add_invalid(error)
                made = [None] * len(record.outputs)
            values |= zip(record.outputs, made, strict=False)
            for name in record.outputs:
                if name in wanted and values.get(name) is None and not self.problems:
                    raise InvalidModelError(f'{record.label} does not make "{name}"')

    def _import(
        self, record: NodeRecord, inputs: list[SSAValue | None], place: _NodeContext
    ) -> Sequence[SSAValue | None]:
        function = self.functions.get(record.key)
        if function is not None:
            if self.problems and self.refused[record.key] >= MAX_REFUSALS:
                return self._stand_ins(record)
            is_whole = _stays_whole(function, record, inputs)
            call = self._call_whole if is_whole else self._call
            outputs = call(function, record, inputs, place)
            self.refused[record.key] += any(output is None for output in outputs)
            return outputs
        schema = schema_of(record)
        if schema is not FOREIGN:
            check_node(record, schema)
        handler = handler_of(record, schema)
        if any(n and v is None for n, v in zip(record.inputs, inputs, strict=True)):
            return self._stand_ins(record)
        if schema is not FOREIGN:
            _check_types(record, schema, inputs)
        if handler is not None:
            node = Node(
                record,
                schema,
                tuple(inputs),
                self.emitter,
                place.location,
                place.wanted,
                self.folder,
                lambda name: self._body(name, record, place),
                self.problems,
            )
            return self._handle(handler, node)
        try:
            definition = definition_of(record, schema, map(_type_proto, inputs))
        except (RuntimeError, ValueError, IndexError):
            raise lacking(record, schema) from None
        return self._call(definition, record, inputs, place)

    def _handle(self, handler: NodeHandler, node: Node) -> list[SSAValue | None]:
        """Run `handler`; whatever goes wrong in it is the model's fault."""
        record = node.record
        try:
            with memory_for(record.label):
                returned: Outputs = handler(node)
        except (InvalidModelError, VerifyException) as error:
            raise InvalidModelError(f"{record.label}: {error}") from None
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InvalidModelError(f"{record.label}: {error}") from error
        for name in node.unread():
            self.problems.add(f"attribute {name} of {record.operator}", record.label)
        results = [returned] if isinstance(returned, Tensor) else returned
        outputs = [None if each is None else each.value for each in results]
        rows = self.emitter.rows
        if rows and any(v.value in rows for v in node.given):
            unlike = [v for v in outputs if v is not None and v not in rows]
            if unlike:  # a shape, or what follows from one
                raise rows.refusal(record.operator, [v.value for v in node.given])
        if any(map(node.is_read, range(len(outputs), node.output_count))):
            raise Unsupported(f"{record.operator} with {node.output_count} outputs")
        for name, value in zip(record.outputs, outputs, strict=False):
            if value is not None and value.name_hint is None:
                value.name_hint = hint_of(name)
        return outputs

    def _call(
        self,
        function: Body,
        record: NodeRecord,
        inputs: list[SSAValue | None],
        place: _NodeContext,
    ) -> list[SSAValue | None]:
        values: Environment = dict.fromkeys(function.inputs)
        values.update(zip(function.inputs, inputs, strict=False))
        given = zip(function.inputs, record.inputs, strict=False)
        absent = {*function.inputs} - {own for own, name in given if name}
        nodes = [_without(node, absent) for node in function.called(record)]
        return self._run_at(place, nodes, values, function.outputs)

    def _call_whole(
        self,
        function: Body,
        record: NodeRecord,
        inputs: list[SSAValue | None],
        place: _NodeContext,
    ) -> Sequence[SSAValue | None]:
        """Call a function of the module, which is imported once for types of inputs."""
        given = [value for value in inputs if value is not None]
        types = tuple(value.type for value in given)
        made = self.whole.get((record.key, types))
        if made is None or made not in self.emitter.functions:  # taken back since
            made = self._outlined(function, record, types, place)
            if made is None:
                return self._stand_ins(record)
            self.whole[record.key, types] = made
        results = made.function_type.outputs.data
        op = CallFunctionOp(made.sym_name.data, given, results)
        op.location = place.location
        self.emitter.insert(op)
        return op.results

    def _outlined(
        self,
        function: Body,
        record: NodeRecord,
        types: Sequence[Attribute],
        place: _NodeContext,
    ) -> FuncOp | None:
        """Import a function as one of the module; None for one that is unsupported."""
        block = Block(arg_types=types)
        values: Environment = dict(zip(function.inputs, block.args, strict=True))
        with self.emitter.inside(block):
            self.run(function.nodes, values, function.outputs, None, place.depth + 1)
        results = [values[name] for name in function.outputs]
        present = [value for value in results if value is not None]
        if len(present) < len(results):
            return None
        source = function.metadata.get(SOURCE, record.source)
        location = location_of(source)
        made = self.emitter.outline(record.op_type, block, present, location).function
        if composite := function.metadata.get(COMPOSITE):
            made.attributes[dialect.COMPOSITE] = StringAttr(composite)
        return made

    def _run_at(
        self,
        place: _NodeContext,
        nodes: Sequence[NodeRecord],
        values: Environment,
        outputs: Sequence[str],
    ) -> list[SSAValue | None]:
        """Import the nodes of what is called at `place`; return its outputs."""
        self.run(nodes, values, outputs, place.location, place.depth + 1)
        return [values.get(name) for name in outputs]

    def _body(self, name: str, record: NodeRecord, place: _NodeContext) -> RunBody:
        """Return the importer of the body in attribute `name`."""
        graph = value_of(record.attributes[name])
        body = body_of(graph, record.opsets, place.around, self.folder)
        scope = dict(place.around)
        for each, read in body.weights.items():
            scope[each] = self.emitter.constant(read(), each, place.location)

        def run(arguments: Sequence[SSAValue | None]) -> list[SSAValue | None]:
            if len(arguments) != len(body.inputs):
                raise InvalidModelError(
                    f"{name} has {len(body.inputs)} inputs, expected {len(arguments)}"
                )
            values = scope | dict(zip(body.inputs, arguments, strict=True))
            return self._run_at(place, body.nodes, values, body.outputs)

        return run

    def _stand_ins(self, record: NodeRecord) -> list[SSAValue | None]:
        """Return values of the types that the model declares, to go on with."""
        types = [self.declared.get(name) for name in record.outputs]
        return [t and LoadOp("unsupported", t).result for t in types]


@dataclass(frozen=True)
class _NodeContext:
    """The place of a node: its location, values read from around it, its depth."""

    location: LocationAttr
    wanted: Collection[str]
    depth: int
    around: Environment
    """The values that its bodies see."""


def _stays_whole(
    function: Body, record: NodeRecord, inputs: Sequence[SSAValue | None]
) -> bool:
    """Return whether a call is of a function of the module, as exporting wrote it."""
    takes_all = len(inputs) == len(function.inputs) and None not in inputs
    return record.domain == FUNCTIONS and takes_all and not record.attributes


def _type_proto(value: SSAValue | None) -> TypeProto:
    if value is None:
        return TypeProto()
    return helper.make_tensor_type_proto(onnx_type_of(value), shape_of(value))


def _without(node: NodeRecord, absent: set[str]) -> NodeRecord:
    """Return `node` with the inputs that the call leaves out left out as well."""
    if not absent.intersection(node.inputs):
        return node
    inputs = tuple("" if name in absent else name for name in node.inputs)
    return replace(node, inputs=inputs)


def _check_types(
    record: NodeRecord, schema: Schema, inputs: Sequence[SSAValue | None]
) -> None:
    """Raise unless inputs have types that ONNX allows, equal where it says so."""
    bound: dict[str, str] = {}
    for index, value in enumerate(inputs):
        if value is None:
            continue
        parameter = schema.input(index)
        text = text_of_type(value)
        if text not in parameter.types:
            raise InvalidModelError(
                f"{record.label}: input {parameter.name} may not be a {text}"
            )
        if parameter.is_variadic and not parameter.is_homogeneous:
            continue
        if bound.setdefault(parameter.variable, text) != text:
            raise InvalidModelError(
                f"{record.label}: input {parameter.name} is a {text}, expected a "
                f"{bound[parameter.variable]} like the others"
            )
