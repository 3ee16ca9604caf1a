"""Merge ops that move elements with each other and into matrix products."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
)

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.passes.constants import Constants
from glow.passes.graph._transposes_into_factors import (
    FoldTransposeIntoColumns,
    FoldTransposeIntoRows,
)
from glow.passes.graph.remove_identities import RemoveUnmovingOp
from glow.support.locations import fuse
from glow.support.rewriting import op_type_rewrite_pattern, rewrite
from glow.support.types import has_layout, shape_of


def _replace(
    op: GraphOp, new: GraphOp, inner: GraphOp, rewriter: PatternRewriter
) -> None:
    """Replace `op` by `new`, which does what `inner` and `op` did."""
    new.location = fuse(inner.location, op.location)
    rewriter.replace(op, new)


class MergeTransposes(RewritePattern):
    """transpose(transpose(x, p), q) -> transpose(x, p[q])"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if not isinstance(inner, TransposeOp) or has_layout(op.result):
            return
        first, then = inner.permutation, op.permutation
        merged = TransposeOp(inner.input, permutation=[first[axis] for axis in then])
        _replace(op, merged, inner, rewriter)


class MergeReshapes(RewritePattern):
    """reshape(reshape(x)) -> reshape(x)"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if not isinstance(inner, ReshapeOp) or has_layout(op.result):
            return
        merged = ReshapeOp(inner.input, shape=shape_of(op.result))
        _replace(op, merged, inner, rewriter)


class MergeExpansions(RewritePattern):
    """expand(expand(x)) -> expand(x)"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExpandOp, rewriter: PatternRewriter, /) -> None:
        inner = op.input.owner
        if not isinstance(inner, ExpandOp) or has_layout(op.result):
            return
        merged = ExpandOp(inner.input, shape=shape_of(op.result))
        _replace(op, merged, inner, rewriter)


class ReshapeInstead(RewritePattern):
    """
    transpose(x), expand(x) -> reshape(x)

    where the one moves but axes of extent 1, and the other adds but such axes.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: TransposeOp | ExpandOp, rewriter: PatternRewriter, /
    ) -> None:
        shape = shape_of(op.result)
        if has_layout(op.result) or not _keeps_order(op):
            return
        rewriter.replace(op, ReshapeOp(op.input, shape=shape))


def _keeps_order(op: TransposeOp | ExpandOp) -> bool:
    """Return whether elements stay the same, and in the same row-major order."""
    if isinstance(op, ExpandOp):
        return _without_ones(op.input) == _without_ones(op.result)
    shape = shape_of(op.input)
    moved = [axis for axis in op.permutation if shape[axis] != 1]
    return moved == sorted(moved)


def _without_ones(value: SSAValue) -> list[int]:
    return [extent for extent in shape_of(value) if extent != 1]


class FoldTransposeIntoMatMul(RewritePattern):
    """matmul(transpose(a), b) -> matmul(a, b) {transpose_lhs}, and so for b"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatMulOp, rewriter: PatternRewriter, /) -> None:
        if has_layout(op.result):
            return
        operands, flags = [op.lhs, op.rhs], op.parameters()
        locations: list[LocationAttr] = []
        for index, name in enumerate(("transpose_lhs", "transpose_rhs")):
            inner = operands[index].owner
            if isinstance(inner, TransposeOp) and _swaps_matrix(inner):
                operands[index] = inner.input
                flags[name] = not flags[name]
                locations.append(inner.location)
        if not locations:
            return
        product = MatMulOp(*operands, op.bias, **flags)
        product.location = fuse(*locations, op.location)
        rewriter.replace(op, product)


def _swaps_matrix(op: TransposeOp) -> bool:
    """Return whether `op` swaps the last two axes and no others."""
    axes = list(range(len(shape_of(op.input))))
    return len(axes) > 1 and list(op.permutation) == [
        *axes[:-2],
        axes[-1],
        axes[-2],
    ]


class ShareTranspose(RewritePattern):
    """transpose(x), transpose(x) -> one of them, where they are equal"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        if has_layout(op.input):
            return
        for use in list(op.input.uses):
            other = use.operation
            if (
                isinstance(other, TransposeOp)
                and other is not op
                and other.permutation == op.permutation
                and other.result.type == op.result.type
                and other.parent is op.parent
                and other.is_before_in_block(op)
            ):
                rewriter.replace(op, (), (other.result,))
                return


def merging_patterns(constants: Constants) -> list[RewritePattern]:
    """Return the patterns that merge movements, but for `ReshapeInstead`."""
    return [
        ShareTranspose(),
        MergeTransposes(),
        MergeReshapes(),
        MergeExpansions(),
        FoldTransposeIntoMatMul(),
        FoldTransposeIntoRows(constants),
        FoldTransposeIntoColumns(constants),
    ]


def move_transposes(
    module: ModuleOp, constants: Constants, *moving: RewritePattern
) -> None:
    """
    Apply patterns that move transposes, and merge what meets, until none fits.

    Transposes that move no element are reshapes only then: `moving` sees their order.
    """
    merging = [RemoveUnmovingOp(), *merging_patterns(constants)]
    rewrite(module, *merging)
    changed = True
    while changed:
        rewrite(module, *merging, *moving)
        changed = rewrite(module, ReshapeInstead(), *merging)


@dataclass(frozen=True)
class FoldMovementPass(ModulePass):
    """
    Merge transposes, reshapes and expansions that follow each other.

    A transpose or expansion of axes of extent 1 becomes a reshape, a transpose that
    a matrix product reads becomes one of its flags; one whose axes are flattened
    before a product, or split behind it, is done to the constant factor.

    Level: graph -> graph. Needs: nothing; `remove-identities` afterwards.
    """

    name = "fold-movement"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, ReshapeInstead(), *merging_patterns(Constants(op)))
