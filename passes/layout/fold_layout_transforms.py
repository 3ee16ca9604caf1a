"""Remove transforms that cancel, and those of constants by packing their bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from glow.analysis.constants import Constant, constant_behind
from glow.dialects.graph.base import Array
from glow.dialects.graph.storage import ConstantOp, LiteralOp, LoadOp
from glow.dialects.layout.attribute import layout_of
from glow.dialects.layout.transform import TransformOp
from glow.support.layout import pack, print_layout, row_major, unpack
from glow.support.names import Names
from glow.support.rewriting import rewrite
from glow.support.types import shape_of, tensor_type


class FoldTransformOfTransform(RewritePattern):
    """transform(transform(x)) -> transform(x), to the layout of the outer one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if not isinstance(inner, TransformOp):
            return
        new = TransformOp(inner.input, layout_of(op.result))
        if new.result.type != op.result.type:
            return  # the type spells out a layout that changes no byte
        rewriter.replace(op, new)


class RemoveIdentityTransform(RewritePattern):
    """transform(x) -> x, where x has that layout."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


@dataclass
class FoldTransformOfConstant(RewritePattern):
    """transform(load @w) -> load @w', whose bytes are packed; once per layout."""

    module: ModuleOp
    packed: dict[tuple[Constant, str], ConstantOp] = field(default_factory=lambda: {})
    replaced: set[ConstantOp] = field(default_factory=lambda: set[ConstantOp]())

    def __post_init__(self) -> None:
        symbols = (op.properties.get("sym_name") for op in self.module.body.ops)
        self.names = Names(s.data for s in symbols if isinstance(s, StringAttr))

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransformOp, rewriter: PatternRewriter, /) -> None:
        constant = constant_behind(op.input)
        if constant is None or not isinstance(op.input.owner, LoadOp | LiteralOp):
            return
        layout = layout_of(op.result) or row_major(len(shape_of(op.result)))
        key = (constant, print_layout(layout))
        if key not in self.packed:
            array = _logical(constant)
            if array is None:
                return  # the module came without its weights
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
            self.replaced.add(constant)
            block.insert_op_after(new, constant)
        elif block.first_op is not None:
            block.insert_op_before(new, block.first_op)
        self.packed[key] = new

    def erase_unused(self) -> None:
        """Erase the constants that are packed and no longer loaded as they were."""
        loaded = {
            op.symbol.string_value()
            for op in self.module.walk()
            if isinstance(op, LoadOp)
        }
        for constant in self.replaced:
            if constant.sym_name.data not in loaded:
                constant.detach()
                constant.erase()


def _logical(constant: Constant) -> Array | None:
    """Return the tensor that `constant` holds, if its bytes are here."""
    if isinstance(constant, LiteralOp):
        return constant.array
    array, layout = constant.array, layout_of(constant.type)
    if array is None or layout is None:
        return array
    return unpack(layout, array, constant.type.get_shape())


@dataclass(frozen=True)
class FoldLayoutTransformsPass(ModulePass):
    """
    Cancel transforms that follow each other; pack constants that are transformed.

    Level: layout -> layout. Needs: nothing; cleans up after assign-layouts.
    """

    name = "fold-layout-transforms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = FoldTransformOfConstant(op)
        rewrite(op, RemoveIdentityTransform(), FoldTransformOfTransform(), constants)
        constants.erase_unused()
