"""Rows of a table that integers name, combined bag by bag."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.address import find_addressing
from glow.dialects.memory.base import MemoryOp, buffer_type
from glow.dialects.memory.window import check_kind
from glow.support.operand_segments import SEVERAL_OPERANDS

KINDS = ("sum", "mean", "max")


@irdl_op_definition
class EmbeddingBagOp(MemoryOp):
    """
    Combine rows of `table` bag by bag, each times its weight where there are weights.

    Bags follow each other in the indices: each has as many as `lengths` says, or goes
    from its offset to the next one (the last one to the end, unless `offsets` has one
    more), or is a line of the indices. An index that is `padding_idx` is in no bag; an
    empty bag is 0. Indices out of range, and lengths or offsets that do not fit, are
    run-time faults.

    Shapes: table [V, D], indices and weights [N], offsets [B] or [B + 1], lengths [B],
    result [B, D]; or indices and weights [I..., L], result [I..., D].
    Errors: an unknown kind, offsets and lengths both, indices or weights that are no
    list and not row-major.

    ```mlir
    memory.embedding_bag ins(%t, %i : memref<9x8xf32>, memref<5xi64>
        lengths %l : memref<2xi64>) outs(%y : memref<2x8xf32>) {kind = "sum"}
    ```
    """

    name = "memory.embedding_bag"

    table = operand_def(MemRefType.constr(AnyAttr()))
    indices = operand_def(MemRefType.constr(AnyAttr()))
    offsets = opt_operand_def(MemRefType.constr(AnyAttr()))
    lengths = opt_operand_def(MemRefType.constr(AnyAttr()))
    weights = opt_operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    kind = prop_def(StringAttr)
    padding_idx = opt_prop_def(IntegerAttr.constr(i64))
    include_last_offset = opt_prop_def(UnitAttr)

    irdl_options = SEVERAL_OPERANDS

    assembly_format = (
        "`ins` `(` $table `,` $indices `:` type($table) `,` type($indices)"
        " (`offsets` $offsets^ `:` type($offsets))?"
        " (`lengths` $lengths^ `:` type($lengths))?"
        " (`weights` $weights^ `:` type($weights))? `)`"
        " `outs` `(` $result `:` type($result) `)` attr-dict"
    )

    def __init__(
        self,
        table: SSAValue,
        indices: SSAValue,
        offsets: SSAValue | None,
        lengths: SSAValue | None,
        weights: SSAValue | None,
        result: SSAValue,
        *,
        kind: str,
        padding_idx: int | None = None,
        include_last_offset: bool = False,
    ):
        padding = None if padding_idx is None else IntegerAttr(padding_idx, i64)
        super().__init__(
            operands=[table, indices, offsets, lengths, weights, result],
            properties={
                "kind": StringAttr(kind),
                "padding_idx": padding,
                "include_last_offset": UnitAttr() if include_last_offset else None,
            },
        )

    def verify_(self) -> None:
        check_kind(self.kind, KINDS)
        if self.offsets is not None and self.lengths is not None:
            raise VerifyException("expected offsets or lengths, got both")
        for name, value in (("indices", self.indices), ("weights", self.weights)):
            if value is not None and not _is_list(value):
                raise VerifyException(
                    f"expected {name} that are a list or row-major, got {value.type}"
                )


def _is_list(value: SSAValue) -> bool:
    """Return whether the elements of `value` follow each other by one stride."""
    found = find_addressing(buffer_type(value))
    return found is not None and (len(found.shape) == 1 or found.is_contiguous)
