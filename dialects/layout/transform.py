"""Changes of the physical order of a value."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyTensorType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import AnyAttr, operand_def, result_def

from glow.dialects.graph.base import GraphOp
from glow.dialects.layout.attribute import layout_of, with_layout
from glow.support.arrays import Array
from glow.support.layout import Layout
from glow.support.op_construction import build_op, fill_op
from glow.support.op_definition import define_op
from glow.support.types import element_of, shape_of, tensor


@define_op
class TransformOp(GraphOp):
    """
    The same tensor in another physical order; padding of the result is zero.

    Shapes: input any, result as input.
    Errors: a result of another shape or element type, a layout of another rank.
    Source: the LayoutTransform node that Glow planned.

    ```mlir
    %y = layout.transform %x
        : tensor<1x3x8x8xf32> -> tensor<1x3x8x8xf32, #layout.physical<NHWC>>
    ```
    """

    name = "layout.transform"

    input = operand_def(TensorType.constr(AnyAttr()))
    result = result_def(TensorType.constr(AnyAttr()))

    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, layout: Layout | None):
        """Build a transform to `layout`; None is row-major."""
        result = with_layout(input, layout)
        fill_op(self, operands=[input], result_types=[result])

    @staticmethod
    def to(input: SSAValue, type: AnyTensorType) -> TransformOp:
        """Build a transform whose result has exactly `type`."""
        return build_op(TransformOp, operands=[input], result_types=[type])

    @staticmethod
    def infer(input: SSAValue) -> AnyTensorType:
        return tensor(element_of(input), shape_of(input))

    @staticmethod
    def compute(input: Array) -> Array:
        return input

    def verify_(self) -> None:
        super().verify_()
        layout_of(self.input)
        layout_of(self.result)
