"""Ops that relate each element to its neighbours along an axis: normalizations."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)

from glow.dialects.memory._lines import LineOp
from glow.dialects.memory.address import same_place
from glow.dialects.memory.base import MemoryOp
from glow.support.operand_segments import SEVERAL_OPERANDS


@irdl_op_definition
class SoftmaxOp(LineOp):
    """
    exp(x - max) / sum along one axis, or its logarithm (`log`).

    Shapes: result as input.

    ```mlir
    memory.softmax ins(%x : memref<2x3xf32>) outs(%y : memref<2x3xf32>)
        {axis = 1 : i64}
    ```
    """

    name = "memory.softmax"

    log = opt_prop_def(UnitAttr)


@irdl_op_definition
class LayerNormOp(MemoryOp):
    """
    Normalise over the axes from `axis` on, then scale and shift.

    Shapes: input and result any, scale and bias the normalised shape (broadcast),
    mean and inv_std_dev with 1 along the normalised axes.

    ```mlir
    memory.layer_norm ins(%x : memref<2x3xf32> scale %s : memref<3xf32>)
        outs(%y : memref<2x3xf32>) {axis = 1 : i64, epsilon = 1.0e-05 : f64}
    ```
    """

    name = "memory.layer_norm"

    input = operand_def(MemRefType.constr(AnyAttr()))
    scale = opt_operand_def(MemRefType.constr(AnyAttr()))
    bias = opt_operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))
    mean = opt_operand_def(MemRefType.constr(AnyAttr()))
    inv_std_dev = opt_operand_def(MemRefType.constr(AnyAttr()))

    axis = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(FloatAttr.constr(f64))

    WRITES: ClassVar = ("result", "mean", "inv_std_dev")

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "`ins` `(` $input `:` type($input) (`scale` $scale^ `:` type($scale))? "
        "(`bias` $bias^ `:` type($bias))? `)` `outs` `(` $result `:` "
        "type($result) (`mean` $mean^ `:` type($mean))? (`inv_std_dev` "
        "$inv_std_dev^ `:` type($inv_std_dev))? `)` attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue | None,
        bias: SSAValue | None,
        result: SSAValue,
        mean: SSAValue | None = None,
        inv_std_dev: SSAValue | None = None,
        *,
        axis: int,
        epsilon: float,
    ):
        super().__init__(
            operands=[input, scale, bias, result, mean, inv_std_dev],
            properties={
                "axis": IntegerAttr(axis, i64),
                "epsilon": FloatAttr(epsilon, f64),
            },
        )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        pair = (self.input, self.result)
        return [pair] if same_place(*pair) else []


@irdl_op_definition
class RmsNormOp(MemoryOp):
    """
    Divide by the root of the mean square over the axes from `axis` on, then scale.

    Shapes: input and result any, scale the normalised shape (broadcast).

    ```mlir
    memory.rms_norm ins(%x : memref<2x3xf32> scale %s : memref<3xf32>)
        outs(%y : memref<2x3xf32>) {axis = 1 : i64, epsilon = 1.0e-05 : f64}
    ```
    """

    name = "memory.rms_norm"

    input = operand_def(MemRefType.constr(AnyAttr()))
    scale = opt_operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    axis = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(FloatAttr.constr(f64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) (`scale` $scale^ `:` type($scale))? `)` "
        "`outs` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        scale: SSAValue | None,
        result: SSAValue,
        *,
        axis: int,
        epsilon: float,
    ):
        super().__init__(
            operands=[input, scale, result],
            properties={
                "axis": IntegerAttr(axis, i64),
                "epsilon": FloatAttr(epsilon, f64),
            },
        )

    def in_place_pairs(self) -> list[tuple[SSAValue, SSAValue]]:
        pair = (self.input, self.result)
        return [pair] if same_place(*pair) else []


@irdl_op_definition
class LrnOp(MemoryOp):
    """
    Local response normalisation across channels (axis 1).

    y = x / (bias + alpha / size * sum of squares of `size` neighbours) ** beta

    Shapes: input [N, C, spatial...], result as input.

    ```mlir
    memory.lrn ins(%x : memref<1x8x6x6xf32>) outs(%y : memref<1x8x6x6xf32>)
        {size = 5 : i64, alpha = 1.0e-04 : f64, beta = 0.75 : f64, bias = 1.0 : f64}
    ```
    """

    name = "memory.lrn"

    input = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    size = prop_def(IntegerAttr.constr(i64))
    alpha = prop_def(FloatAttr.constr(f64))
    beta = prop_def(FloatAttr.constr(f64))
    bias = prop_def(FloatAttr.constr(f64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) `)` `outs` `(` $result `:` "
        "type($result) `)` attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        result: SSAValue,
        *,
        size: int,
        alpha: float,
        beta: float,
        bias: float,
    ):
        super().__init__(
            operands=[input, result],
            properties={
                "size": IntegerAttr(size, i64),
                "alpha": FloatAttr(alpha, f64),
                "beta": FloatAttr(beta, f64),
                "bias": FloatAttr(bias, f64),
            },
        )
