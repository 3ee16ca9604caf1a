"""
Borders of zeros around values, for the convolutions that read them.

A halo is an inequality: a reader asks for at least so much on each side, and a value
gets the maximum of all requests. So halos are assigned after layouts, and never
multiply the alternatives of layouts.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from glow.dialects.graph.convolution import ConvOp, ConvTransposeOp
from glow.dialects.graph.fused import FusedOp
from glow.dialects.graph.movement import ReshapeOp, TransposeOp
from glow.dialects.layout.attribute import layout_of
from glow.lowering.convolution.winograd import border_after, is_winograd_window
from glow.lowering.graph_to_memory.phases import border_of, phases_of
from glow.support.layout import reshaped
from glow.support.types import shape_of

Halo = tuple[tuple[int, int], ...]


def halo_of(op: ConvOp) -> Halo:
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


def find_halos(block: Block) -> dict[SSAValue, Halo]:
    """
    Return the widest border that readers ask of each value.

    One reader may decide the border before an axis, another one that behind it.
    """
    halos: dict[SSAValue, Halo] = {}
    for op in block.ops:
        conv, value = _conv_of(op)
        if conv is None or value is None:
            continue
        wanted = halo_of(conv) if isinstance(conv, ConvOp) else _around_phases(conv)
        if wanted and any(side for pair in wanted for side in pair):
            halos[value] = widest(halos.get(value, wanted), wanted)
    for op in reversed(list(block.ops)):
        if isinstance(op, ReshapeOp | TransposeOp) and op.result in halos:
            halo = halos[op.result]
            before = (
                _before_reshape(op, halo)
                if isinstance(op, ReshapeOp)
                else _before_transpose(op, halo)
            )
            if before is not None:
                halos[op.input] = widest(halos.get(op.input, before), before)
    return halos


def _before_transpose(op: TransposeOp, halo: Halo) -> Halo:
    """Return the border of the operand that is `halo` of the result."""
    permutation: tuple[int, ...] = op.parameters()["permutation"]
    return tuple(halo[permutation.index(axis)] for axis in range(len(halo)))


def _before_reshape(op: ReshapeOp, halo: Halo) -> Halo | None:
    """Return the border of the operand that is `halo` of the result, if one is."""
    layout, own = layout_of(op.result), layout_of(op.input)
    if layout is None or own is None:
        return None
    wider = layout.with_halo(halo)
    before = reshaped(wider, shape_of(op.result), shape_of(op.input))
    return None if before is None or before.dims != own.dims else before.halo


def widest(one: Halo, other: Halo) -> Halo:
    """Return the border that contains both."""
    return tuple(
        (max(a[0], b[0]), max(a[1], b[1])) for a, b in zip(one, other, strict=True)
    )


def _around_phases(op: ConvTransposeOp) -> Halo | None:
    """Return the border that the phases of `op` read, if it has any."""
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
