"""Transforms of what is known at compile time: packed constants and splats."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.analysis.constants import Constant, constant_behind
from glow.analysis.uniform import element_of_constant, tensor_of
from glow.dialects.graph.base import Array
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import pack, print_layout, row_major
from glow.support.names import Names
from glow.support.types import shape_of, tensor_type


def known_behind(value: SSAValue) -> Constant | None:
    """Return the literal or loaded constant that `value` is, if its bytes are here."""
    if not isinstance(value.owner, LoadOp | LiteralOp):
        return None
    constant = constant_behind(value)
    if isinstance(constant, ConstantOp) and constant.array is None:
        return None  # the module came without its weights
    return constant


@dataclass
class FoldTransformOfSplat(RewritePattern):
    """
    transform(x) -> literal, where all elements of the constant x have the same bits.

    The literal is one element, however large x is; its layout says that padding is 0.
    """

    loaded: set[ConstantOp]
    uniform: dict[Constant, Array | None] = field(default_factory=lambda: {})

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        constant = known_behind(op.input)
        if constant is None:
            return
        if constant not in self.uniform:
            self.uniform[constant] = element_of_constant(constant)
        element = self.uniform[constant]
        if element is None:
            return
        if isinstance(constant, ConstantOp):
            self.loaded.add(constant)
        splat = np.broadcast_to(element, shape_of(op.result))
        rewriter.replace(op, LiteralOp(splat, tensor_type(op.result)))


@dataclass
class FoldTransformOfConstant(RewritePattern):
    """transform(load @w) -> load @w', whose bytes are packed; once per layout."""

    module: ModuleOp
    loaded: set[ConstantOp]
    packed: dict[tuple[Constant, str], ConstantOp] = field(default_factory=lambda: {})
    origins: dict[Constant, Constant] = field(default_factory=lambda: {})
    """What the constants that were packed here were made of."""

    def __post_init__(self) -> None:
        symbols = (op.properties.get("sym_name") for op in self.module.body.ops)
        self.names = Names(s.data for s in symbols if isinstance(s, StringAttr))

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        constant = known_behind(op.input)
        if constant is None:
            return
        constant = self.origins.get(constant, constant)
        if isinstance(constant, ConstantOp) and constant.type == op.result.type:
            rewriter.replace(op, LoadOp(constant.sym_name.data, constant.type))
            return
        layout = layout_of(op.result) or row_major(len(shape_of(op.result)))
        key = (constant, print_layout(layout))
        if key not in self.packed:
            array = tensor_of(constant)
            assert array is not None  # `known_behind` saw it
            self._add(key, pack(layout, array), op)
        symbol = self.packed[key].sym_name.data
        rewriter.replace(op, LoadOp(symbol, tensor_type(op.result)))

    def _add(self, key: tuple[Constant, str], array: Array, op: TransformOp) -> None:
        constant, layout = key
        base = constant.sym_name.data if isinstance(constant, ConstantOp) else "literal"
        new = ConstantOp(
            self.names.fresh(f"{base}.{layout}"), array, tensor_type(op.result)
        )
        new.location = constant.location
        block = self.module.body.block
        if isinstance(constant, ConstantOp):
            self.loaded.add(constant)
            block.insert_op_after(new, constant)
        elif block.first_op is not None:
            block.insert_op_before(new, block.first_op)
        self.loaded.add(new)
        self.origins[new] = constant
        self.packed[key] = new


def erase_unused(module: ModuleOp, candidates: set[ConstantOp]) -> None:
    """Erase the constants among `candidates` that nothing loads any more."""
    loaded = {
        op.symbol.string_value() for op in module.walk() if isinstance(op, LoadOp)
    }
    for constant in candidates:
        if constant.sym_name.data not in loaded:
            constant.detach()
            constant.erase()
