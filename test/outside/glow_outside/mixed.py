"""A machine that runs 3x3 convolutions channels last and 1x1 ones in blocks of 16."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation

from glow.backends.reference import checking, reference_target
from glow.dialects.graph.convolution import ConvOp
from glow.support.targets import Backend, LayoutChoice, Offers, Target
from glow.support.types import shape_of, size_bytes
from glow_outside.layouts import (
    SPATIAL,
    blocked_channels,
    blocked_filter,
    channels_last,
    choice,
    filter_last,
    rank_of,
)

BLOCK = 16
SMALL = 4096
"""Filters of fewer elements are read as they are: packing them gains nothing."""


def _convolution(op: ConvOp) -> Sequence[LayoutChoice]:
    """Ask for the best way of a kernel's size, or at a price for the other."""
    rank = rank_of(op)
    shape = shape_of(op.filter)
    is_small = prod(shape) < SMALL or op.parameters()["group"] > 1
    image, blocks = channels_last(rank), blocked_channels(rank, BLOCK)
    last = None if is_small else filter_last(rank)
    packed = None if is_small else blocked_filter(rank, BLOCK)
    price = 4.0 * size_bytes(op.result)
    is_pointwise = set(shape[2:]) == {1}
    return (
        choice(op, image, last, price if is_pointwise else 0.0),
        choice(op, blocks, packed, 0.0 if is_pointwise else price),
    )


def _choices(op: Operation, target: Target, offers: Offers) -> Sequence[LayoutChoice]:
    if isinstance(op, ConvOp):
        return _convolution(op)
    if isinstance(op, SPATIAL):
        rank = rank_of(op)
        return choice(op, channels_last(rank)), choice(
            op, blocked_channels(rank, BLOCK)
        )
    return ()


BACKEND = Backend(
    "mixed",
    reference_target("mixed"),
    "layout",
    checking("mixed"),
    layout_choices=_choices,
)
