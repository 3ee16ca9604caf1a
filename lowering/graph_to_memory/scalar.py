"""Regions of scalar ops, and what a graph op does to one element."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

from xdsl.dialects.arith import Arith
from xdsl.dialects.math import Math
from xdsl.ir import Attribute, Block, Operation, Region

from glow.codegen.functions import function
from glow.codegen.values import Value
from glow.codegen.writer import Writer, writing_to
from glow.dialects.graph.declaration import ElementwiseOp, Functions
from glow.dialects.memory.elementwise import YieldOp
from glow.lowering.graph_to_memory import scalar_functions
from glow.support.types import signless

_FUNCTIONS: Functions = scalar_functions
_OPS = {op.name: op for op in (*Arith.operations, *Math.operations)}


class ScalarRegion:
    """The region of a memory op, under construction."""

    def __init__(self) -> None:
        self._block = Block()
        self._writer = Writer(self._block)

    def writing(self) -> AbstractContextManager[Writer]:
        """Let values append to the region in a `with` block."""
        return writing_to(self._writer)

    def argument(self, element: Attribute) -> Value:
        """Append an argument that stands for one `element`."""
        block = self._block
        return Value.of(block.insert_arg(signless(element), len(block.args)), element)

    def finish(self, *results: Value) -> Region:
        """End the region with its results."""
        self._block.add_op(YieldOp([value.ssa for value in results]))
        return Region(self._block)


def has_rule(op: Operation) -> bool:
    """Return whether `op` says what it does to one element."""
    return isinstance(op, ElementwiseOp) and hasattr(op, "rule")


def element_of_result(
    op: type[ElementwiseOp], slots: Sequence[Value | None], parameters: dict[str, Any]
) -> Value:
    """Compute `op` on one element of each operand, None where absent."""
    rule: object = op.rule
    if isinstance(rule, str):
        return function(_OPS[rule], *(slot for slot in slots if slot is not None))
    return cast(Value, op.rule(_FUNCTIONS, *slots, **parameters))
