"""Move splits before the elementwise ops whose result they split."""

from math import prod

from xdsl.ir import Operation, SSAValue

from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.declaration import ElementwiseOp
from glow.dialects.graph.joining import SplitOp
from glow.dialects.graph.linear import MatMulOp
from glow.passes.patterns import Replacement, Results, RewritePass
from glow.support.types import has_layout, normalize_axis, shape_of

LEAST_NEIGHBORS = 16
"""Fewer neighboring elements of a part would be read one by one."""


def hoist_split(op: SplitOp, new: Replacement) -> Results:
    """
    split(f(x, y)) -> f(x0, y0), f(x1, y1), ... where x0, x1, ... = split(x)

    for a function f of elements whose result nothing else reads, if functions of
    elements read all parts: f is computed with those, and parts of x are views. The
    result of a product stays with it, and an operand that broadcasts along the axis
    stays whole.
    """
    source = op.input.owner
    if not isinstance(source, ElementwiseOp) or not _is_worth_it(op, source):
        return None
    shape = shape_of(op.input)
    axis = normalize_axis(op.axis, len(shape)) - len(shape)
    operands = [_parts(value, axis, op.sizes, new) for value in source.operands]
    parts: list[SSAValue] = []
    for own in zip(*operands, strict=True):
        part = source.rebuilt(own, source.parameters())
        part.results[0].name_hint = None
        parts += new.insert(part)
    return parts


def _is_worth_it(op: SplitOp, source: ElementwiseOp) -> bool:
    axis = normalize_axis(op.axis, len(shape_of(op.input)))
    inner = prod(shape_of(op.input)[axis + 1 :])
    users = [use.operation for part in op.outputs for use in part.uses]
    return (
        not any(map(has_layout, (*source.operands, op.input)))
        and _is_read_once(op.input)
        and bool(users)
        and all(isinstance(user, ElementwiseOp) for user in users)
        and min(op.sizes) * inner >= LEAST_NEIGHBORS
        and not _follows_product(source)
    )


def _is_read_once(value: SSAValue) -> bool:
    return value.has_one_use()


def _follows_product(op: Operation) -> bool:
    """Return whether `op` follows a product, whose kernel then computes it as well."""
    owners = [value.owner for value in op.operands if _is_read_once(value)]
    return any(
        isinstance(owner, ConvOp | MatMulOp)
        or (isinstance(owner, ElementwiseOp) and _follows_product(owner))
        for owner in owners
    )


def _parts(
    value: SSAValue, axis: int, sizes: tuple[int, ...], new: Replacement
) -> list[SSAValue]:
    """Return the part of an operand for each part of the result; `axis` is below 0."""
    shape = shape_of(value)
    if len(shape) < -axis or shape[axis] == 1:
        return [value] * len(sizes)
    parts = new.emit_all(SplitOp, value, axis=axis + len(shape), sizes=sizes)
    return [part.value for part in parts]


class HoistSplitsPass(RewritePass):
    """
    Move splits before elementwise ops, which are then computed with ones after them.

    Level: graph -> graph. Needs: nothing. Runs when functions are recognized.
    """

    name = "hoist-splits"
    patterns = (hoist_split,)
