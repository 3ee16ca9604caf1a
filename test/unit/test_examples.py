"""The example in the docstring of an op is that op, parses and verifies."""

import re
from inspect import getdoc

import pytest
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.test_value import create_ssa_value

from glow.model import context
from glow.registry import UNIVERSE

OPS = [op for load in UNIVERSE.all_dialects.values() for op in load().operations]


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
    module = ExampleParser(context(), example_of(op)).parse_module()
    for found in module.ops:
        found.verify()
    assert op.name in {found.name for found in module.walk()}
