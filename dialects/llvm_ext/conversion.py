"""Conversions between numbers: scalars or vectors, at the loops and llvm levels."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.llvm_ext.elementwise import FLOATS, INTEGERS, shape_of_vector
from glow.support.op_definition import define_op

_KINDS = {"float": FLOATS, "integer": INTEGERS}
_WIDTHS = {"wider": "more", "narrower": "fewer"}
_EXAMPLES = {
    "float to integer": "vector<8xf32> to vector<8xi32>",
    "integer to float": "vector<8xi32> to vector<8xf32>",
    "wider": "vector<8xi8> to vector<8xi32>",
    "narrower": "vector<8xi32> to vector<8xi8>",
}
_DOCSTRING = """
    {meaning}

    Shapes: input {source}, result {result}, both scalar or of as many lanes.{errors}
    Source: LLVM's {llvm_name}, also of vectors.

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
    name: str, kinds: str, meaning: str, llvm_name: str = "", width: str = ""
) -> type[Conversion]:
    """Define the op `llvm_ext.name`, whose `kinds` are such as `float to integer`."""
    source, result = kinds.split(" to ")
    members = {
        "__doc__": _DOCSTRING.format(
            name=name,
            source=source,
            result=result,
            meaning=meaning,
            llvm_name=llvm_name or name,
            example=_EXAMPLES[width or kinds],
            errors=f"\n    Errors: a result that is not {width}." if width else "",
        ),
        "__module__": __name__,
        "name": f"llvm_ext.{name}",
        "input": operand_def(_KINDS[source]),
        "result": result_def(_KINDS[result]),
        "WIDTH": width,
        "__annotations__": {"WIDTH": ClassVar[str]},
    }
    return define_op(type(f"{name.title()}Op", (Conversion,), members))


_ROUND, _CONVERT, _RESIZE = "float to integer", "integer to float", "integer to integer"
_UNDEFINED = "Round towards zero, to {} integer; undefined where that does not fit."
_NEAREST = "Round towards zero, to {} integer or the nearest bound; NaN becomes 0."

FPToSIOp = _conversion("fptosi", _ROUND, _UNDEFINED.format("a signed"))
FPToUIOp = _conversion("fptoui", _ROUND, _UNDEFINED.format("an unsigned"))
FPToSISatOp = _conversion(
    "fptosi_sat", _ROUND, _NEAREST.format("a signed"), "llvm.fptosi.sat"
)
FPToUISatOp = _conversion(
    "fptoui_sat", _ROUND, _NEAREST.format("an unsigned"), "llvm.fptoui.sat"
)
SIToFPOp = _conversion("sitofp", _CONVERT, "Convert a signed integer to a float.")
UIToFPOp = _conversion("uitofp", _CONVERT, "Convert an unsigned integer to a float.")
ExtSIOp = _conversion("extsi", _RESIZE, "Widen a signed integer.", "sext", "wider")
ExtUIOp = _conversion("extui", _RESIZE, "Widen an unsigned integer.", "zext", "wider")
TruncIOp = _conversion(
    "trunci", _RESIZE, "Keep the low bits of an integer.", "trunc", "narrower"
)
