"""Storage: named placeholders and constants, and the ops that read and write them."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyTensorType,
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    StringAttr,
    SymbolRefAttr,
    i1,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.parameters import TENSOR
from glow.dialects.graph.placeholder import (
    Placeholder,
    ResourceAttr,
    StoredConstant,
    StoredValue,
)
from glow.support.attributes import symbol_reference
from glow.support.dtypes import byte_type
from glow.support.op_construction import fill_op
from glow.support.op_definition import define_op
from glow.support.types import dtype_of, element_type_of, tensor

INLINE_ELEMENTS = 8
"""
Constants of at most so many elements stand in functions, as literals.

Uniform ones of any size do too; others are symbols.
"""


@define_op
class PlaceholderOp(Placeholder):
    """
    A named tensor that has a type and, but for an initial value, no data.

    Its direction is what a run does to it: read (in), write (out) or both (inout); one
    that is not said is found by `infer-io`. Its residency is how long its value lives:
    the caller passes or takes it at each run ("run", not printed), it is known since
    compilation ("bound"), it stays in the caller's bindings from run to run
    ("resident"), or no caller sees it ("scratch"). `initial` is the value of a bound
    one, and what a resident one has in new bindings; its bytes are in physical order.
    The axes of the shape are in the order in which the model declares them. `axes` has
    the meaning that it declares for each, empty where it does not say; of an output,
    `<= NAME` means that output NAME, which callers do not see, holds how many of its
    parts count. Nothing else is inferred from it.
    Errors: a direction other than in, out or inout; another residency; a bound one that
    is not "in" or has no initial value, a resident "out", a scratch "in" or "inout"; an
    initial value of another residency or of another type; meanings of another number of
    axes.
    Source: Glow's Placeholder; ONNX's dimension denotation.

    ```mlir
    graph.placeholder @data "in" : tensor<1x3x224x224xf32>
    graph.placeholder @image "in" axes ["DATA_BATCH", "DATA_CHANNEL", "", ""]
        : tensor<1x3x224x224xf32>
    graph.placeholder @cache "inout" "resident" initial #graph.resource<
        "2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c">
        : tensor<1x8x512x64xf32>
    ```
    """

    name = "graph.placeholder"

    type = prop_def(TENSOR)

    def verify_(self) -> None:
        self.check(self.type)


@define_op
class ConstantOp(StoredConstant):
    """
    A named tensor whose bytes are known and lie outside the IR.

    Bytes are in physical order: a type with a layout has an array of physical shape.
    The axes of a weight, and their meanings, are as the model declares them; what is
    computed from it, packed or transposed, is another constant without meanings.
    Errors: bytes of another type or size than the tensor, meanings of another number of
    axes.
    Source: Glow's Constant.

    ```mlir
    graph.constant @w #graph.resource<
        "2e99758548972a8e8822ad47fa1017ff72f06f3ff6a016851f45c398732bc50c">
        axes ["FILTER_OUT_CHANNEL", "FILTER_IN_CHANNEL", "", ""] : tensor<64x3x7x7xf32>
    ```
    """

    name = "graph.constant"

    type = prop_def(TENSOR)

    def __init__(
        self,
        sym_name: str,
        array: NDArray[Any],
        type: AnyTensorType | None = None,
        axes: ArrayAttr[StringAttr] | None = None,
    ):
        stored = type or tensor(element_type_of(array.dtype), array.shape)
        super().__init__(sym_name, ResourceAttr.of(array), stored, axes)


@define_op
class LoadOp(StoredValue):
    """
    The value that placeholder or constant `symbol` had before the run.

    Errors: an unknown symbol, another type than the symbol's (checked by module).

    ```mlir
    %x = graph.load @data : tensor<1x3x224x224xf32>
    ```
    """

    name = "graph.load"

    result = result_def(TENSOR)


@define_op
class SaveOp(IRDLOperation):
    """
    Make `value` what placeholder `symbol` holds after the run; once per placeholder.

    Errors: a constant or an input, a second save, another type (checked by module).

    ```mlir
    graph.save @logits, %y : tensor<1x1000xf32>
    ```
    """

    name = "graph.save"

    symbol = prop_def(SymbolRefAttr)
    value = operand_def(TENSOR)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$symbol `,` $value attr-dict `:` type($value)"

    def __init__(self, symbol: str, value: SSAValue):
        fill_op(self, operands=[value], properties={"symbol": symbol_reference(symbol)})


@define_op
class LiteralOp(IRDLOperation):
    """
    A constant tensor inside a function, its value in the IR.

    Meant for small values: shapes, scalars, tests.

    ```mlir
    %0 = graph.literal dense<[1.0, 2.0]> : tensor<2xf32> : tensor<2xf32>
    ```
    """

    name = "graph.literal"

    value = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), ConstantLike())

    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, array: NDArray[Any], type: AnyTensorType | None = None):
        """Build the literal `array`; `type` may say in which layout its value lies."""
        array = np.asarray(array)
        type_ = type or tensor(element_type_of(array.dtype), array.shape)
        if array.size and not any(array.strides):
            array = np.array([array.flat[0]])  # one element stands for a splat
        if type_.element_type == i1:
            array = -array.astype(np.int8)  # true is stored as -1
        array = array.astype(byte_type(array.dtype), copy=False)
        data = DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(array.tobytes()))
        super().__init__(result_types=[type_], properties={"value": data})

    @property
    def array(self) -> NDArray[Any]:
        """The value as a read-only array of the result's shape; a splat has no size."""
        type_ = self.value.type
        shape, dtype = type_.get_shape(), dtype_of(type_.element_type)
        stored = np.int8 if dtype == np.bool_ else byte_type(dtype)
        values = np.frombuffer(self.value.data.data, stored).astype(dtype, copy=False)
        if values.size == 1 != prod(shape):
            return np.broadcast_to(values.reshape(()), shape)
        return values.reshape(shape)

    def verify_(self) -> None:
        if self.value.type != self.result.type:
            raise VerifyException(
                f"expected result {self.value.type}, got {self.result.type}"
            )


StorageOp = PlaceholderOp | ConstantOp
