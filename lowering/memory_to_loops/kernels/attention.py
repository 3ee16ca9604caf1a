"""Attention in blocks: scores of some queries and keys, which stay in the caches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from glow.codegen.loops import flattened
from glow.codegen.values import Value
from glow.lowering.memory_to_loops.kernels.attention_block import Block
from glow.lowering.memory_to_loops.kernels.attention_parts import (
    MOVED,
    TENSORS,
    AttentionRow,
    Form,
)
from glow.lowering.memory_to_loops.kernels.kernel import Call, Kernel, Operand


@dataclass(frozen=True)
class Attention(Kernel):
    """
    For each block of queries: scores, their exponentials, and sums of values.

    Queries are columns: a vector has one number of each. Elements of a head are
    neighbors in query, key, value and result.
    Unit: a block of queries.
    Scratch: all that a block keeps; pieces that run at once need their own.
    """

    form: Form
    element: Attribute
    optional: tuple[tuple[str, Attribute], ...]
    """The types of mask, bias and valid lengths, those that are given."""
    levels: int

    @property
    def prefix(self) -> str:
        return "attention"

    def operands(self) -> Mapping[str, Operand]:
        data = Operand(self.element, f32)
        operands = dict.fromkeys(TENSORS, data)
        for name, element in self.optional:
            operands[name] = Operand(element, f32 if name == "bias" else element)
        return {**operands, "scratch": Operand(f32)}

    def row(self) -> AttentionRow[int]:
        return AttentionRow.like(self.levels)

    def write(self, call: Call, row: AttentionRow[Value]) -> None:
        for starts in flattened(row.blocks, len(MOVED), call.range):
            at = dict(zip(MOVED, starts, strict=True))
            Block(self.form, call, row, at).write()
