"""What elementwise ops share."""

from typing import Any, ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AnyAttr, operand_def, result_def, traits_def

from glow.dialects.graph.base import Elementwise, GraphOp, broadcast_map
from glow.support.types import (
    FLOAT,
    NUMBER,
    ElementSet,
    Tensor,
    broadcast,
    element_of,
    same_element,
    shape_of,
    tensor,
)


class ElementwiseOp(GraphOp):
    """A function of each element of its operands, which broadcast to the result."""

    traits = traits_def(Elementwise())

    result = result_def(TensorType.constr(AnyAttr()))

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.result)


class UnaryOp(ElementwiseOp):
    """
    A function of each element of one tensor.

    A subclass says which elements it takes, and what a result's element is where it
    is another one.
    """

    ELEMENTS: ClassVar[ElementSet] = FLOAT
    RESULT: ClassVar[Attribute | None] = None

    input = operand_def(TensorType.constr(AnyAttr()))

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> Tensor:
        cls.ELEMENTS.check(input)
        return tensor(cls.RESULT or element_of(input), shape_of(input))


class BinaryOp(ElementwiseOp):
    """
    A function of each pair of elements of two tensors, which broadcast.

    A subclass says which elements it takes, and what a result's element is where it
    is another one.
    """

    ELEMENTS: ClassVar[ElementSet] = NUMBER
    RESULT: ClassVar[Attribute | None] = None

    lhs = operand_def(TensorType.constr(AnyAttr()))
    rhs = operand_def(TensorType.constr(AnyAttr()))

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, lhs: SSAValue, rhs: SSAValue, **parameters: Any) -> Tensor:
        cls.ELEMENTS.check(lhs, rhs)
        element = same_element(lhs, rhs)
        return tensor(cls.RESULT or element, broadcast(lhs, rhs))
