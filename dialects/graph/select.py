"""Elementwise ops that choose, keep, convert or bound values."""

from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyTensorType, f32, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import result_def
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.backward import Backward
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import ElementwiseOp, Functions, Scalar
from glow.dialects.graph.optional import Neutral, Neutrals
from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.reordering import Order, Reordering, broadcast_map
from glow.support.arrays import Array
from glow.support.dtypes import limits_of
from glow.support.element_conversion import convert
from glow.support.shapes import broadcast, same_element
from glow.support.types import (
    ANY,
    BOOL,
    COMPUTED,
    FLOAT,
    NUMBER,
    dtype_of,
    element_of,
    is_bool,
    is_float,
    shape_of,
    tensor,
    tensor_type,
)


class WhereOp(ElementwiseOp, onnx="Where-16", elements=BOOL, moves=True):
    """
    lhs where the condition is true, rhs elsewhere; the three broadcast.

    Shapes: result is condition, lhs and rhs broadcast together.

    ```mlir
    %y = graph.where %c, %a, %b
        : (tensor<3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    ```
    """

    @staticmethod
    def infer(condition: SSAValue, lhs: SSAValue, rhs: SSAValue) -> AnyTensorType:
        ANY.check(lhs, rhs)
        return tensor(same_element(lhs, rhs), broadcast(condition, lhs, rhs))

    @staticmethod
    def compute(condition: Array, lhs: Array, rhs: Array) -> Array:
        return np.where(condition, lhs, rhs)

    @staticmethod
    def rule(f: Functions, condition: Scalar, x: Scalar, y: Scalar) -> Scalar:
        return f.select(condition, x, y)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return None, b.xp.where(b.condition, b.g, 0), b.xp.where(b.condition, 0, b.g)


