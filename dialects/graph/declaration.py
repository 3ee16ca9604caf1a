"""Ops that one class statement declares: elementwise ones, and bases of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from xdsl.dialects.builtin import AnyTensorType, f32, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, result_def

from glow.dialects.graph.backward import GradientRule
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.arrays import Array
from glow.support.discovery import defined_in, modules_in
from glow.support.shapes import broadcast, same_element
from glow.support.types import (
    FLOAT,
    NUMBER,
    ElementSet,
    element_of,
    is_float,
    shape_of,
    tensor,
)


class Scalar(Protocol):
    """
    One element of a tensor, as code that runs later; numbers take its type.

    Integers wrap, divisions of them truncate, and with NaN only `!=` holds.
    """

    @property
    def element(self) -> Attribute: ...

    def __add__(self, other: Any, /) -> Scalar: ...
    def __radd__(self, other: Any, /) -> Scalar: ...
    def __sub__(self, other: Any, /) -> Scalar: ...
    def __rsub__(self, other: Any, /) -> Scalar: ...
    def __mul__(self, other: Any, /) -> Scalar: ...
    def __rmul__(self, other: Any, /) -> Scalar: ...
    def __truediv__(self, other: Any, /) -> Scalar: ...
    def __rtruediv__(self, other: Any, /) -> Scalar: ...
    def __mod__(self, other: Any, /) -> Scalar: ...
    def __neg__(self) -> Scalar: ...
    def __and__(self, other: Any, /) -> Scalar: ...
    def __or__(self, other: Any, /) -> Scalar: ...
    def __xor__(self, other: Any, /) -> Scalar: ...
    def __invert__(self) -> Scalar: ...
    def __lshift__(self, other: Any, /) -> Scalar: ...
    def __rshift__(self, other: Any, /) -> Scalar: ...
    def __lt__(self, other: Any, /) -> Scalar: ...
    def __le__(self, other: Any, /) -> Scalar: ...
    def __gt__(self, other: Any, /) -> Scalar: ...
    def __ge__(self, other: Any, /) -> Scalar: ...
    def __eq__(self, other: Any, /) -> Scalar: ...  # pyright: ignore
    def __ne__(self, other: Any, /) -> Scalar: ...  # pyright: ignore


class Functions(Protocol):
    """The functions of elements; a lowering brings its own."""

    def absolute(self, x: Any, /) -> Scalar: ...
    def exp(self, x: Any, /) -> Scalar: ...
    def expm1(self, x: Any, /) -> Scalar: ...
    def tanh(self, x: Any, /) -> Scalar: ...
    def erf(self, x: Any, /) -> Scalar: ...
    def sigmoid(self, x: Any, /) -> Scalar: ...
    def softplus(self, x: Any, /) -> Scalar: ...
    def power(self, x: Any, exponent: Any, /) -> Scalar: ...
    def maximum(self, x: Any, y: Any, /) -> Scalar: ...
    def minimum(self, x: Any, y: Any, /) -> Scalar: ...
    def is_nan(self, x: Any, /) -> Scalar: ...
    def select(self, condition: Any, x: Any, y: Any, /) -> Scalar: ...
    def convert(self, x: Any, to: Attribute, /) -> Scalar: ...
    def saturated(self, x: Any, to: Attribute, /) -> Scalar: ...
    def bitcast(self, x: Any, to: Attribute, /) -> Scalar: ...
    def bits_of(self, element: Attribute, /) -> int: ...


UnaryRule = Callable[[Functions, Scalar], Scalar]
BinaryRule = Callable[[Functions, Scalar, Scalar], Scalar]
"""The rule of an op: its result from one element of its operand, or of each of two."""


_LABEL = re.compile(r"^(?=Shapes: |Errors: |Source: )", re.MULTILINE)


class DeclaredOp(GraphOp):
    """
    An op that one class statement declares.

    `class ExpOp(UnaryOp, onnx="Exp-13", compute=np.exp, rule="math.exp")` is
    `graph.exp`. Its docstring says what it computes; shapes, source and an example are
    added where it does not say them. Without `onnx`, the docstring names a source.
    `elements` are the element types that operands may have, `result` is that of the
    result where it is another. `compute` and `rule`, what happens to one element, may
    also be static methods. A class with a `name` of its own is defined as usual.
    """

    ELEMENTS: ClassVar[ElementSet] = FLOAT
    RESULT: ClassVar[Attribute | None] = None
    ONNX: ClassVar[str] = ""
    SHAPES: ClassVar[str]
    EXAMPLE: ClassVar[str]

    def __init_subclass__(
        cls,
        onnx: str = "",
        result: Attribute | None = None,
        compute: Callable[..., Array] | None = None,
        rule: str | UnaryRule | BinaryRule | None = None,
        gradient: GradientRule | None = None,
        **arguments: Any,
    ) -> None:
        """Take the declaration; a class without `compute` is a base of others."""
        if result is not None and not is_float(result):
            arguments.setdefault("no_gradient", f"its result is of {result}")
        functions: dict[str, Any]
        functions = {"compute": compute, "rule": rule}
        for name, function in functions.items():
            if function is not None:
                setattr(cls, name, staticmethod(function))
        cls.set_constants(RESULT=result, ONNX=onnx or None)
        super().__init_subclass__(gradient=gradient, **arguments)
        if "compute" in vars(cls):
            cls.__doc__ = cls._documentation()
            takes_floats = set(cls.ELEMENTS.members) & set(FLOAT.members)
            if not (takes_floats or hasattr(cls, "gradient")):
                cls.set_constants(NO_GRADIENT="it takes no floats")

    @classmethod
    def _documentation(cls) -> str:
        """Return the docstring with what follows from the declaration."""
        text, has_example, example = cleandoc(cls.__doc__ or "").partition("```mlir\n")
        body, *labels = _LABEL.split(text, maxsplit=1)
        lines = [body.rstrip(), ""]
        if "Shapes: " not in text:
            lines.append(f"Shapes: {cls.SHAPES}")
        lines += map(str.rstrip, labels)
        if cls.ONNX:
            lines.append(f"Source: ONNX {cls.ONNX}.")
        if not has_example:
            members, usual = cls.ELEMENTS.members, (f32, i32, i1)
            element = next((each for each in usual if each in members), members[0])
            result: Any = cls.RESULT or element
            example = cls.EXAMPLE.format(name=cls.name, element=element, result=result)
            example += "\n```"
        return "\n".join([*lines, "", "```mlir", example])


class ElementwiseOp(DeclaredOp):
    """
    A function of each element of its operands, which broadcast to the result.

    `rule` is that function; an op without one is not computed in a group of others.
    """

    if TYPE_CHECKING:
        rule: ClassVar[Callable[..., Any]]  # or the name of an op

    result = result_def(TENSOR)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.result)

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return self.broadcast_reordering(operand, order)


class UnaryOp(ElementwiseOp):
    """A function of each element of one tensor."""

    SHAPES: ClassVar[str] = "result as input."
    EXAMPLE: ClassVar[str] = (
        "%y = {name} %x : (tensor<2x3x{element}>) -> tensor<2x3x{result}>"
    )

    input = operand_def(TENSOR)

    assembly_format = "$input attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, input: SSAValue, **parameters: Any) -> AnyTensorType:
        return tensor(cls.RESULT or element_of(input), shape_of(input))


class BinaryOp(ElementwiseOp):
    """A function of each pair of elements of two tensors, which broadcast."""

    ELEMENTS: ClassVar[ElementSet] = NUMBER
    SHAPES: ClassVar[str] = "result is lhs and rhs broadcast together."
    EXAMPLE: ClassVar[str] = (
        "%c = {name} %a, %b\n    : (tensor<2x3x{element}>, tensor<3x{element}>)"
        " -> tensor<2x3x{result}>"
    )

    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)

    assembly_format = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)"

    @classmethod
    def infer(cls, lhs: SSAValue, rhs: SSAValue, **parameters: Any) -> AnyTensorType:
        element = same_element(lhs, rhs)
        return tensor(cls.RESULT or element, broadcast(lhs, rhs))


def declared(base: type[DeclaredOp]) -> dict[str, type[DeclaredOp]]:
    """Map ONNX operators to the ops of kind `base` that are declared to be them."""
    modules = map(import_module, modules_in("glow.dialects.graph"))
    ops: list[type[DeclaredOp]] = [op for m in modules for op in defined_in(m, base)]
    return {op.ONNX.partition("-")[0]: op for op in ops if op.ONNX}
