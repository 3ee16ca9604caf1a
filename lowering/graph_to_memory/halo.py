"""
Borders of zeros around values, for the convolutions that read them.

A halo is an inequality: a reader asks for a minimum on each side, and a value gets the
maximum of all requests. So halos are assigned after layouts, and never multiply the
alternatives of layouts.
"""

from xdsl.ir import Block, Operation, SSAValue

from glow.analysis.buffers import root_of
from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.attribute import LayoutAttr, layout_of, strides_of
from glow.dialects.memory.address import Addressing, addressing_of, is_blocked
from glow.dialects.memory.base import buffer_type, extents_of
from glow.dialects.memory.storage import AllocOp
from glow.lowering.convolution.winograd import border_after, is_winograd_window
from glow.lowering.graph_to_memory.phases import border_of, phases_of
from glow.support.layout import reshaped
from glow.support.types import dtype_of, shape_of
from glow.support.walking import block_ops

Halos = tuple[tuple[int, int], ...]


def halo_of(op: ConvOp) -> Halos:
    """
    Return the (before, after) border per axis that `op` may read around its input.

    It covers what Winograd's last tile reads, so that the choice of an algorithm
    does not change layouts.
    """
    p = op.parameters()
    spatial = shape_of(op.input)[2:]
    befores, afters = p["pads"][: len(spatial)], p["pads"][len(spatial) :]
    window = shape_of(op.filter)[2:], p["strides"], p["dilations"], p["group"]
    if is_winograd_window(*window):
        afters = tuple(map(border_after, spatial, befores, afters))
    return ((0, 0), (0, 0), *zip(befores, afters, strict=True))


def find_halos(block: Block) -> dict[SSAValue, Halos]:
    """
    Return the widest border that readers ask of each value.

    One reader may decide the border before an axis, another one that after it.
    """
    halos: dict[SSAValue, Halos] = {}
    for op in block_ops(block):
        conv, value = _conv_of(op)
        if conv is None or value is None:
            continue
        wanted = halo_of(conv) if isinstance(conv, ConvOp) else _around_phases(conv)
        if wanted and any(side for pair in wanted for side in pair):
            halos[value] = widest(halos.get(value, wanted), wanted)
    for op in reversed(block_ops(block)):
        if isinstance(op, ReshapeOp | TransposeOp) and op.result in halos:
            halo = halos[op.result]
            if isinstance(op, ReshapeOp):
                before = _before_reshape(op, halo)
            else:
                order: tuple[int, ...] = op.permutation
                before = tuple(halo[order.index(axis)] for axis in range(len(halo)))
            if before is not None:
                halos[op.input] = widest(halos.get(op.input, before), before)
    return halos


def _before_reshape(op: ReshapeOp, halo: Halos) -> Halos | None:
    """Return the operand's border that becomes `halo` of the result, if one does."""
    layout, own = layout_of(op.result), layout_of(op.input)
    if layout is None or own is None:
        return None
    wider = layout.with_halo(halo)
    before = reshaped(wider, shape_of(op.result), shape_of(op.input))
    return None if before is None or before.dims != own.dims else before.halo


def is_relabeled(buffer: SSAValue) -> bool:
    """Return whether `buffer` has a border, or it or its root has blocks."""
    type_ = buffer_type(buffer)
    if not isinstance(type_.layout, LayoutAttr):
        return False
    views = buffer, root_of(buffer)  # a merged transpose is blocked, not its root
    return type_.layout.data.has_halo or any(map(is_blocked, views))


def halo_around(buffer: SSAValue) -> Halos:
    """
    Return the border of zeros around `buffer`, none unless its root is an allocation.

    A view that keeps the spatial axes whole, such as a slice of channels, has the
    border of its allocation.
    """
    shape = extents_of(buffer)
    none = ((0, 0),) * len(shape)
    root = root_of(buffer)
    if is_relabeled(buffer):
        own = layout_of(buffer) if isinstance(root.owner, AllocOp) else None
        return none if own is None else own.halo
    layout = layout_of(root) if isinstance(root.owner, AllocOp) else None
    extents = extents_of(root)
    if layout is not None and len(extents) != len(shape):
        layout, extents = reshaped(layout, extents, shape), shape
    size = dtype_of(buffer_type(root).element_type).itemsize
    place = None if layout is None else strides_of(LayoutAttr(layout), extents, size)
    if layout is None or place is None:
        return none
    inner, outer = addressing_of(buffer), Addressing(extents, *place)
    strides = zip(shape, inner.strides, outer.strides, strict=True)
    whole = all(n == 1 or a == b for n, a, b in strides) and all(
        inner.shape[i] == outer.shape[i] for i in range(2, len(shape))
    )
    start = inner.offset - outer.offset
    room = outer.shape[1] * outer.strides[1]
    return layout.halo if whole and 0 <= start < room else none


def widest(one: Halos, other: Halos) -> Halos:
    """Return the border that contains both."""
    return tuple(
        (max(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other, strict=True)
    )


def _around_phases(op: ConvTransposeOp) -> Halos | None:
    phases = phases_of(op)
    return None if phases is None else border_of(phases)


def _conv_of(
    op: Operation,
) -> tuple[ConvOp | ConvTransposeOp | None, SSAValue | None]:
    """Return the convolution that `op` is or begins with, and its input outside."""
    if isinstance(op, ConvOp | ConvTransposeOp):
        return op, op.input
    if isinstance(op, FusedOp):
        first = op.body.block.first_op
        if isinstance(first, ConvOp):
            index = op.body.block.args.index(first.input)  # pyright: ignore
            return first, op.inputs[index]
    return None, None