class CastOp(ElementwiseOp, moves=True, elements=ANY):
    """
    The input with elements of type `to`.

    Floats become integers by truncation. NaN and what is out of range become the
    lowest i32 or i64, as in ONNX Runtime on x86; integers of 16 bits and fewer are the
    low bits of that i32, and floats from 2^31 or 2^63 on become ui32 or ui64 without
    their highest bit, which is set after. With `saturate`, NaN becomes 0 and the others
    the nearest integer that exists. Anything but 0 becomes true, NaN as well.

    Shapes: result as input.
    Source: ONNX Cast-13; its `saturate` came with 19, for types that we lack.

    ```mlir
    %y = graph.cast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, to: Attribute) -> AnyTensorType:
        dtype_of(to)
        return tensor(to, shape_of(input))

    @staticmethod
    def compute(input: Array, *, to: Attribute, saturate: bool = False) -> Array:
        return convert(input, dtype_of(to), saturate)

    @staticmethod
    def rule(f: Functions, x: Scalar, *, to: Attribute, saturate: bool) -> Scalar:
        truncates = is_float(x.element) and not is_float(to) and not is_bool(to)
        return f.saturated(x, to) if saturate and truncates else f.convert(x, to)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g


class BitcastOp(
    ElementwiseOp,
    moves=True,
    elements=COMPUTED,
    no_gradient="it reads bits as those of another type",
):
    """
    The input's bits as elements of type `to`, which has as many; a bool has 8.

    Shapes: result as input.
    Errors: a type of another width; bools as a result, as other bits have no meaning.
    Source: ONNX BitCast-26.

    ```mlir
    %y = graph.bitcast %x {to = i32} : (tensor<2x3xf32>) -> tensor<2x3xi32>
    ```
    """

    @staticmethod
    def infer(input: SSAValue, *, to: Attribute) -> AnyTensorType:
        result = tensor(to, shape_of(input))
        NUMBER.check(result)
        if dtype_of(to).itemsize != dtype_of(element_of(input)).itemsize:
            raise VerifyException(
                f"expected an element type as wide as {element_of(input)}, got {to}"
            )
        return result

    @staticmethod
    def compute(input: Array, *, to: Attribute) -> Array:
        return input.view(dtype_of(to))

    @staticmethod
    def rule(f: Functions, x: Scalar, *, to: Attribute) -> Scalar:
        return f.convert(x, to) if is_bool(x.element) else f.bitcast(x, to)


def _check_scalar(name: str, value: SSAValue | None) -> None:
    if value is not None and shape_of(value) != ():
        raise VerifyException(f"expected a scalar {name}, got {tensor_type(value)}")


class ClipOp(ElementwiseOp, moves=True, elements=NUMBER):
    """
    The input held between min and max; where min is above max, max.

    An absent bound is the lowest or highest finite value of the type, so infinities
    become finite. NaN stays NaN, and a bound that is NaN does not bound.

    Shapes: input any, min and max without axes, result as input.
    Errors: a bound that is not a scalar, several element types.
    Source: ONNX Clip-13.

    ```mlir
    %y = graph.clip %x min %a : tensor<f32> max %b : tensor<f32>
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    """

    @staticmethod
    def neutrals() -> Neutrals:
        return {
            "min": Neutral("lowest", lambda op: ()),
            "max": Neutral("highest", lambda op: ()),
        }

    @staticmethod
    def infer(
        input: SSAValue, min: SSAValue | None = None, max: SSAValue | None = None
    ) -> AnyTensorType:
        _check_scalar("bound", min)
        _check_scalar("bound", max)
        return tensor(same_element(input, min, max), shape_of(input))

    @staticmethod
    def compute(
        input: Array, min: Array | None = None, max: Array | None = None
    ) -> Array:
        dtype = input.dtype
        limits = limits_of(dtype)
        low = dtype.type(limits.min) if min is None else min
        high = dtype.type(limits.max) if max is None else max
        raised = np.where(input < low, low, input)
        return np.where(raised > high, high, raised)

    @staticmethod
    def rule(f: Functions, x: Scalar, min: Scalar | None, max: Scalar | None) -> Scalar:
        """
        Bound by what is given, or else a float by the finite ones of its type.

        By the order of operands, a bound of NaN, or a zero equal to x, leaves x.
        """
        bounds: tuple[Scalar | float | None, ...] = (min, max)
        if is_float(x.element):
            most = float(limits_of(dtype_of(x.element)).max)
            bounds = (-most if min is None else min, most if max is None else max)
        low, high = bounds
        if low is not None:
            x = f.select(x < low, low, x)
        return x if high is None else f.select(x > high, high, x)

    @staticmethod
    def gradient(b: Backward) -> Any:
        x, low, high = b.input, b.min, b.max
        raised, is_low, is_high = x, None, None
        if low is not None:
            is_low = x < low
            raised = b.xp.where(is_low, low, x)
        own = b.g if is_low is None else b.xp.where(is_low, 0, b.g)
        by_low = None if is_low is None else b.xp.where(is_low, b.g, 0)
        if high is None:
            return own, by_low
        is_high = raised > high
        if by_low is not None:
            by_low = b.xp.where(is_high, 0, by_low)
        return b.xp.where(is_high, 0, own), by_low, b.xp.where(is_high, b.g, 0)


class DropoutOp(GraphOp):
    """
    The input: nothing is dropped outside of training, whatever the ratio.

    With `with_mask`, the mask of kept elements is a second result: true everywhere.

    Shapes: input any, ratio without axes, result and mask as input, the mask of i1.
    Errors: a ratio that is not a scalar or not a float.
    Source: ONNX Dropout-22 with training_mode = false.

    ```mlir
    %y, %m = graph.dropout %x ratio %r {with_mask}
        : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)
    ```
    """

    result = result_def(TENSOR)

    @staticmethod
    def neutrals() -> Neutrals:
        """The ratio is ONNX's default; outside of training any would do."""
        return {"ratio": Neutral(0.5, lambda op: (), element=f32)}

    @staticmethod
    def infer(
        input: SSAValue, ratio: SSAValue | None = None
    ) -> tuple[AnyTensorType, ...]:
        if ratio is not None:
            FLOAT.check(ratio)
        _check_scalar("ratio", ratio)
        shape = shape_of(input)
        return tensor(element_of(input), shape), tensor(i1, shape)

    @staticmethod
    def compute(
        input: Array, ratio: Array | None = None, *, with_mask: bool = False
    ) -> tuple[Array, ...]:
        return (input, np.ones(input.shape, np.bool_)) if with_mask else (input,)

    def axis_map(self, operand: int, result: int = 0) -> tuple[int | None, ...]:
        return broadcast_map(self.operands[operand], self.results[result])

    def reordered(self, operand: int, order: Order) -> Reordering | None:
        return None if operand else self.in_order(order)

    @staticmethod
    def gradient(b: Backward) -> Any:
        return b.g
