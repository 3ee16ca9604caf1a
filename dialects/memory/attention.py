"""Attention whose scores stay in the caches: by blocks of queries, or one by one."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, UnitAttr, f64, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from glow.dialects.graph.attention import AttentionOp as GraphAttentionOp
from glow.dialects.memory.base import (
    BUFFER,
    MemoryOp,
    broadcasts_to,
    buffer_type,
    extents_of,
)
from glow.support.op_definition import define_op
from glow.support.types import is_narrow_float

PADDING = 32
"""Rows and columns that tiles may reach beyond a block."""

_SIDES = ("left", "right")
_SCORING = GraphAttentionOp.declared()


class HeadsOp(MemoryOp):
    """Attention of heads on an axis of their own, with room for scores."""

    query = operand_def(BUFFER)
    key = operand_def(BUFFER)
    value = operand_def(BUFFER)
    valid_length = opt_operand_def(BUFFER)
    scratch = operand_def(BUFFER)
    result = operand_def(BUFFER)

    scale = prop_def(FloatAttr.constr(f64))
    right_window_size = _SCORING["right_window_size"].definition()

    def seen(self) -> int:
        """Return how many keys the queries of a head see, if all keys are valid."""
        queries, keys = extents_of(self.query)[2], extents_of(self.key)[2]
        left, right = (_number(self, f"{side}_window_size") for side in _SIDES)
        first = 0 if self.valid_length is None else keys - queries
        return sum(
            max(0, min(keys, at + right + 1 if right >= 0 else keys))
            - max(0, min(keys, at - left if left >= 0 else 0))
            for at in range(first, first + queries)
        )

    def flops(self) -> int:
        """Return the products with keys and values, and five ops for each score."""
        batch, heads, _, elements = extents_of(self.query)
        width = extents_of(self.value)[-1]
        return batch * heads * self.seen() * (2 * (elements + width) + 5)

    def check_heads(self, room: int) -> None:
        """Raise unless extents go together, with `room` elements of scratch."""
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
            "scratch": (room,),
            "result": (batch, heads, length, value[-1]),
        }
        for name, extents in wanted.items():
            buffer: SSAValue | None = getattr(self, name)
            if buffer is not None and extents_of(buffer) != extents:
                raise VerifyException(
                    f"expected {name} of shape {list(extents)}, "
                    f"got {buffer_type(buffer)}"
                )


@define_op
class AttentionOp(HeadsOp):
    """
    softmax(scale * query @ key^T + bias, where seen) @ value, block by block.

    Means the same as `graph.attention` of heads on an axis of their own without a past;
    a key that `valid_length` or a window hides from all queries of a block is not read.
    -1 is a window without end. A block has `query_block` queries, of all heads that
    share a key if `joins_heads`, and meets `key_block` keys at a time: their scores,
    running maxima and sums are in the scratch (Milakov and Gimelshein, *Online
    normalizer calculation for softmax*, 2018; Dao et al., *FlashAttention*, 2022).

    Shapes: query [batch, heads, L, E], key [batch, kv heads, T, E], value [batch, kv
        heads, T, V], mask (i1) and bias broadcast to [batch, heads, L, T],
        valid_length [batch] of integers, scratch as `room` says, result [batch,
        heads, L, V].
    Errors: other extents, heads in no groups, blocks without elements.

    ```mlir
    memory.attention ins(%q : memref<1x4x8x8xf32>, %k : memref<1x2x8x8xf32>,
        %v : memref<1x2x8x8xf32>) scratch(%s : memref<2976xf32>)
        outs(%y : memref<1x4x8x8xf32>)
        {scale = 0.5 : f64, query_block = 16 : i64, key_block = 8 : i64}
    ```
    """

    name = "memory.attention"

    mask = opt_operand_def(BUFFER)
    bias = opt_operand_def(BUFFER)

    softcap = _SCORING["softcap"].definition()
    left_window_size = _SCORING["left_window_size"].definition()
    masked_score = _SCORING["masked_score"].definition()
    unseen = _SCORING["unseen"].definition()
    joins_heads = opt_prop_def(UnitAttr)
    query_block = prop_def(IntegerAttr.constr(i64))
    key_block = prop_def(IntegerAttr.constr(i64))

    def room(self) -> dict[str, int]:
        """Return where each part of the scratch begins, and its size as `size`."""
        return room_of(
            self.query_block.value.data,
            self.key_block.value.data,
            extents_of(self.query)[-1],
            extents_of(self.value)[-1],
            *(self.by_query(value) for value in (self.mask, self.bias)),
            is_narrow=is_narrow_float(buffer_type(self.key).element_type),
        )

    def by_query(self, value: SSAValue | None) -> bool:
        """Return whether a mask or bias differs between the queries of a block."""
        if value is None:
            return False
        return is_by_query(extents_of(value), self.joins_heads is not None)

    def verify_(self) -> None:
        for name in ("query_block", "key_block"):
            size = getattr(self, name).value.data
            if size < 1:
                raise VerifyException(f"expected {name} of at least 1, got {size}")
        self.check_heads(self.room()["size"])
        query, key = extents_of(self.query), extents_of(self.key)
        scores = (*query[:3], key[2])
        for name in ("mask", "bias"):
            buffer = getattr(self, name)
            if buffer is not None and not broadcasts_to(buffer, scores):
                raise VerifyException(
                    f"expected {name} that broadcasts to {list(scores)}, "
                    f"got {buffer_type(buffer)}"
                )


@define_op
class DecodeAttentionOp(HeadsOp):
    """
    softmax(scale * query @ key^T) @ value over the first `valid_length` keys, or all.

    Nothing beyond those is read, nor beyond all keys, whatever the length. A query that
    sees none gives 0. The last query is at position valid_length - 1 or, without
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

    def verify_(self) -> None:
        self.check_heads(extents_of(self.key)[-2])


def _number(op: MemoryOp, name: str) -> int:
    """Return a property of `op`; -1 where it has none of the name."""
    found = op.properties.get(name)
    return found.value.data if isinstance(found, IntegerAttr) else -1


def is_by_query(extents: tuple[int, ...], joins_heads: bool) -> bool:
    """Return whether what broadcasts to scores differs between queries of a block."""
    axes = extents[-3:-1] if joins_heads else extents[-2:-1]
    return any(n > 1 for n in axes)


def room_of(
    query_block: int,
    key_block: int,
    elements: int,
    value_elements: int,
    has_masks: bool,
    has_biases: bool,
    is_narrow: bool = False,
) -> dict[str, int]:
    """
    Return where each part of a scratch begins, and the `size` of all, in elements.

    The parts: queries transposed, scores by key, sums of values by query, six numbers
    for each query, where mask and bias have rows of queries, these transposed, and
    keys in f32 if they are stored in 16 bits.
    """
    line = value_elements + PADDING
    sizes = {
        "queries": elements * query_block,
        "scores": (key_block + PADDING) * query_block,
        "sums": (query_block + PADDING) * line,
        **dict.fromkeys(NUMBERS, query_block + PADDING),
        "mask": key_block * query_block * has_masks,
        "bias": key_block * query_block * has_biases,
        "keys": key_block * elements * is_narrow,
    }
    starts, start = dict[str, int](), 0
    for name, size in sizes.items():
        starts[name] = start
        start += size
    return starts | {"size": start}


NUMBERS = ("peak", "total", "shrinkage", "best", "first", "last")
"""Numbers kept of each query: the largest score and the sum of exponentials so far,
what to multiply older sums by, the best shift, and the keys seen: first <= t < last."""
