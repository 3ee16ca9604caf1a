"""Calls, choices and loops whose bodies are functions of the module."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, OpResult, SSAValue, SSAValues
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import TENSOR
from glow.support.arrays import Array
from glow.support.attributes import segment_sizes
from glow.support.errors import ExecutionError
from glow.support.locations import name_of
from glow.support.op_construction import SEVERAL_OPERANDS
from glow.support.op_definition import define_op
from glow.support.types import has_layout, tensor

Types = tuple[Attribute, ...]
RunFunction = Callable[[str, Sequence[Array]], Sequence[Array]]
"""Runs a function of the module by name, on an array for each of its arguments."""

COMPOSITE, GRADIENT = "composite", "gradient"
"""Attributes of a function: its name, if it is a composite; that of its gradient."""


def types_of(values: Sequence[SSAValue]) -> Types:
    return tuple(value.type for value in values)


CONDITION = tensor(i1, ())
COUNT = tensor(i64, ())


class CallingOp(IRDLOperation):
    """An op that calls functions of its module, which its properties name."""

    def _symbols(self) -> dict[str, str]:
        declared = self.get_irdl_definition().properties
        values = ((name, self.properties.get(name)) for name in declared)
        return {n: v.string_value() for n, v in values if isinstance(v, SymbolRefAttr)}

    @property
    def callees(self) -> tuple[str, ...]:
        """The names of the functions that it calls."""
        return tuple(self._symbols().values())

    def call_instead(self, *callees: str) -> None:
        """Call functions of these names."""
        for name, callee in zip(self._symbols(), callees, strict=True):
            self.properties[name] = SymbolRefAttr(callee)

    def argument_type(self, value: SSAValue) -> Attribute:
        """Return the type of the argument that a function takes `value` as."""
        return value.type

    def check_scalar(self, name: str, expected: Attribute) -> None:
        """Raise unless an operand of this name is absent or of the `expected` type."""
        value: SSAValue | None = getattr(self, name)
        if value is not None and self.argument_type(value) != expected:
            raise VerifyException(
                f"expected {name} of type {expected}, got {value.type}"
            )


class ChoosingOp(CallingOp):
    """An op that calls one of two functions."""

    then_function = prop_def(FlatSymbolRefAttrConstr)
    else_function = prop_def(FlatSymbolRefAttrConstr)


class RepeatingOp(CallingOp):
    """
    An op that calls a function until its limit, and while its condition is true.

    With `must_end`, a run fails if the condition is still true at the limit.
    """

    body = prop_def(FlatSymbolRefAttrConstr)
    must_end: UnitAttr | None = opt_prop_def(UnitAttr)

    STILL_TRUE: ClassVar[str] = (
        "expected a condition that ends the loop, got one that is true after the most "
        "iterations that there may be"
    )

    if TYPE_CHECKING:
        limit: SSAValue | None
        condition: SSAValue | None

    def check_iterations(self, count: Attribute, condition: Attribute) -> None:
        """Raise unless a limit of type `count`, or a `condition`, ends the loop."""
        if self.limit is None and self.condition is None:
            raise VerifyException("expected a limit or a condition, got neither")
        self.check_scalar("limit", count)
        self.check_scalar("condition", condition)
        if self.must_end is not None and None in (self.limit, self.condition):
            raise VerifyException("expected a limit and a condition with must_end")

    def still_true(self) -> ExecutionError:
        """Return the error of a run in which the condition did not end the loop."""
        place = f"({self.name}, from {name_of(self)})"
        return ExecutionError(f"{self.STILL_TRUE} {place}")


class ControlFlowOp(CallingOp):
    """
    An op of tensors whose functions see nothing but their arguments.

    They are private, take and return row-major tensors, load constants alone and save
    nothing. `analysis/calls.py` checks that.
    """

    NO_GRADIENT: ClassVar[str] = "its functions may have none"

    traits = traits_def(Pure())

    outputs = var_result_def(TENSOR)

    if TYPE_CHECKING:
        inputs: Sequence[SSAValue]

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue] | None],
        result_types: Sequence[Attribute],
        /,
        **functions: str,
    ):
        super().__init__(
            operands=operands,
            result_types=[result_types],
            properties={n: SymbolRefAttr(symbol) for n, symbol in functions.items()},
        )

    def signature(self) -> tuple[Types, Types]:
        """Return the types of arguments and of results that its functions have."""
        return types_of(self.inputs), types_of(self.outputs)

    def pass_instead(self, inputs: Sequence[SSAValue]) -> None:
        """Pass other `inputs`, which functions take last."""
        first = len(self.operands) - len(self.inputs)
        self.operands = [*self.operands[:first], *inputs]
        name = AttrSizedOperandSegments.attribute_name
        if isinstance(sizes := self.properties.get(name), DenseArrayBase):
            numbers = [int(each) for each in sizes.get_values()]
            self.properties[name] = segment_sizes([*numbers[:-1], len(inputs)])

    @abstractmethod
    def evaluate(self, arrays: Sequence[Array], run: RunFunction) -> tuple[Array, ...]:
        """Return the results for `arrays`, one per present operand, in order."""

    def _check_order(self) -> None:
        for value in (*self.operands, *self.results):
            if has_layout(value):
                raise VerifyException(f"expected row-major tensors, got {value.type}")


@define_op
class CallFunctionOp(ControlFlowOp):
    """
    The results of a function for `inputs`.

    A function with the attribute `composite` is one op to who wrote the model.
    `inline-functions` replaces calls by the ops of functions. The attribute `gradient`
    names a function of its inputs, its results and a gradient for each of these, which
    returns those of the inputs of floats; else they follow from the ops of the body.

    Shapes: the arguments of the function as inputs, its results as those of the op.
    Errors: tensors with a layout; a function that is unknown, has another type or saves
    a value (checked by module).
    Source: MLIR's func.call, of tensors; ONNX's functions.

    ```mlir
    %y = graph.call @gelu(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.call"

    inputs = var_operand_def(TENSOR)
    callee = prop_def(FlatSymbolRefAttrConstr)

    assembly_format = (
        "$callee `(` $inputs `)` attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        callee: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
    ):
        super().__init__([inputs], result_types, callee=callee)

    def verify_(self) -> None:
        self._check_order()

    def evaluate(self, arrays: Sequence[Array], run: RunFunction) -> tuple[Array, ...]:
        return tuple(run(self.callees[0], arrays))


@define_op
class IfOp(ChoosingOp, ControlFlowOp):
    """
    The results of one of two functions for `inputs`; `condition` chooses it.

    Shapes: condition a scalar of i1; the arguments of both functions as inputs, their
    results as those of the op.
    Errors: a condition of another type; tensors with a layout; a function that is
    unknown, has another type or saves a value (checked by module).
    Source: ONNX If-16.

    ```mlir
    %y = graph.if %c then @positive else @negative (%x)
        : (tensor<i1>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    name = "graph.if"

    condition = operand_def(TENSOR)
    inputs = var_operand_def(TENSOR)

    assembly_format = (
        "$condition `then` $then_function `else` $else_function `(` $inputs `)` "
        "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        condition: SSAValue,
        then_function: str,
        else_function: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            [condition, inputs],
            result_types,
            then_function=then_function,
            else_function=else_function,
        )

    def verify_(self) -> None:
        self.check_scalar("condition", CONDITION)
        if not self.outputs:
            raise VerifyException("expected at least one result, got none")
        self._check_order()

    def evaluate(self, arrays: Sequence[Array], run: RunFunction) -> tuple[Array, ...]:
        condition, *inputs = arrays
        callee = self.callees[0 if condition else 1]
        return tuple(run(callee, inputs))


@define_op
class LoopOp(RepeatingOp, ControlFlowOp):
    """
    The values that function `body` leaves of `initial` ones, iteration by iteration.

    It runs until `limit` iterations are done, if there is a limit, and while
    `condition` is true, if there is one. The body takes the number of the iteration,
    counted from 0, the values that are carried on, and `inputs`, which stay. It
    returns the next condition, if there is one, and what is carried on. With `must_end`
    the condition ends the loop, and the limit only guards against one that does not.

    Shapes: limit a scalar of i64, condition one of i1; results as initial values.
    Errors: neither a limit nor a condition; either of another type; nothing that is
    carried; results of other types than initial values; tensors with a layout; a
    function that is unknown, has another type or saves a value (checked by module);
    `must_end` without both; when run, with `must_end`, a condition that is true after
    all iterations.
    Source: ONNX Loop-21, without rows that it puts out: those are carried.

    ```mlir
    %sum = graph.loop @add limit %n : tensor<i64> carries (%x : tensor<4xf32>)
        with (%w : tensor<4xf32>) -> tensor<4xf32>
    %last = graph.loop @halve while %c : tensor<i1> carries (%x : tensor<4xf32>)
        -> tensor<4xf32>
    ```
    """

    name = "graph.loop"

    limit = opt_operand_def(TENSOR)
    condition = opt_operand_def(TENSOR)
    initial = var_operand_def(TENSOR)
    inputs = var_operand_def(TENSOR)

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "$body (`limit` $limit^ `:` type($limit))? "
        "(`while` $condition^ `:` type($condition))? "
        "`carries` `(` $initial `:` type($initial) `)` "
        "(`with` `(` $inputs^ `:` type($inputs) `)`)? "
        "attr-dict `->` type($outputs)"
    )

    def __init__(
        self,
        body: str,
        initial: Sequence[SSAValue],
        inputs: Sequence[SSAValue] = (),
        *,
        limit: SSAValue | None = None,
        condition: SSAValue | None = None,
        must_end: bool = False,
    ):
        super().__init__(
            [limit, condition, initial, inputs], types_of(initial), body=body
        )
        if must_end:
            self.must_end = UnitAttr()

    def verify_(self) -> None:
        self.check_iterations(COUNT, CONDITION)
        if not self.initial:
            raise VerifyException("expected at least one value to carry, got none")
        expected, got = types_of(self.initial), types_of(self.outputs)
        if expected != got:
            types = [", ".join(map(str, each)) for each in (expected, got)]
            raise VerifyException(f"expected results {types[0]}, got {types[1]}")
        self._check_order()

    def carry_also(self, initial: Sequence[SSAValue], body: str) -> list[SSAValue]:
        """Carry `initial` too, behind others, by another body; return its results."""
        limits = [v for v in (self.limit, self.condition) if v is not None]
        carried, inputs = [*self.initial, *initial], list(self.inputs)
        sizes = [int(self.limit is not None), int(self.condition is not None)]
        sizes += [len(carried), len(inputs)]
        first = len(self.results)
        self.operands = [*limits, *carried, *inputs]
        name = AttrSizedOperandSegments.attribute_name
        self.properties[name] = DenseArrayBase.from_list(i32, sizes)
        made = [OpResult(v.type, self, first + n) for n, v in enumerate(initial)]
        self.results = SSAValues((*self.results, *made))
        self.call_instead(body)
        return list[SSAValue](made)

    def signature(self) -> tuple[Types, Types]:
        carried, inputs = types_of(self.initial), types_of(self.inputs)
        first = () if self.condition is None else (CONDITION,)
        return (COUNT, *carried, *inputs), (*first, *carried)

    def evaluate(self, arrays: Sequence[Array], run: RunFunction) -> tuple[Array, ...]:
        rest = list(arrays)
        limit = None if self.limit is None else int(rest.pop(0))
        goes_on = self.condition is None or bool(rest.pop(0))
        count = len(self.initial)
        carried, inputs = rest[:count], rest[count:]
        done = 0
        while goes_on and (limit is None or done < limit):
            results = list(run(self.callees[0], [np.array(done), *carried, *inputs]))
            goes_on = self.condition is None or bool(results.pop(0))
            carried = results
            done += 1
        if goes_on and self.must_end is not None:
            raise self.still_true()
        return tuple(carried)


def gradient_of(function: FuncOp) -> str:
    """Return the name of the function that is the gradient of one; "" for others."""
    name = function.attributes.get(GRADIENT)
    return name.string_value() if isinstance(name, SymbolRefAttr) else ""


def composite_of(function: FuncOp) -> str:
    """Return the name of the composite that a function is; "" for other functions."""
    name = function.attributes.get(COMPOSITE)
    return name.data if isinstance(name, StringAttr) else ""
