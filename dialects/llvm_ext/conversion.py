"""Conversions between numbers: scalars or vectors, at the loops and llvm levels."""

from typing import Any, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.llvm_ext.elementwise import FLOATS, INTEGERS, shape_of_vector

_FORMAT = "$input attr-dict `:` type($input) `to` type($result)"


class _Conversion(IRDLOperation):
    """Convert a scalar, or each lane of a vector."""

    def __init__(self, input: SSAValue, result_type: Attribute):
        super().__init__(operands=[input], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.operands[0].type, self.results[0].type
        if shape_of_vector(source) != shape_of_vector(result):
            raise VerifyException(
                f"expected a result with the lanes of {source}, got {result}"
            )


def bits_of(type_: Attribute) -> int:
    """Return the bits of a scalar type, or of one lane of a vector type."""
    scalar: Any = type_
    if isinstance(type_, VectorType):
        scalar = cast(Any, type_).element_type
    return scalar.bitwidth


@irdl_op_definition
class FPToSIOp(_Conversion):
    """
    Round a float towards zero to a signed integer; undefined where it does not fit.

    Shapes: input float, result integer, both scalar or of as many lanes.
    Source: LLVM's fptosi.

    ```mlir
    %i = llvm_ext.fptosi %x : vector<8xf32> to vector<8xi32>
    ```
    """

    name = "llvm_ext.fptosi"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class FPToUIOp(_Conversion):
    """
    Round a float towards zero to an unsigned integer; undefined where it does not fit.

    Shapes: input float, result integer, both scalar or of as many lanes.
    Source: LLVM's fptoui.

    ```mlir
    %i = llvm_ext.fptoui %x : f32 to i8
    ```
    """

    name = "llvm_ext.fptoui"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class FPToSISatOp(_Conversion):
    """
    Round towards zero to a signed integer, or to the nearest bound; NaN becomes 0.

    Shapes: input float, result integer, both scalar or of as many lanes.
    Source: LLVM's llvm.fptosi.sat.

    ```mlir
    %i = llvm_ext.fptosi_sat %x : f32 to i32
    ```
    """

    name = "llvm_ext.fptosi_sat"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class FPToUISatOp(_Conversion):
    """
    Round towards zero to an unsigned integer, or to the nearest bound; NaN becomes 0.

    Shapes: input float, result integer, both scalar or of as many lanes.
    Source: LLVM's llvm.fptoui.sat.

    ```mlir
    %i = llvm_ext.fptoui_sat %x : f32 to i8
    ```
    """

    name = "llvm_ext.fptoui_sat"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class SIToFPOp(_Conversion):
    """
    Convert a signed integer to the nearest float.

    Shapes: input integer, result float, both scalar or of as many lanes.
    Source: LLVM's sitofp; xDSL's arith.sitofp has no vectors.

    ```mlir
    %x = llvm_ext.sitofp %i : vector<8xi32> to vector<8xf32>
    ```
    """

    name = "llvm_ext.sitofp"
    input = operand_def(INTEGERS)
    result = result_def(FLOATS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class UIToFPOp(_Conversion):
    """
    Convert an unsigned integer to the nearest float.

    Shapes: input integer, result float, both scalar or of as many lanes.
    Source: LLVM's uitofp.

    ```mlir
    %x = llvm_ext.uitofp %i : i8 to f32
    ```
    """

    name = "llvm_ext.uitofp"
    input = operand_def(INTEGERS)
    result = result_def(FLOATS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


class _Widening(_Conversion):
    """Convert to an integer of more bits."""

    def verify_(self) -> None:
        super().verify_()
        source, result = self.operands[0].type, self.results[0].type
        if bits_of(result) <= bits_of(source):
            raise VerifyException(f"expected more bits than {source}, got {result}")


@irdl_op_definition
class ExtSIOp(_Widening):
    """
    Widen a signed integer.

    Shapes: input and result integer, both scalar or of as many lanes.
    Errors: a result that is not wider.
    Source: LLVM's sext; xDSL's arith.extsi has no vectors.

    ```mlir
    %w = llvm_ext.extsi %i : vector<8xi8> to vector<8xi32>
    ```
    """

    name = "llvm_ext.extsi"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class ExtUIOp(_Widening):
    """
    Widen an unsigned integer.

    Shapes: input and result integer, both scalar or of as many lanes.
    Errors: a result that is not wider.
    Source: LLVM's zext; xDSL's arith.extui has no vectors.

    ```mlir
    %w = llvm_ext.extui %i : vector<8xi1> to vector<8xi8>
    ```
    """

    name = "llvm_ext.extui"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())


@irdl_op_definition
class TruncIOp(_Conversion):
    """
    Keep the low bits of an integer.

    Shapes: input and result integer, both scalar or of as many lanes.
    Errors: a result that is not narrower.
    Source: LLVM's trunc; xDSL's arith.trunci has no vectors.

    ```mlir
    %n = llvm_ext.trunci %i : vector<8xi32> to vector<8xi8>
    ```
    """

    name = "llvm_ext.trunci"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)
    assembly_format = _FORMAT
    traits = traits_def(Pure())

    def verify_(self) -> None:
        super().verify_()
        if bits_of(self.result.type) >= bits_of(self.input.type):
            raise VerifyException(
                f"expected fewer bits than {self.input.type}, got {self.result.type}"
            )
