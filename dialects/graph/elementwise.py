"""Bases of elementwise ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, result_def

from glow.dialects.graph.declaration import DeclaredOp
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.types import (
    NUMBER,
    ElementSet,
    Tensor,
    broadcast,
    element_of,
    same_element,
    shape_of,
    tensor,
)


class ElementwiseOp(DeclaredOp):
    """
    A function of each element of its operands, which broadcast to the result.

    `rule` is that function; an op without one is not computed in a group of others.
    """

    if TYPE_CHECKING:
        rule: ClassVar[Callable[..., Any]]  # or the name of an op

    result = result_def(TENSOR)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return self.broadcast_reordering(operand, order)


class UnaryOp(ElementwiseOp):
    """A function of each element of one tensor."""

    SHAPES: ClassVar[str] = "result as input."
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x : (tensor<2x3x{element}>) -> tensor<2x3x{result}>"
    )

    input = operand_def(TENSOR)

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> Tensor:
        return tensor(cls.RESULT or element_of(input), shape_of(input))


class BinaryOp(ElementwiseOp):
    """A function of each pair of elements of two tensors, which broadcast."""

    ELEMENTS: ClassVar[ElementSet] = NUMBER
    SHAPES: ClassVar[str] = "result is lhs and rhs broadcast together."
    EXAMPLE: ClassVar[str] = (
        "%c = {name} %a, %b\n    : (tensor<2x3x{element}>, tensor<3x{element}>)"
        " -> tensor<2x3x{result}>"
    )

    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, lhs: SSAValue, rhs: SSAValue, **parameters: Any) -> Tensor:
        element = same_element(lhs, rhs)
        return tensor(cls.RESULT or element, broadcast(lhs, rhs))
