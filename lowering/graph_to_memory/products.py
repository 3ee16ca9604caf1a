"""Lower matrix products, and groups: what begins them, with the ops fused after."""

from collections.abc import Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.convolution import ConvOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.linear import MatMulOp
from glow.dialects.graph.storage import LiteralOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of
from glow.dialects.memory import products
from glow.dialects.memory.address import addressing_of, find_addressing, is_blocked
from glow.dialects.memory.apply import ApplyOp
from glow.dialects.memory.base import Buffer, buffer_type
from glow.lowering.graph_to_memory.convolution import (
    ScalarEpilogue,
    lower_conv,
    room_in_f32,
)
from glow.lowering.graph_to_memory.elementwise import Fusion, lower_chain
from glow.lowering.graph_to_memory.state import Lowering, lowers
from glow.lowering.memory_to_loops.rules import rule_of
from glow.lowering.tiles import depth_order, has_pairs, matrix_panels, panel_for
from glow.support.layout import Dim, Layout
from glow.support.types import compute_type, shape_of


@lowers(ConvOp)
def _conv(lowering: Lowering, op: ConvOp) -> None:
    lower_conv(lowering, op, op.operands, op.result)


@lowers(MatMulOp)
def _matmul(lowering: Lowering, op: MatMulOp) -> None:
    _lower_matmul(lowering, op, [], {}, op.result, op.results)


@lowers(FusedOp)
def _fused(lowering: Lowering, op: FusedOp) -> None:
    *inner, last = op.body.block.ops
    sources: dict[SSAValue, SSAValue] = dict(
        zip(op.body.block.args, op.inputs, strict=True)
    )
    steps = [step for step in inner if not isinstance(step, LiteralOp)]
    anchor, *rest = steps
    if isinstance(anchor, MatMulOp):
        _lower_matmul(lowering, anchor, rest, sources, op.results[0], last.operands)
    elif isinstance(anchor, ConvOp):
        fusion = Fusion(lowering)
        fusion.argument(anchor.result)
        epilogue = _epilogue(fusion, rest, sources, last.operands)
        operands = [sources[value] for value in anchor.operands]
        lower_conv(lowering, anchor, operands, op.results[0], epilogue)
    elif isinstance(anchor, GraphOp) and _takes_epilogue(anchor):
        fusion = Fusion(lowering)
        fusion.argument(anchor.results[0])
        epilogue = _epilogue(fusion, rest, sources, last.operands)
        new = ApplyOp(
            type(anchor),
            [lowering[sources[value]] for value in anchor.operands],
            [lowering.destination(op.results[0])],
            extras=epilogue.extras,
            epilogue=epilogue.region,
            **anchor.parameters(),
        )
        lowering.add(new)
    else:
        lower_chain(lowering, inner, sources, last.operands, op.results)


def _takes_epilogue(op: GraphOp) -> bool:
    rule = rule_of(type(op))
    return rule is not None and rule.epilogue is not None


def _epilogue(
    fusion: Fusion,
    steps: Sequence[Operation],
    sources: dict[SSAValue, SSAValue],
    yielded: Sequence[SSAValue],
) -> ScalarEpilogue:
    for step in steps:
        fusion.append(step, sources)
    region = fusion.finish(yielded)
    return ScalarEpilogue(region, [fusion.lowering[value] for value in fusion.inputs])


def _lower_matmul(
    lowering: Lowering,
    op: MatMulOp,
    steps: Sequence[Operation],
    sources: dict[SSAValue, SSAValue],
    result: SSAValue,
    yielded: Sequence[SSAValue],
) -> None:
    """
    Append a product; transposes are views, 1-D operands become matrices.

    `sources` maps region arguments to values of the graph. A bias that is not a vector
    of the columns is added by the epilogue.
    """
    operands = [sources.get(value, value) for value in op.operands]
    lhs, rhs = operands[:2]
    flags = op.parameters()
    left = _matrix(lowering, lhs, flags["transpose_lhs"], row=True)
    right = _matrix(lowering, rhs, flags["transpose_rhs"], row=False)
    left, right = _in_one_order(lowering, left, right)
    right = _with_rows(lowering, right)
    fusion = Fusion(lowering)
    fusion.argument(op.result)
    bias = operands[2] if len(operands) > 2 else None
    is_vector = _is_columns(bias, op)
    if bias is not None and not is_vector:
        assert op.bias is not None
        fusion.add(op.result, op.bias, bias)
    epilogue = _epilogue(fusion, steps, sources, yielded)
    extras = epilogue.extras
    out = lowering.destination(result)
    for axis, value in ((-2, lhs), (-1, rhs)):
        if len(shape_of(value)) == 1:
            out = _insert_axis(lowering, out, axis)
            extras = [_insert_axis_if_any(lowering, e, axis) for e in extras]
    column_bias = lowering[bias] if is_vector and bias is not None else None
    in_pairs = is_blocked(right) and has_pairs(layout_of(right))
    room = None if in_pairs else room_in_f32(lowering, left)
    operands = left, right, column_bias, extras, room, out
    lowering.add(products.MatMulOp(*operands, epilogue=epilogue.region))


