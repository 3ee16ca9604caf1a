"""How layouts go through ops that compute the same in any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.movement import TransposeOp
from glow.dialects.layout.attribute import (
    LayoutAttr,
    layout_of,
    same_bytes,
    strides_of,
)
from glow.support.layout import (
    Layout,
    equivalent,
    permuted,
    relabelled,
    reshaped,
    row_major,
    unblocked,
)
from glow.support.targets import LayoutChoice, resolve, target_of
from glow.support.types import dtype_of, shape_of, tensor_type

Ask = Callable[[Operation], Sequence[LayoutChoice]]


def asking(target: str) -> Ask:
    """Return the function that asks `target` in which layouts an op can run."""
    backend, machine = resolve(target), target_of(target)
    return lambda op: backend.layout_choices(op, machine)


def layout_in(attribute: Attribute | None) -> Layout | None:
    """Return the layout of an entry of a choice; None is row-major."""
    assert attribute is None or isinstance(attribute, LayoutAttr)
    return None if attribute is None else attribute.data


def whole_layout_of(value: SSAValue) -> Layout:
    """Return the layout of `value`, also where its type has none."""
    return layout_of(value) or row_major(len(shape_of(value)))


def is_strided(layout: Layout | None, value: SSAValue) -> bool:
    """Return whether each axis of `value` has one stride in `layout`."""
    if layout is None:
        return True
    itemsize = dtype_of(tensor_type(value).element_type).itemsize
    return strides_of(LayoutAttr(layout), shape_of(value), itemsize) is not None


def has_maps(op: Operation) -> bool:
    """Return whether `op` says how its results follow an operand."""
    return isinstance(op, GraphOp) and any(
        op.axis_map(i) is not None for i in range(len(op.operands))
    )


def leads(op: GraphOp, operand: int) -> bool:
    """Return whether each axis of the result that counts runs along `operand`."""
    axes = op.axis_map(operand)
    if axes is None:
        return False
    shape = shape_of(op.results[0])
    return all(a is not None or n == 1 for a, n in zip(axes, shape, strict=True))


def carried(op: GraphOp, operand: int, result: int, layout: Layout) -> Layout:
    """Return the layout of `result` if it follows `operand` in `layout`."""
    axes = op.axis_map(operand, result)
    if axes is None:
        return row_major(len(shape_of(op.results[result])))
    return relabelled(unblocked(layout), axes)


def wanted(op: GraphOp, operand: int, result_layout: Layout) -> Layout:
    """
    Return the layout of `operand` that goes with `result_layout` of the first result.

    An operand with axes that the result lacks keeps its own.
    """
    value, axes = op.operands[operand], op.axis_map(operand)
    if axes is None:
        return row_major(len(shape_of(value)))
    sources = tuple(
        axes.index(axis) if axis in axes else None
        for axis in range(len(shape_of(value)))
    )
    left_out = zip(sources, shape_of(value), strict=True)
    if any(source is None and extent != 1 for source, extent in left_out):
        own = whole_layout_of(value)
        return own if is_strided(own, value) else unblocked(own)
    return relabelled(result_layout, sources)


@dataclass(frozen=True)
class Reshaping:
    """Layouts of operand and result of a reshape that moves nothing."""

    operand: Layout
    result: Layout


def reshaping(
    layout: Layout, shape: tuple[int, ...], new_shape: tuple[int, ...]
) -> Reshaping:
    """
    Return the layouts of a reshape whose operand comes in `layout`.

    The operand keeps it if the result's axes then are whole; else it takes the order
    that gives the result the order of its finest digits, or row-major.
    """
    kept = reshaped(layout, shape, new_shape)
    if kept is None:
        return Reshaping(row_major(len(shape)), row_major(len(new_shape)))
    result = unblocked(kept)
    if equivalent(result, kept, new_shape):
        return Reshaping(layout, result)
    operand = reshaped(result, new_shape, shape)
    if operand is None or strides_of(LayoutAttr(operand), shape) is None:
        return Reshaping(row_major(len(shape)), row_major(len(new_shape)))
    return Reshaping(operand, result)


def differs(value: SSAValue, layout: Layout | None) -> bool:
    """Return whether `value` has other bytes than it would have in `layout`."""
    return not same_bytes(layout_of(value), layout, tensor_type(value))


def wish_for(value: SSAValue) -> Layout | None:
    """
    Return the layout of `value` that its transposes make row-major, or None.

    It looks along a chain of single readers for transposes. What comes of them is
    wanted row-major, as reshapes, results and most kernels want it.
    """
    order = list(range(len(shape_of(value))))
    seen = value
    while (use := seen.get_user_of_unique_use()) is not None:
        if not isinstance(use, TransposeOp):
            break
        permutation: tuple[int, ...] = use.parameters()["permutation"]
        order = [order[axis] for axis in permutation]
        seen = use.result
    return None if seen is value else permuted(order)
