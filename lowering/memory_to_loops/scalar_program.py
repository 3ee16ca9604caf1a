"""A region of scalar ops as a value: hashable, and emitted on scalars or vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f16, f32
from xdsl.ir import Attribute, Operation, Region, SSAValue

from glow.codegen.casts import bits_of, convert, truncated
from glow.codegen.conditions import is_outside, select
from glow.codegen.functions import NO_SIGNED_ZEROS
from glow.codegen.memory import SCALAR, Strip
from glow.codegen.values import VECTOR_FORMS, Value, apply
from glow.dialects.llvm_ext import elementwise
from glow.support.types import compute_type, signless, unsigned
from glow.support.walking import block_ops, operands_of

Report = Callable[[Value], None]
"""Writes what tells the caller of a fault where a condition holds."""

UNSIGNED_DIVISIONS = (arith.DivUIOp, arith.RemUIOp)
DIVISIONS = (arith.DivSIOp, arith.RemSIOp, *UNSIGNED_DIVISIONS)
SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)

_EXTREMES = (arith.MaximumfOp, arith.MinimumfOp)

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
_POLYNOMIALS = (math.ErfOp, math.ExpOp, math.ExpM1Op, math.LogOp, math.TanhOp)
_COMMUTATIVE = (arith.AddfOp, arith.AddiOp, arith.MulfOp, arith.MuliOp)


@dataclass(frozen=True)
class Instruction:
    """One scalar op with one result; operands are positions of earlier values."""

    op: type[Operation]
    operands: tuple[int, ...]
    properties: tuple[tuple[str, Attribute], ...]
    result: Attribute

    def __hash__(self) -> int:
        return hash((self.op, self.operands))  # to hash attributes takes long

    def __repr__(self) -> str:
        properties = ", ".join(f"{name}={value}" for name, value in self.properties)
        return (
            f"{self.op.name}({self.operands}, {properties}) -> {_text_of(self.result)}"
        )


@cache
def _text_of(type_: Attribute) -> str:
    return str(type_)  # which takes long


@dataclass(frozen=True)
class ScalarProgram:
    """
    The computation of a region of an elementwise op or an epilogue.

    Values are numbered: first the inputs, then one per instruction.
    """

    inputs: tuple[Attribute, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[int, ...]

    def __repr__(self) -> str:
        inputs = ", ".join(map(_text_of, self.inputs))
        return f"({inputs}) {list(self.instructions)} -> {self.outputs}"

    @staticmethod
    def of(region: Region) -> ScalarProgram:
        """Read a region of one block that ends in a yield."""
        block = region.block
        numbers: dict[SSAValue, int] = {arg: i for i, arg in enumerate(block.args)}
        instructions: list[Instruction] = []
        outputs: tuple[int, ...] = ()
        for op in block_ops(block):
            operands = tuple([numbers[value] for value in operands_of(op)])
            if type(op) in _COMMUTATIVE:  # so that a + b and b + a are one kernel
                operands = tuple(sorted(operands))
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
    def is_one_step_in_f16(self) -> bool:
        """
        Whether it is a sum or product of two f16, which is rounded once.

        Then f16 and f32 give the same bits: f32 has twice the digits and two more.
        """
        if len(self.instructions) != 1 or set(self.types) != {f16}:
            return False
        return self.instructions[0].op in (arith.AddfOp, arith.SubfOp, arith.MulfOp)

    def run(
        self,
        values: Sequence[Value],
        report: Report | None = None,
        strip: Strip = SCALAR,
    ) -> list[Value]:
        """
        Write the program on `values`, which are as wide as `strip`.

        `report` is called where integers are divided by zero.
        """
        numbered = list(values)
        for step in self.instructions:
            operands = [numbered[i] for i in step.operands]
            if step.op is arith.ConstantOp:
                (value,) = (v for name, v in step.properties if name == "value")
                assert isinstance(value, FloatAttr | IntegerAttr)
                number = value.value.data
                numbered.append(strip.constant(number, compute_type(step.result)))
            elif step.op in DIVISIONS:
                assert report is not None
                numbered.append(_guarded_division(step.op, operands, report))
            elif step.op in SHIFTS:
                numbered.append(_guarded_shift(step.op, *operands))
            else:
                numbered.append(_plain(step, operands))
        return [numbered[i] for i in self.outputs]


def _has_vector_form(step: Instruction) -> bool:
    if step.op in DIVISIONS or step.op is elementwise.RemfOp:
        return False
    if step.op.name.startswith("math."):
        has_polynomial = step.op in _POLYNOMIALS and compute_type(step.result) == f32
        return step.op in _VECTOR_MATH or has_polynomial
    return True


def _plain(step: Instruction, operands: list[Value]) -> Value:
    """Write a step that has no data to beware of."""
    result = compute_type(step.result)
    if operands[0].element == step.result:
        result = step.result
    if step.op in (arith.ExtFOp, arith.TruncFOp):  # rounded, even if it is not stored
        return convert(convert(operands[0], step.result), result)
    if step.op in (arith.FPToSIOp, arith.FPToUIOp):
        is_signed = step.op is arith.FPToSIOp
        to = step.result if is_signed else unsigned(step.result)
        return replace(truncated(operands[0], to), element=step.result)
    properties = dict(step.properties)
    if operands[0].lanes and step.op in VECTOR_FORMS:
        properties = {k: v for k, v in properties.items() if k == "predicate"}
    if step.op in _EXTREMES:
        properties["fastmath"] = NO_SIGNED_ZEROS
    return apply(step.op, *operands, result=result, properties=properties)


def _guarded_division(
    op: type[Operation], operands: Sequence[Value], report: Report
) -> Value:
    """
    Divide integers of any value: by 0 reports and divides by 1, by -1 wraps.

    The least integer has no opposite, and dividing it by -1 would trap.
    """
    lhs, rhs = operands
    is_zero = rhs == 0
    report(is_zero)
    if op in UNSIGNED_DIVISIONS:
        return apply(op, lhs, select(is_zero, 1, rhs))
    negates = rhs == -1
    quotient = apply(op, lhs, select(is_zero | negates, 1, rhs))
    if op is arith.RemSIOp:
        return quotient
    return select(negates, 0 - lhs, quotient)


def _guarded_shift(op: type[Operation], x: Value, count: Value) -> Value:
    """Shift by any amount: by as many bits as there are, or more, gives 0."""
    is_all = is_outside(count, bits_of(x.element))
    return select(is_all, 0, apply(op, x, count))
