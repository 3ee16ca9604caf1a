"""Ops that read or write where integers say that are known only when they run."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
)

from glow.dialects.memory.base import MemoryOp
from glow.dialects.memory.window import check_kind

COMBINATIONS = ("none", "add", "mul", "max", "min")


@irdl_op_definition
class GatherNdOp(MemoryOp):
    """
    Pick slices of `data` by tuples of indices; one out of range is a run-time fault.

    Shapes: data [batch..., D1, ..., Dk, slice...], indices [batch..., I..., k], result
    [batch..., I..., slice...].

    ```mlir
    memory.gather_nd ins(%x : memref<2x8x4xf32>, %i : memref<2x3x1xi64>)
        outs(%y : memref<2x3x4xf32>) {batch_dims = 1 : i64}
    ```
    """

    name = "memory.gather_nd"

    data = operand_def(MemRefType.constr(AnyAttr()))
    indices = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    batch_dims = prop_def(IntegerAttr.constr(i64))

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $data `:` type($data) `,` $indices `:` type($indices) `)` "
        "`outs` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self, data: SSAValue, indices: SSAValue, result: SSAValue, *, batch_dims: int
    ):
        super().__init__(
            operands=[data, indices, result],
            properties={"batch_dims": IntegerAttr(batch_dims, i64)},
        )


@irdl_op_definition
class ScatterNdOp(MemoryOp):
    """
    Write `updates` to slices of `result`; an index out of range is a run-time fault.

    What is there is replaced (none) or combined; updates of one slice come one after
    the other in row-major order.

    Shapes: result [batch..., D1, ..., Dk, slice...], indices [batch..., I..., k],
    updates [batch..., I..., slice...].
    Errors: an unknown kind.

    ```mlir
    memory.scatter_nd ins(%i : memref<3x1xi64>, %u : memref<3x4xf32>)
        inouts(%y : memref<8x4xf32>) {batch_dims = 0 : i64, kind = "add"}
    ```
    """

    name = "memory.scatter_nd"

    indices = operand_def(MemRefType.constr(AnyAttr()))
    updates = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    batch_dims = prop_def(IntegerAttr.constr(i64))
    kind = prop_def(StringAttr)

    WRITES: ClassVar = ()
    UPDATES: ClassVar = ("result",)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $indices `:` type($indices) `,` $updates `:` type($updates) `)` "
        "`inouts` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self,
        indices: SSAValue,
        updates: SSAValue,
        result: SSAValue,
        *,
        batch_dims: int,
        kind: str,
    ):
        super().__init__(
            operands=[indices, updates, result],
            properties={
                "batch_dims": IntegerAttr(batch_dims, i64),
                "kind": StringAttr(kind),
            },
        )

    def verify_(self) -> None:
        check_kind(self.kind, COMBINATIONS)


@irdl_op_definition
class TensorScatterOp(MemoryOp):
    """
    Write `updates` into `result` from one place on along `axis`, told per batch.

    A write index outside [0, D - U] is a run-time fault; where it is `circular`, places
    beyond the end go on at the front.

    Shapes: result [N, before..., D, after...], updates [N, before..., U, after...],
    write_indices [N].

    ```mlir
    memory.tensor_scatter ins(%u : memref<2x1x4xf32>, %i : memref<2xi64>)
        inouts(%y : memref<2x8x4xf32>) {axis = 1 : i64}
    ```
    """

    name = "memory.tensor_scatter"

    updates = operand_def(MemRefType.constr(AnyAttr()))
    write_indices = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    axis = prop_def(IntegerAttr.constr(i64))
    circular = opt_prop_def(UnitAttr)

    WRITES: ClassVar = ()
    UPDATES: ClassVar = ("result",)

    irdl_options = (ParsePropInAttrDict(),)

    assembly_format = (
        "`ins` `(` $updates `:` type($updates) `,` $write_indices `:` "
        "type($write_indices) `)` `inouts` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self,
        updates: SSAValue,
        write_indices: SSAValue,
        result: SSAValue,
        *,
        axis: int,
        circular: bool = False,
    ):
        super().__init__(
            operands=[updates, write_indices, result],
            properties={
                "axis": IntegerAttr(axis, i64),
                "circular": UnitAttr() if circular else None,
            },
        )
