"""Comparisons and choices on vectors, which `arith` and `llvm` have on scalars only."""

from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    BFloat16Type,
    Float32Type,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from glow.support.op_definition import define_op

FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)

CMPF_PREDICATES = tuple(arith.CMPF_COMPARISON_OPERATIONS)
CMPI_PREDICATES = tuple(arith.CMPI_COMPARISON_OPERATIONS)


def shape_of_vector(type_: Attribute) -> tuple[int, ...]:
    """Return the shape of a vector type, () for a scalar."""
    return type_.get_shape() if isinstance(type_, VectorType) else ()


class _VectorComparison(IRDLOperation):
    """Compare two vectors lane by lane; the result has an i1 for each."""

    PREDICATES: ClassVar[tuple[str, ...]]

    predicate = prop_def(IntegerAttr)
    result = result_def(VectorType[I1])

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: str):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[VectorType(i1, shape_of_vector(lhs.type))],
            properties={
                "predicate": IntegerAttr(self.PREDICATES.index(predicate), i64)
            },
        )

    def verify_(self) -> None:
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            known = ", ".join(self.PREDICATES)
            raise VerifyException(
                f"expected a predicate out of {known}, got {self.predicate.value.data}"
            )
        lhs, result = self.operands[0].type, self.result.type
        if shape_of_vector(lhs) != shape_of_vector(result):
            raise VerifyException(f"expected an i1 per lane of {lhs}, got {result}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        predicate = parser.parse_identifier()
        if predicate not in cls.PREDICATES:
            known = ", ".join(cls.PREDICATES)
            parser.raise_error(f"expected a predicate out of {known}")
        parser.parse_punctuation(",")
        names, attributes, type_ = _parse_operands(parser)
        lhs, rhs = parser.resolve_operands(names, [type_, type_], parser.pos)
        op = cls(lhs, rhs, predicate)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.PREDICATES[self.predicate.value.data]},")
        _print_operands(self, printer)


def _parse_operands(
    parser: Parser,
) -> tuple[list[UnresolvedOperand], dict[str, Attribute], Attribute]:
    """Read operands, attributes, and the type of the last operand."""
    names = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return names, attributes, parser.parse_type()


def _print_operands(op: IRDLOperation, printer: Printer) -> None:
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_ssa_value)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[-1].type)


@define_op
class CmpfOp(_VectorComparison):
    """
    Compare vectors of floats lane by lane, as arith.cmpf compares scalars.

    Shapes: lhs and rhs one vector type, result a vector of as many i1.
    Source: MLIR's arith.cmpf; xDSL's has no vector result.

    ```mlir
    %m = llvm_ext.cmpf olt, %a, %b : vector<8xf32>
    ```
    """

    name = "llvm_ext.cmpf"
    PREDICATES: ClassVar = CMPF_PREDICATES

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyFloatConstr))
    lhs = operand_def(T)
    rhs = operand_def(T)


@define_op
class CmpiOp(_VectorComparison):
    """
    Compare vectors of integers lane by lane, as arith.cmpi compares scalars.

    Shapes: lhs and rhs one vector type, result a vector of as many i1.
    Source: MLIR's arith.cmpi; xDSL's has no vector result.

    ```mlir
    %m = llvm_ext.cmpi slt, %a, %b : vector<8xi32>
    ```
    """

    name = "llvm_ext.cmpi"
    PREDICATES: ClassVar = CMPI_PREDICATES

    T: ClassVar = VarConstraint("T", VectorType.constr(SignlessIntegerConstraint))
    lhs = operand_def(T)
    rhs = operand_def(T)


@define_op
class SelectOp(IRDLOperation):
    """
    Take each lane from `lhs` where the condition's lane is 1, else from `rhs`.

    Shapes: condition a vector of i1, lhs, rhs and result one vector type as long.
    Errors: a condition of another length.
    Source: MLIR's arith.select; xDSL's has no vector condition.

    ```mlir
    %r = llvm_ext.select %m, %a, %b : vector<8xf32>
    ```
    """

    name = "llvm_ext.select"

    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))
    condition = operand_def(VectorType[I1])
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, condition: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[condition, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        condition, lhs = self.condition.type, self.lhs.type
        if shape_of_vector(condition) != shape_of_vector(lhs):
            raise VerifyException(f"expected an i1 per lane of {lhs}, got {condition}")

    @classmethod
    def parse(cls, parser: Parser) -> "SelectOp":
        names, attributes, type_ = _parse_operands(parser)
        mask = VectorType(i1, shape_of_vector(type_))
        values = parser.resolve_operands(names, [mask, type_, type_], parser.pos)
        op = cls(*values)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        _print_operands(self, printer)


@define_op
class RemfOp(IRDLOperation):
    """
    Remainder of a division that truncates; it has the sign of `lhs`, as C's fmod.

    Shapes: lhs, rhs and result one float type, scalar or vector.
    Source: MLIR's arith.remf, which xDSL lacks.

    ```mlir
    %r = llvm_ext.remf %a, %b : f32
    ```
    """

    name = "llvm_ext.remf"

    T: ClassVar = VarConstraint("T", FLOATS)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@define_op
class DotPairsOp(IRDLOperation):
    """
    Add the products of two pairs of bf16 to each lane of f32.

    Denormal numbers count as zero. Both products are rounded before they are added.

    Shapes: lhs and rhs vectors of twice as many bf16 as total has f32.
    Errors: another number of lanes.
    Source: x86's vdpbf16ps.

    ```mlir
    %r = llvm_ext.dot_pairs %x, %y, %total : vector<32xbf16>, vector<16xf32>
    ```
    """

    name = "llvm_ext.dot_pairs"

    P: ClassVar = VarConstraint("P", VectorType.constr(BFloat16Type))
    T: ClassVar = VarConstraint("T", VectorType.constr(Float32Type))
    lhs = operand_def(P)
    rhs = operand_def(P)
    total = operand_def(T)
    result = result_def(T)

    assembly_format = (
        "$lhs `,` $rhs `,` $total attr-dict `:` type($lhs) `,` type($total)"
    )
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, total: SSAValue):
        super().__init__(operands=[lhs, rhs, total], result_types=[total.type])

    def verify_(self) -> None:
        (lanes,), (pairs,) = map(shape_of_vector, (self.lhs.type, self.total.type))
        if lanes != 2 * pairs:
            raise VerifyException(f"expected {2 * pairs} numbers of bf16, got {lanes}")
