"""Attention of few queries to all keys, or as many as a run says."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType, f64, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.memory.base import MemoryOp, buffer_type, extents_of


@irdl_op_definition
class DecodeAttentionOp(MemoryOp):
    """
    softmax(scale * query @ key^T) @ value over the first `valid_length` keys, or all.

    Nothing behind those is read. A query that sees none gives 0; a length beyond all
    keys stands for all. The last query is at position valid_length - 1 or, without
    one, the first at 0; it sees keys that are at most `right_window_size` positions
    ahead, any for -1. Each query is computed by itself. Query heads are in
    groups of equal size, one for each head of key and value.

    Shapes: query [batch, heads, L, E], key [batch, kv heads, T, E], value [batch, kv
    heads, T, V], valid_length [batch] of integers, scratch [T], result [batch, heads,
    L, V].
    Errors: other extents, heads in no groups.

    ```mlir
    memory.decode_attention ins(%q : memref<1x4x1x8xf32>, %k : memref<1x2x16x8xf32>,
        %v : memref<1x2x16x8xf32> valid_length %n : memref<1xi64>)
        scratch(%s : memref<16xf32>) outs(%y : memref<1x4x1x8xf32>) {scale = 0.5 : f64}
    ```
    """

    name = "memory.decode_attention"

    query = operand_def(MemRefType.constr(AnyAttr()))
    key = operand_def(MemRefType.constr(AnyAttr()))
    value = operand_def(MemRefType.constr(AnyAttr()))
    valid_length = opt_operand_def(MemRefType.constr(AnyAttr()))
    scratch = operand_def(MemRefType.constr(AnyAttr()))
    result = operand_def(MemRefType.constr(AnyAttr()))

    scale = prop_def(FloatAttr.constr(f64))
    right_window_size = prop_def(IntegerAttr.constr(i64), IntegerAttr(-1, i64))

    WRITES: ClassVar = ("scratch", "result")

    irdl_options = (
        AttrSizedOperandSegments(as_property=True),
        ParsePropInAttrDict(),
    )

    assembly_format = (
        "`ins` `(` $query `:` type($query) `,` $key `:` type($key) `,` $value `:` "
        "type($value) (`valid_length` $valid_length^ `:` type($valid_length))? `)` "
        "`scratch` `(` "
        "$scratch `:` type($scratch) `)` `outs` `(` $result `:` type($result) `)` "
        "attr-dict"
    )

    def __init__(
        self,
        query: SSAValue,
        key: SSAValue,
        value: SSAValue,
        valid_length: SSAValue | None,
        scratch: SSAValue,
        result: SSAValue,
        *,
        scale: float,
        right_window_size: int = -1,
    ):
        super().__init__(
            operands=[query, key, value, valid_length, scratch, result],
            properties={
                "scale": FloatAttr(scale, f64),
                "right_window_size": IntegerAttr(right_window_size, i64),
            },
        )

    def verify_(self) -> None:
        query, key = extents_of(self.query), extents_of(self.key)
        value = extents_of(self.value)
        if len(query) != 4 or len(key) != 4 or not key[1] or query[1] % key[1]:
            raise VerifyException(
                "expected heads in groups, one for each head of keys, got "
                f"{buffer_type(self.query)}, {buffer_type(self.key)}"
            )
        batch, heads, length, elements = query
        wanted = {
            "key": (batch, key[1], key[2], elements),
            "value": (batch, key[1], key[2], value[-1]),
            "valid_length": (batch,),
            "scratch": (key[2],),
            "result": (batch, heads, length, value[-1]),
        }
        for name, extents in wanted.items():
            buffer: SSAValue | None = getattr(self, name)
            if buffer is not None and extents_of(buffer) != extents:
                raise VerifyException(
                    f"expected {name} of shape {list(extents)}, "
                    f"got {buffer_type(buffer)}"
                )
