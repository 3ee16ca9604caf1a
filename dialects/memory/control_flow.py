"""Choices and loops on buffers, whose bodies are functions of buffers."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    MemRefType,
    StringAttr,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.control_flow import CallingOp, ChoosingOp, RepeatingOp
from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import (
    BUFFER,
    Buffer,
    Kind,
    MemoryOp,
    buffer_type,
    extents_of,
)
from glow.support.op_definition import define_op

ACCESS = "memory.access"
"""The attribute of an argument that says what its function does to the buffer."""
CONDITION = MemRefType(i1, ())
COUNT = MemRefType(i64, ())

_SIZES = AttrSizedOperandSegments.attribute_name

Passed = list[tuple[SSAValue, Kind]]


def plain_type(buffer: SSAValue) -> Buffer:
    """Return the type of the argument that a buffer without gaps is passed as."""
    return MemRefType(buffer_type(buffer).element_type, extents_of(buffer))


def kinds_of_arguments(function: FuncOp) -> list[Kind]:
    """Return what `function` does to each argument; without a note, it only reads."""
    count = len(function.function_type.inputs)
    if function.arg_attrs is None:
        return [Kind.IN] * count
    accesses = [each.data.get(ACCESS) for each in function.arg_attrs]
    return [Kind(t.data) if isinstance(t, StringAttr) else Kind.IN for t in accesses]


class ControlFlowOp(CallingOp, MemoryOp):
    """
    An op that calls functions of its module on its buffers, which have no gaps.

    `frame` is the room for the allocations of the functions; `plan-memory` adds it.
    """

    @abstractmethod
    def passed(self) -> Passed:
        """Return the buffers that functions are called with, and what they may do."""

    def argument_type(self, value: SSAValue) -> Buffer:
        return plain_type(value)

    if TYPE_CHECKING:
        frame: SSAValue | None

    def set_frame(self, frame: SSAValue) -> None:
        """Add the operand `frame`, which is the last one."""
        sizes = self.properties[_SIZES]
        assert isinstance(sizes, DenseArrayBase)
        self.operands = [*self.operands, frame]
        self.properties[_SIZES] = DenseArrayBase.from_list(
            i32, [*sizes.get_values()[:-1], 1]
        )

    def problem_with(self, function: FuncOp) -> str | None:
        """Return why `function` cannot be called, None if it can."""
        passed = self.passed()
        expected = [plain_type(buffer) for buffer, _ in passed]
        got = list(function.function_type.inputs)
        if expected != got or function.function_type.outputs.data:
            types = [", ".join(map(str, each)) for each in (expected, got)]
            return f"expected a function of ({types[0]}), got ({types[1]})"
        kinds = [kind.value for _, kind in passed]
        found = [kind.value for kind in kinds_of_arguments(function)]
        if kinds != found:
            return f"expected arguments that are {kinds}, got {found}"
        return None

    def _check_buffers(self) -> None:
        for buffer in self.operands:
            addressing = find_addressing(buffer_type(buffer))
            if addressing is None or not addressing.is_contiguous:
                raise VerifyException(
                    f"expected row-major buffers without gaps, got {buffer.type}"
                )


@define_op
class IfOp(ChoosingOp, ControlFlowOp):
    """
    Call one of two functions on `inputs`, which it reads, and `results_`.

    Shapes: condition a scalar of i1; arguments of both functions as inputs, then
    results.
    Errors: a condition of another type, buffers with gaps, a function that is unknown
    or takes others, or does something else to them (checked by `verify-memory`).

    ```mlir
    memory.if ins(%c : memref<i1> inputs %x : memref<4xf32>) outs(%y : memref<4xf32>)
        then @positive else @negative
    ```
    """

    name = "memory.if"

    condition = operand_def(BUFFER)
    inputs = var_operand_def(BUFFER)
    results_ = var_operand_def(BUFFER)
    frame = opt_operand_def(BUFFER)

    WRITES: ClassVar = ("results_",)
    SCRATCH: ClassVar = ("frame",)
    TAIL: ClassVar = "`then` $then_function `else` $else_function attr-dict"

    def verify_(self) -> None:
        self.check_scalar("condition", CONDITION)
        self._check_buffers()

    def passed(self) -> Passed:
        ins: Passed = [(buffer, Kind.IN) for buffer in self.inputs]
        return ins + [(buffer, Kind.OUT) for buffer in self.results_]


@define_op
class LoopOp(RepeatingOp, ControlFlowOp):
    """
    Call a function on `carried` values again and again; it replaces them in place.

    It runs until `limit` iterations are done, if there is a limit, and while
    `condition` holds true, if there is one. `body` takes the number of the iteration,
    what is carried, `inputs`, and the condition to write to, if there is one. With
    `must_end`, a run fails if the condition is still true at the limit.

    Shapes: limit and iteration scalars of i64, condition one of i1.
    Errors: neither a limit nor a condition; either of another type, or absent with
    `must_end`; buffers with gaps;
    a function that is unknown or takes others, or does something else to them (checked
    by `verify-memory`).

    ```mlir
    memory.loop ins(limit %n : memref<i64> carried %s : memref<4xf32>)
        scratch(%i : memref<i64>) body @double
    ```
    """

    name = "memory.loop"

    limit = opt_operand_def(BUFFER)
    condition = opt_operand_def(BUFFER)
    carried = var_operand_def(BUFFER)
    inputs = var_operand_def(BUFFER)
    iteration = operand_def(BUFFER)
    frame = opt_operand_def(BUFFER)

    WRITES: ClassVar = ()
    UPDATES: ClassVar = ("condition", "carried")
    SCRATCH: ClassVar = ("iteration", "frame")
    TAIL: ClassVar = "`body` $body attr-dict"

    def verify_(self) -> None:
        self.check_iterations(COUNT, CONDITION)
        self.check_scalar("iteration", COUNT)
        self._check_buffers()

    def passed(self) -> Passed:
        passed: Passed = [(self.iteration, Kind.IN)]
        passed += [(buffer, Kind.INOUT) for buffer in self.carried]
        passed += [(buffer, Kind.IN) for buffer in self.inputs]
        if self.condition is not None:
            passed.append((self.condition, Kind.OUT))
        return passed
