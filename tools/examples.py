"""The example in the docstring of an op, and the op that it parses to."""

from __future__ import annotations

import re
from inspect import getdoc

from xdsl.ir import AttributeInvT, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.test_value import create_ssa_value

from glow.model import context


class ExampleParser(Parser):
    """A parser that defines the values that an example only uses."""

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        if operand.operand_name not in self.ssa_values:
            self.ssa_values[operand.operand_name] = (create_ssa_value(type),)
        return super().resolve_operand(operand, type)


def example_text(op: type[Operation]) -> str:
    """Return the one example in the docstring of `op`."""
    (text,) = re.findall(r"```mlir\n(.*?)```", getdoc(op) or "", re.DOTALL)
    return text


def example_of(op: type[Operation]) -> Operation:
    """Return the first `op` of its example, in a module that verifies."""
    module = ExampleParser(context(), example_text(op)).parse_module()
    for inner in module.ops:
        inner.verify()
    return next(inner for inner in module.walk() if isinstance(inner, op))
