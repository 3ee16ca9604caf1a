"""A region of scalar ops as a value: hashable, and emitted on scalars or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, Region, SSAValue

from glow.dialects.llvm_ext import conversion, elementwise
from glow.lowering.memory_to_loops.builder import Body, vector_of
from glow.lowering.memory_to_loops.kernels.faults import Report
from glow.lowering.memory_to_loops.kernels.numbers import Numbers
from glow.support.types import dtype_of, signless, unsigned

UNSIGNED_DIVISIONS = (arith.DivUIOp, arith.RemUIOp)
DIVISIONS = (arith.DivSIOp, arith.RemSIOp, *UNSIGNED_DIVISIONS)
SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)

# arith has these for scalars only.
_VECTOR_FORMS: dict[type[Operation], type[Operation]] = {
    arith.CmpfOp: elementwise.CmpfOp,
    arith.CmpiOp: elementwise.CmpiOp,
    arith.SelectOp: elementwise.SelectOp,
    arith.ExtSIOp: conversion.ExtSIOp,
    arith.ExtUIOp: conversion.ExtUIOp,
    arith.TruncIOp: conversion.TruncIOp,
    arith.SIToFPOp: conversion.SIToFPOp,
    arith.UIToFPOp: conversion.UIToFPOp,
}
# Which zero is the larger one does not matter: that saves instructions.
_EXTREMES = (arith.MaximumfOp, arith.MinimumfOp)
_NO_SIGNED_ZEROS = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])
_PREDICATES = {elementwise.CmpfOp, elementwise.CmpiOp}

# What has instructions of its own for vectors, and what has polynomials for f32.
_VECTOR_MATH = (
    math.AbsFOp,
    math.AbsIOp,
    math.CeilOp,
    math.CopySignOp,
    math.FloorOp,
    math.FmaOp,
    math.RoundEvenOp,
    math.SqrtOp,
    math.TruncOp,
)
_POLYNOMIALS = (math.ErfOp, math.ExpOp, math.LogOp, math.TanhOp)


@dataclass(frozen=True)
class Instruction:
    """One scalar op with one result; operands are positions of earlier values."""

    op: type[Operation]
    operands: tuple[int, ...]
    properties: tuple[tuple[str, Attribute], ...]
    result: Attribute

    def __repr__(self) -> str:
        properties = ", ".join(f"{name}={value}" for name, value in self.properties)
        return f"{self.op.name}({self.operands}, {properties}) -> {self.result}"


@dataclass(frozen=True)
class ScalarProgram:
    """
    What a region of an elementwise op or an epilogue computes.

    Values are numbered: first the inputs, then one per instruction.
    """

    inputs: tuple[Attribute, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def __repr__(self) -> str:
        inputs = ", ".join(str(type_) for type_ in self.inputs)
        return f"({inputs}) {list(self.instructions)} -> {self.outputs}"

    @staticmethod
    def of(region: Region) -> ScalarProgram:
        """Read a region of one block that ends in a yield."""
        block = region.block
        numbers: dict[SSAValue, int] = {arg: i for i, arg in enumerate(block.args)}
        instructions: list[Instruction] = []
        outputs: tuple[int, ...] = ()
        for op in block.ops:
            operands = tuple(numbers[value] for value in op.operands)
            if op is block.last_op:
                outputs = operands
                break
            properties = tuple(sorted(op.properties.items()))
            (result,) = op.results
            instructions.append(
                Instruction(type(op), operands, properties, result.type)
            )
            numbers[result] = len(numbers)
        inputs = tuple(arg.type for arg in block.args)
        return ScalarProgram(inputs, tuple(instructions), outputs)

    @staticmethod
    def identity(element: Attribute) -> ScalarProgram:
        """Return the program that yields its one input."""
        return ScalarProgram((signless(element),), (), (0,))

    @staticmethod
    def constant(value: Attribute, element: Attribute) -> ScalarProgram:
        """Return the program without inputs that yields `value`."""
        step = Instruction(arith.ConstantOp, (), (("value", value),), element)
        return ScalarProgram((), (step,), (0,))

    @property
    def elements(self) -> tuple[Attribute, ...]:
        """The types of the inputs and outputs: what lies in memory."""
        return (*self.inputs, *(self.types[i] for i in self.outputs))

    @property
    def types(self) -> tuple[Attribute, ...]:
        """The types of all values."""
        return (*self.inputs, *(step.result for step in self.instructions))

    @property
    def divides_integers(self) -> bool:
        """Whether a value can make the program fail, so that `emit` needs a report."""
        return any(step.op in DIVISIONS for step in self.instructions)

    @property
    def has_vector_form(self) -> bool:
        """Whether the program is worth running on vectors: no call per lane."""
        return all(map(_has_vector_form, self.instructions))

    @property
    def is_float32(self) -> bool:
        """Whether every value is f32, so that vectors of one width do it all."""
        return all(type_ == f32 for type_ in self.types)

    def emit(
        self,
        b: Body,
        values: Sequence[SSAValue],
        lanes: int = 0,
        report: Report | None = None,
    ) -> list[SSAValue]:
        """Append the program on `values`: scalars, or vectors of `lanes` > 0."""
        numbered = list(values)
        for step in self.instructions:
            operands = [numbered[i] for i in step.operands]
            if step.op in DIVISIONS:
                assert not lanes
                assert report is not None
                numbered.append(_guarded_division(b, step.op, operands, report))
            elif step.op in SHIFTS:
                numbered.append(_guarded_shift(b, step, operands, lanes))
            elif step.op in (arith.FPToSIOp, arith.FPToUIOp):
                n = Numbers(b, self.types[step.operands[0]], lanes)
                is_signed = step.op is arith.FPToSIOp
                to = step.result if is_signed else unsigned(step.result)
                numbered.append(n.truncated(operands[0], to))
            else:
                numbered.append(_plain(b, step, operands, lanes))
        return [numbered[i] for i in self.outputs]


def _has_vector_form(step: Instruction) -> bool:
    if step.op in DIVISIONS or step.op is elementwise.RemfOp:
        return False
    if step.op.name.startswith("math."):
        has_polynomial = step.op in _POLYNOMIALS and step.result == f32
        return step.op in _VECTOR_MATH or has_polynomial
    return True


def _plain(
    b: Body, step: Instruction, operands: list[SSAValue], lanes: int
) -> SSAValue:
    properties = dict(step.properties)
    if step.op is arith.ConstantOp:
        value = properties["value"]
        assert isinstance(value, FloatAttr | IntegerAttr)
        return b.scalar(value.value.data, step.result, lanes)
    op = _VECTOR_FORMS.get(step.op, step.op) if lanes else step.op
    if op is not step.op:
        keep = ("predicate",) if op in _PREDICATES else ()
        properties = {name: properties[name] for name in keep}
    if op in _EXTREMES:
        properties["fastmath"] = _NO_SIGNED_ZEROS
    result = vector_of(step.result, lanes) if lanes else step.result
    return b.add(
        op.create(operands=operands, result_types=[result], properties=properties)
    )


def _guarded_division(
    b: Body, op: type[Operation], operands: list[SSAValue], report: Report
) -> SSAValue:
    """
    Divide integers of any value: by 0 reports and divides by 1, by -1 wraps.

    The least integer has no opposite, and dividing it by -1 would trap.
    """
    lhs, rhs = operands
    n = Numbers(b, lhs.type)
    is_zero = n.compare("eq", rhs, n.const(0))
    report(b, is_zero)
    if op in UNSIGNED_DIVISIONS:
        return b.binary(op, lhs, n.select(is_zero, n.const(1), rhs))
    negates = n.compare("eq", rhs, n.const(-1))
    unsafe = b.binary(arith.OrIOp, is_zero, negates)
    found = b.binary(op, lhs, n.select(unsafe, n.const(1), rhs))
    if op is arith.RemSIOp:
        return found
    return n.select(negates, n.sub(n.const(0), lhs), found)


def _guarded_shift(
    b: Body, step: Instruction, operands: list[SSAValue], lanes: int
) -> SSAValue:
    """Shift by any amount: by as many bits as there are, or more, gives 0."""
    n = Numbers(b, step.result, lanes)
    compare = elementwise.CmpiOp if lanes else arith.CmpiOp
    width = n.const(8 * dtype_of(step.result).itemsize)
    fits = b.add(compare(operands[1], width, "ult"))
    return n.select(fits, b.binary(step.op, *operands), n.const(0))
