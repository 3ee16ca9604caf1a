"""Transforms of constants and splats, computed when compiling."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.analysis.constants import Constant, constant_behind
from glow.analysis.uniform import element_of_constant, tensor_of
from glow.dialects.graph.base import Array
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.passes.layout._stored import StoredConstants
from glow.support.layout import pack, print_layout, row_major
from glow.support.rewriting import op_type_rewrite_pattern
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

    constants: StoredConstants
    uniform: WeakKeyDictionary[Constant, Array | None] = field(
        default_factory=WeakKeyDictionary[Constant, "Array | None"]
    )

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        constant, source = known_behind(op.input), op.input
        if constant is None:
            return
        if constant not in self.uniform:
            self.uniform[constant] = element_of_constant(constant)
        element = self.uniform[constant]
        if element is None:
            return
        splat = np.broadcast_to(element, shape_of(op.result))
        rewriter.replace(op, LiteralOp(splat, tensor_type(op.result)))
        self.constants.release(source, rewriter)


_Origin = str | LiteralOp
"""A constant that is packed: its symbol, or a literal."""


@dataclass
class FoldTransformOfConstant(RewritePattern):
    """transform(load @w) -> load @w', whose bytes are packed; once per layout."""

    constants: StoredConstants
    packed: dict[tuple[_Origin, str], str] = field(default_factory=lambda: {})
    origins: dict[str, _Origin] = field(default_factory=lambda: {})
    """The sources of the constants that were packed here."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        constant, source = known_behind(op.input), op.input
        if constant is None:
            return
        if all(isinstance(use.operation, TransformOp) for use in op.result.uses):
            return  # they merge with this one, so that no form in between is packed
        symbol = self._packed(self._origin_of(constant), op)
        rewriter.replace(op, self.constants.load(symbol))
        self.constants.release(source, rewriter)

    def _origin_of(self, constant: Constant) -> _Origin:
        """Return the constant that `constant` was packed from, if it still exists."""
        if isinstance(constant, LiteralOp):
            return constant
        symbol = constant.sym_name.data
        origin = self.origins.get(symbol, symbol)
        is_here = isinstance(origin, LiteralOp) or origin in self.constants
        return origin if is_here else symbol

    def _packed(self, origin: _Origin, op: TransformOp) -> str:
        """Return the symbol of `origin` packed into the layout of `op`."""
        constant = self.constants[origin] if isinstance(origin, str) else origin
        if isinstance(constant, ConstantOp) and constant.type == op.result.type:
            return constant.sym_name.data
        layout = layout_of(op.result) or row_major(len(shape_of(op.result)))
        key = origin, print_layout(layout)
        known = self.packed.get(key)
        if known is not None and known in self.constants:
            return known
        array = tensor_of(constant)
        assert array is not None  # `known_behind` saw it
        base = origin if isinstance(origin, str) else "literal"
        type_ = tensor_type(op.result)
        new = ConstantOp(f"{base}.{key[1]}", pack(layout, array), type_)
        new.location = constant.location
        self.constants.add(new, constant if isinstance(constant, ConstantOp) else None)
        symbol = new.sym_name.data
        self.packed[key], self.origins[symbol] = symbol, origin
        return symbol