def _is_columns(bias: SSAValue | None, op: MatMulOp) -> bool:
    columns = _columns(op)
    return bias is not None and columns > 0 and shape_of(bias) == (columns,)


def _columns(op: MatMulOp) -> int:
    """Return the number of columns of the product, 0 if it has no such axis."""
    shape = shape_of(op.rhs)
    if len(shape) == 1:
        return 0
    return shape[-2 if op.parameters()["transpose_rhs"] else -1]


def _matrix(
    lowering: Lowering, value: SSAValue, transpose: bool, *, row: bool
) -> SSAValue:
    """Return the buffer of `value` as [..., rows, columns]."""
    buffer = lowering[value]
    if len(shape_of(value)) == 1:
        return _insert_axis(lowering, buffer, -2 if row else -1)
    if not transpose:
        return buffer
    rank = len(shape_of(value))
    order = [*range(rank - 2), rank - 1, rank - 2]
    if find_addressing(buffer_type(buffer)) is None:
        return lowering.permuted(buffer, order)
    return lowering.view(buffer, addressing_of(buffer).permuted(order))


def _in_one_order(
    lowering: Lowering, left: SSAValue, right: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """
    Return both factors with the summed axis in order, where it is split in `left`.

    A sum does not depend on the order of its terms, so nothing has to move.
    Errors: a right factor whose panels have another order.
    """
    one, other = buffer_type(left), buffer_type(right)
    if find_addressing(one) is not None:
        return left, right
    shape, layout, panels = one.get_shape(), layout_of(one), layout_of(other)
    axis, rank = len(shape) - 1, len(other.get_shape())
    order = None if layout is None else depth_order(layout, shape, axis)
    width = 1 if panels is None else panels.dims[-1].extent or 1
    if (
        layout is None
        or order is None
        or panels != matrix_panels(rank, rank - 1, width, order)
    ):
        raise PassFailedException(
            f"expected factors with one order along what is summed, got {one}, {other}"
        )
    outer = [dim for dim in layout.dims if dim.axis != axis]
    plain = matrix_panels(rank, rank - 1, width)
    return (
        lowering.relabeled(left, shape, Layout([*outer, Dim(axis)])),
        lowering.relabeled(right, other.get_shape(), plain),
    )


def _with_rows(lowering: Lowering, right: SSAValue) -> SSAValue:
    """Return `right`, or a copy in panels if its columns are not neighbors."""
    type_ = buffer_type(right)
    own = find_addressing(type_)
    if own is None or compute_type(type_.element_type) != f32 or 0 in own.shape:
        return right
    rank, columns = len(own.shape), own.shape[-1]
    if columns == 1 or own.strides[-1] == 1:
        return right
    width = panel_for(lowering.target, columns)
    layout = LayoutAttr(matrix_panels(rank, rank - 1, width))
    panels = lowering.alloc(Buffer(type_.element_type, own.shape, layout))
    lowering.copy(right, panels)
    return panels


def _insert_axis(lowering: Lowering, buffer: SSAValue, axis: int) -> SSAValue:
    """Return a view with an axis of extent 1 at `axis`, counted from the back."""
    a = addressing_of(buffer)
    return lowering.view(buffer, a.with_axis(len(a.shape) + 1 + axis))


def _insert_axis_if_any(lowering: Lowering, extra: SSAValue, axis: int) -> SSAValue:
    """Give an extra the axis that a 1-D operand adds; a scalar broadcasts as it is."""
    return _insert_axis(lowering, extra, axis) if addressing_of(extra).shape else extra
