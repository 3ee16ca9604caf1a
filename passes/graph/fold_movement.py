"""Merge ops that move elements with each other and into matrix products."""

from collections.abc import Callable
from functools import partial

from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import SSAValue

from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp, TransposeOp
from glow.dialects.graph.reordering import picked
from glow.passes.constants import Constants
from glow.passes.graph._transposes_into_factors import (
    fold_transpose_into_columns,
    fold_transpose_into_rows,
)
from glow.passes.graph.remove_identities import remove_unmoving_op
from glow.passes.graph.reordered_ops import Reorderer
from glow.passes.graph.transposes import is_ordered
from glow.passes.patterns import Replacement, Results, RewritePass, rewrite
from glow.support.locations import fuse
from glow.support.types import has_layout, shape_of
from glow.support.walking import ops_in


def merge_transposes(op: TransposeOp, new: Replacement) -> Results:
    """transpose(transpose(x, p), q) -> transpose(x, p[q])"""
    inner = op.input.owner
    if not isinstance(inner, TransposeOp):
        return None
    new.location = fuse(inner.location, op.location)
    merged = picked(inner.permutation, op.permutation)
    return new.emit(TransposeOp, inner.input, permutation=merged)


def merge_same(op: ReshapeOp | ExpandOp, new: Replacement) -> Results:
    """reshape(reshape(x)) -> reshape(x), expand(expand(x)) -> expand(x)"""
    inner = op.input.owner
    if not isinstance(inner, type(op)):
        return None
    new.location = fuse(inner.location, op.location)
    return new.emit(type(op), inner.input, shape=shape_of(op.result))


def reshape_instead(op: TransposeOp | ExpandOp, new: Replacement) -> Results:
    """
    transpose(x), expand(x) -> reshape(x)

    where the transpose moves only axes of extent 1, or the expansion adds only such.
    """
    if isinstance(op, ExpandOp):
        keeps_order = _without_ones(op.input) == _without_ones(op.result)
    else:
        keeps_order = is_ordered(op.permutation, shape_of(op.input))
    if not keeps_order:
        return None
    return new.emit(ReshapeOp, op.input, shape=shape_of(op.result))


def _without_ones(value: SSAValue) -> list[int]:
    return [extent for extent in shape_of(value) if extent != 1]


def fold_transpose_into_matmul(op: MatMulOp, new: Replacement) -> Results:
    """matmul(transpose(a), b) -> matmul(a, b) {transpose_lhs}, and so for b"""
    operands, flags = [op.lhs, op.rhs], op.parameters()
    locations: list[LocationAttr] = []
    for index, name in enumerate(("transpose_lhs", "transpose_rhs")):
        inner = operands[index].owner
        if isinstance(inner, TransposeOp) and _swaps_matrix(inner):
            operands[index] = inner.input
            flags[name] = not flags[name]
            locations.append(inner.location)
    if not locations:
        return None
    new.location = fuse(*locations, op.location)
    return new.emit(MatMulOp, *operands, op.bias, **flags)


def _swaps_matrix(op: TransposeOp) -> bool:
    """Return whether `op` swaps the last two axes and no others."""
    axes = list(range(len(op.permutation)))
    return len(axes) > 1 and list(op.permutation) == [*axes[:-2], axes[-1], axes[-2]]


def share_transpose(op: TransposeOp, new: Replacement) -> Results:
    """transpose(x), transpose(x) -> one of them, where they are equal"""
    if has_layout(op.input):
        return None
    for use in op.input.uses:
        other = use.operation
        if (
            isinstance(other, TransposeOp)
            and other is not op
            and other.permutation == op.permutation
            and other.result.type == op.result.type
            and other.parent is op.parent
            and other.is_before_in_block(op)
        ):
            return other.result
    return None


MERGING = (
    share_transpose,
    merge_transposes,
    merge_same,
    fold_transpose_into_matmul,
    fold_transpose_into_rows,
    fold_transpose_into_columns,
)


def move_transposes(module: ModuleOp, *patterns: Callable[..., None]) -> None:
    """
    Apply patterns that move transposes, and merge what meets, until none fits.

    They get a `reorderer`. Transposes that move no element become reshapes only
    afterwards: the patterns need their order.
    """
    if not any(isinstance(inner, TransposeOp) for inner in ops_in(module.body)):
        return
    constants = Constants(module)
    reorderer = Reorderer(constants)
    moving = [partial(pattern, reorderer=reorderer) for pattern in patterns]
    merging = (remove_unmoving_op, *MERGING)
    rewrite(module, *merging, constants=constants)
    changed = True
    while changed:
        rewrite(module, *merging, *moving, constants=constants)
        changed = rewrite(module, reshape_instead, *merging, constants=constants)


class FoldMovementPass(RewritePass):
    """
    Merge transposes, reshapes and expansions that follow each other.

    A transpose or expansion of axes of extent 1 becomes a reshape; a transpose that a
    matrix product reads becomes one of its flags. A transpose whose axes are flattened
    before a product, or split after it, is applied to the constant factor instead.

    Level: graph -> graph. Needs: nothing; `remove-identities` afterwards.
    """

    name = "fold-movement"
    patterns = (reshape_instead, *MERGING)
