"""Conversions between numbers: scalars or vectors, at the loops and llvm levels."""

from __future__ import annotations

from typing import Any, ClassVar, cast

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

_KINDS = {"float": FLOATS, "integer": INTEGERS}
_WIDTHS = {"wider": "more", "narrower": "fewer"}
_DOCSTRING = """
    {meaning}

    Shapes: input {source}, result {result}, both scalar or of as many lanes.{errors}
    Source: {origin}.

    ```mlir
    %r = llvm_ext.{name} %x : {example}
    ```
    """


class Conversion(IRDLOperation):
    """Convert a scalar, or each lane of a vector."""

    WIDTH: ClassVar[str] = ""
    """Whether the result is wider or narrower; empty where it may be either."""

    input = operand_def()
    result = result_def()

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"
    traits = traits_def(Pure())

    def __init__(self, input: SSAValue, result_type: Attribute):
        super().__init__(operands=[input], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.input.type, self.result.type
        if shape_of_vector(source) != shape_of_vector(result):
            raise VerifyException(
                f"expected a result with the lanes of {source}, got {result}"
            )
        more = bits_of(result) - bits_of(source)
        if self.WIDTH and (-more if self.WIDTH == "narrower" else more) <= 0:
            raise VerifyException(
                f"expected {_WIDTHS[self.WIDTH]} bits than {source}, got {result}"
            )


def bits_of(type_: Attribute) -> int:
    """Return the bits of a scalar type, or of one lane of a vector type."""
    scalar: Any = type_
    if isinstance(type_, VectorType):
        scalar = cast(Any, type_).element_type
    return scalar.bitwidth


def _conversion(
    name: str,
    source: str,
    result: str,
    meaning: str,
    origin: str,
    example: str,
    width: str = "",
) -> type[Conversion]:
    """Define the op `llvm_ext.name` from numbers of kind `source` to kind `result`."""
    errors = f"\n    Errors: a result that is not {width}." if width else ""
    members = {
        "__doc__": _DOCSTRING.format(
            name=name,
            source=source,
            result=result,
            meaning=meaning,
            origin=origin,
            example=example,
            errors=errors,
        ),
        "__module__": __name__,
        "name": f"llvm_ext.{name}",
        "input": operand_def(_KINDS[source]),
        "result": result_def(_KINDS[result]),
        "WIDTH": width,
        "__annotations__": {"WIDTH": ClassVar[str]},
    }
    return irdl_op_definition(type(f"{name.title()}Op", (Conversion,), members))


FPToSIOp = _conversion(
    *("fptosi", "float", "integer"),
    "Round a float towards zero to a signed integer; undefined where it does not fit.",
    "LLVM's fptosi",
    "vector<8xf32> to vector<8xi32>",
)
FPToUIOp = _conversion(
    *("fptoui", "float", "integer"),
    "Round a float towards zero to an unsigned integer; undefined where"
    " it does not fit.",
    "LLVM's fptoui",
    "f32 to i8",
)
FPToSISatOp = _conversion(
    *("fptosi_sat", "float", "integer"),
    "Round towards zero to a signed integer, or to the nearest bound; NaN becomes 0.",
    "LLVM's llvm.fptosi.sat",
    "f32 to i32",
)
FPToUISatOp = _conversion(
    *("fptoui_sat", "float", "integer"),
    "Round towards zero to an unsigned integer, or to the nearest bound;"
    " NaN becomes 0.",
    "LLVM's llvm.fptoui.sat",
    "f32 to i8",
)
SIToFPOp = _conversion(
    *("sitofp", "integer", "float"),
    "Convert a signed integer to the nearest float.",
    "LLVM's sitofp; xDSL's arith.sitofp has no vectors",
    "vector<8xi32> to vector<8xf32>",
)
UIToFPOp = _conversion(
    *("uitofp", "integer", "float"),
    "Convert an unsigned integer to the nearest float.",
    "LLVM's uitofp",
    "i8 to f32",
)
ExtSIOp = _conversion(
    *("extsi", "integer", "integer"),
    "Widen a signed integer.",
    "LLVM's sext; xDSL's arith.extsi has no vectors",
    "vector<8xi8> to vector<8xi32>",
    "wider",
)
ExtUIOp = _conversion(
    *("extui", "integer", "integer"),
    "Widen an unsigned integer.",
    "LLVM's zext; xDSL's arith.extui has no vectors",
    "vector<8xi1> to vector<8xi8>",
    "wider",
)
TruncIOp = _conversion(
    *("trunci", "integer", "integer"),
    "Keep the low bits of an integer.",
    "LLVM's trunc; xDSL's arith.trunci has no vectors",
    "vector<8xi32> to vector<8xi8>",
    "narrower",
)
