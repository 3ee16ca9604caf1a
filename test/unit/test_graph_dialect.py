"""What every op of the graph dialect has: an example, a source, one set of defaults."""

import re
from inspect import Parameter, getdoc, signature

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.base import GraphOp, from_attribute
from glow.registry import UNIVERSE

OPS = sorted(UNIVERSE.all_dialects["graph"]().operations, key=lambda op: op.name)
GRAPH_OPS = [op for op in OPS if issubclass(op, GraphOp)]

onnx = pytest.importorskip("onnx")


class ExampleParser(Parser):
    """A parser that defines the values that an example only uses."""

    def resolve_operand(self, operand: UnresolvedOperand, type_: object) -> SSAValue:
        if operand.operand_name not in self.ssa_values:
            self.ssa_values[operand.operand_name] = (create_ssa_value(type_),)
        return super().resolve_operand(operand, type_)


def example_of(op: type[Operation]) -> str:
    (text,) = re.findall(r"```mlir\n(.*?)```", getdoc(op) or "", re.DOTALL)
    return text


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_example_parses_and_verifies(op: type[Operation]) -> None:
    context = Context()
    for dialect in (Builtin, Func):
        context.load_dialect(dialect)
    for name, load in UNIVERSE.all_dialects.items():
        context.register_dialect(name, load)
    module = ExampleParser(context, example_of(op)).parse_module()
    for found in module.ops:
        found.verify()
    assert op.name in {found.name for found in module.walk()}


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_docstring_says_shapes_and_source(op: type[GraphOp]) -> None:
    text = getdoc(op) or ""
    assert "Shapes: " in text
    assert "Source: " in text


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_source_exists(op: type[GraphOp]) -> None:
    for name, version in re.findall(r"ONNX (\w+)-(\d+)", getdoc(op) or ""):
        assert onnx.defs.get_schema(name, int(version)).since_version == int(version)


@pytest.mark.parametrize("op", GRAPH_OPS, ids=lambda op: op.name)
def test_defaults_stand_in_one_place(op: type[GraphOp]) -> None:
    """`compute` has the default of each property, unless it is a flag."""
    definition = op.get_irdl_definition()
    if not definition.accessor_names:
        return
    parameters = signature(op.compute).parameters
    for name, (stored, _) in definition.accessor_names.items():
        default = definition.properties[stored].default_value
        written = parameters[name].default
        if default is not None:
            assert written is not Parameter.empty, name
            built = from_attribute(default)
            assert built == written
