"""Operands in either order, through reshapes, and known numbers."""

from collections.abc import Iterator

from xdsl.ir import SSAValue

from glow.analysis.constants import uniform_element
from glow.dialects.graph.binary import AddOp, MulOp
from glow.dialects.graph.declaration import BinaryOp
from glow.dialects.graph.logic import AndOp, OrOp
from glow.dialects.graph.movement import ExpandOp, ReshapeOp
from glow.support.types import element_of, is_float, shape_of


def in_both_orders(op: BinaryOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield both operands, and then swapped where `op` computes the same."""
    yield op.lhs, op.rhs
    if isinstance(op, AddOp | MulOp | AndOp | OrOp):
        yield op.rhs, op.lhs


def factors_of(value: SSAValue) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield both factors of a product, in both orders; nothing of another value."""
    if isinstance(value.owner, MulOp):
        yield from in_both_orders(value.owner)


def unreshaped(value: SSAValue) -> SSAValue:
    """Return what `value` was before it was reshaped."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.input
    return value


def unexpanded(value: SSAValue) -> SSAValue:
    """Return what broadcasts as `value` does, and may be smaller."""
    source = unreshaped(value)
    op = source.owner
    if isinstance(op, ExpandOp) and shape_of(source) == shape_of(value):
        return op.input
    return value


def number_behind(value: SSAValue) -> float | None:
    """Return the float that all elements of `value` are known to be, or None."""
    if not is_float(element_of(value)):
        return None
    element = uniform_element(value)
    return None if element is None else float(element)
