"""A region of scalar ops as a value: hashable, and emitted on scalars or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    f32,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue

from glow.lowering.memory_to_loops.builder import Body, vector_of


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
        return ScalarProgram((element,), (), (0,))

    @property
    def is_float32(self) -> bool:
        """Whether every value is f32, so that vectors of one width do it all."""
        types = (*self.inputs, *(i.result for i in self.instructions))
        return all(type_ == f32 for type_ in types)

    def emit(
        self, b: Body, values: Sequence[SSAValue], lanes: int = 0
    ) -> list[SSAValue]:
        """Append the program on `values`: scalars, or vectors of `lanes` > 0."""
        numbered = list(values)
        for step in self.instructions:
            numbered.append(self._emit_step(b, step, numbered, lanes))
        return [numbered[i] for i in self.outputs]

    @staticmethod
    def _emit_step(
        b: Body, step: Instruction, values: list[SSAValue], lanes: int
    ) -> SSAValue:
        properties = dict(step.properties)
        if step.op is arith.ConstantOp:
            value = properties["value"]
            assert isinstance(value, FloatAttr | IntegerAttr)
            return b.scalar(value.value.data, step.result, lanes)
        type_ = vector_of(step.result, lanes) if lanes else step.result
        op = step.op.create(
            operands=[values[i] for i in step.operands],
            result_types=[type_],
            properties=properties,
        )
        return b.add(op)
