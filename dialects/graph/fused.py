"""Groups: ops that one kernel will compute together."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    lazy_traits_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.storage import LiteralOp
from glow.support.arrays import Array
from glow.support.op_definition import define_op


@define_op
class YieldOp(IRDLOperation):
    """
    End of a group: its values are the group's results.

    Errors: a parent other than `graph.fused`.

    ```mlir
    %y = graph.fused(%x) {
    ^bb0(%0: tensor<2x3xf32>):
      graph.yield %0 : tensor<2x3xf32>
    } : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.yield"

    values = var_operand_def(TENSOR)

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(FusedOp), Pure()))

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


@define_op
class FusedOp(IRDLOperation):
    """
    The ops of its region as one unit of work, which becomes one kernel.

    The region sees nothing from outside: its arguments are the inputs, layouts
    included, and the operands of its `graph.yield` are the results.
    Errors: arguments or yielded values of other types than inputs or results, an op
    inside that is not a pure op of this dialect, a group that yields nothing.
    Source: Glow's stacked data-parallel instructions; made by `group-ops`.

    ```mlir
    %y = graph.fused(%x) {
    ^bb0(%0: tensor<2x3xf32>):
      %1 = graph.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
      graph.yield %1 : tensor<2x3xf32>
    } : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.fused"

    inputs = var_operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(Pure(), IsolatedFromAbove())

    assembly_format = (
        "`(` $inputs `)` $body attr-dict `:` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region,
    ):
        super().__init__(operands=[inputs], result_types=[result_types], regions=[body])

    @property
    def terminator(self) -> YieldOp:
        """The `graph.yield` at the end."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last

    def verify_(self) -> None:
        block = self.body.block
        if not isinstance(block.last_op, YieldOp):
            raise VerifyException("expected a region that ends in graph.yield")
        if not self.outputs:
            raise VerifyException("expected at least one result, got none")
        _check_types("arguments", block.args, self.inputs)
        _check_types("yielded values", block.last_op.values, self.outputs)
        for op in block.ops:
            if not isinstance(op, GraphOp | LiteralOp | YieldOp):
                raise VerifyException(
                    f"expected pure ops of the graph dialect inside, got {op.name}"
                )

    def evaluate(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """Return the results for `arrays`, one per input."""
        block = self.body.block
        values: dict[SSAValue, Array] = dict(zip(block.args, arrays, strict=True))
        for op in block.ops:
            operands = [values[operand] for operand in op.operands]
            match op:
                case YieldOp():
                    return tuple(operands)
                case LiteralOp():
                    values[op.result] = op.array
                case GraphOp():
                    values |= zip(op.results, op.evaluate(operands), strict=True)
                case _:
                    raise AssertionError(f"{op.name} in a group")
        raise AssertionError("a group without graph.yield")


def _check_types(
    name: str, values: Sequence[SSAValue], expected: Sequence[SSAValue]
) -> None:
    got = [value.type for value in values]
    wanted = [value.type for value in expected]
    if got != wanted:
        types = ", ".join(str(type_) for type_ in wanted)
        actual = ", ".join(str(type_) for type_ in got)
        raise VerifyException(f"expected {name} of types {types}, got {actual}")
