"""Ops that turn a neighbourhood or an axis into one element: pools, reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
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
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.compute import ints

POOLS = ("max", "avg", "lp")
REDUCTIONS = (
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "l1",
    "l2",
    "sum_square",
    "log_sum",
    "log_sum_exp",
)


def check_kind(kind: StringAttr, kinds: Sequence[str]) -> None:
    if kind.data not in kinds:
        raise VerifyException(
            f'expected a kind out of {", ".join(kinds)}, got "{kind.data}"'
        )


@irdl_op_definition
class PoolOp(MemoryOp):
    """
    Reduce a window around each place to one element; windows are clipped to the input.

    Shapes: input [N, C, spatial...], result [N, C, spatial...], indices as result (max
    only): flat row-major (or, with storage_order, column-major) places in the input.
    `pads` are those of ONNX: what ceil_mode adds at the end is not in them. avg divides
    by the number of elements, those in the pads included if `count_include_pad`.
    Errors: an unknown kind.

    ```mlir
    memory.pool ins(%x : memref<1x8x6x6xf32>) outs(%y : memref<1x8x3x3xf32>)
        {kind = "max", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>,
         pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>}
    ```
    """

    name = "memory.pool"

    input = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))
    indices = opt_operand_def(MemRefType.constr(AnyAttr()))

    kind = prop_def(StringAttr)
    kernel_shape = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    pads = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    count_include_pad = opt_prop_def(UnitAttr)
    storage_order = opt_prop_def(IntegerAttr.constr(i64))
    p = opt_prop_def(IntegerAttr.constr(i64))

    WRITES: ClassVar = ("result", "indices")

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) `)` `outs` `(` $result `:` "
        "type($result) (`,` $indices^ `:` type($indices))? `)` attr-dict"
    )

    def __init__(
        self,
        input: SSAValue,
        result: SSAValue,
        indices: SSAValue | None = None,
        *,
        kind: str,
        kernel_shape: Sequence[int],
        strides: Sequence[int],
        pads: Sequence[int],
        dilations: Sequence[int],
        count_include_pad: bool = False,
        storage_order: int = 0,
        p: int | None = None,
    ):
        super().__init__(
            operands=[input, result, indices],
            properties={
                "kind": StringAttr(kind),
                "kernel_shape": ints(kernel_shape),
                "strides": ints(strides),
                "pads": ints(pads),
                "dilations": ints(dilations),
                "count_include_pad": UnitAttr() if count_include_pad else None,
                "storage_order": IntegerAttr(storage_order, i64),
                "p": None if p is None else IntegerAttr(p, i64),
            },
        )

    def verify_(self) -> None:
        check_kind(self.kind, POOLS)


@irdl_op_definition
class ReduceOp(MemoryOp):
    """
    Reduce `axes` of the input; the result keeps them with extent 1.

    Shapes: input any, result of the same rank with 1 along `axes`.
    Errors: an unknown kind.

    ```mlir
    memory.reduce ins(%x : memref<2x3xf32>) outs(%y : memref<2x1xf32>)
        {kind = "sum", axes = array<i64: 1>}
    ```
    """

    name = "memory.reduce"

    input = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    kind = prop_def(StringAttr)
    axes = prop_def(DenseArrayBase.constr(i64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $input `:` type($input) `)` `outs` `(` $result `:` "
        "type($result) `)` attr-dict"
    )

    def __init__(
        self, input: SSAValue, result: SSAValue, *, kind: str, axes: Sequence[int]
    ):
        super().__init__(
            operands=[input, result],
            properties={"kind": StringAttr(kind), "axes": ints(axes)},
        )

    def verify_(self) -> None:
        check_kind(self.kind, REDUCTIONS)


@irdl_op_definition
class ArgReduceOp(MemoryOp):
    """
    The index of the largest (max) or smallest (min) element along one axis.

    Shapes: input any, result of the same rank with 1 along `axis`.
    Errors: an unknown kind.

    ```mlir
    memory.arg_reduce ins(%x : memref<2x3xf32>) outs(%y : memref<2x1xi64>)
        {kind = "max", axis = 1 : i64}
    ```
    """

    name = "memory.arg_reduce"

    input = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    kind = prop_def(StringAttr)
    axis = prop_def(IntegerAttr.constr(i64))
    select_last_index = opt_prop_def(UnitAttr)

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
        kind: str,
        axis: int,
        select_last_index: bool = False,
    ):
        super().__init__(
            operands=[input, result],
            properties={
                "kind": StringAttr(kind),
                "axis": IntegerAttr(axis, i64),
                "select_last_index": UnitAttr() if select_last_index else None,
            },
        )

    def verify_(self) -> None:
        check_kind(self.kind, ("max", "min"))


@irdl_op_definition
class GatherOp(MemoryOp):
    """
    Pick slices of `data` along `axis`; an index out of range is a run-time fault.

    Shapes: data [..., extent, ...], indices any, result data with indices in its place.

    ```mlir
    memory.gather ins(%x : memref<2x8xf32>, %i : memref<3xi64>)
        outs(%y : memref<2x3xf32>) {axis = 1 : i64}
    ```
    """

    name = "memory.gather"

    data = operand_def(MemRefType.constr(AnyAttr()))
    indices = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    axis = prop_def(IntegerAttr.constr(i64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $data `:` type($data) `,` $indices `:` type($indices) `)` "
        "`outs` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(self, data: SSAValue, indices: SSAValue, result: SSAValue, axis: int):
        super().__init__(
            operands=[data, indices, result],
            properties={"axis": IntegerAttr(axis, i64)},
        )
