"""A machine whose kernels want channels in blocks of 8, padded, everywhere."""

from collections.abc import Sequence

from xdsl.ir import Operation

from glow.backends.reference import checking, reference_target
from glow.dialects.graph.convolution import ConvOp
from glow.support.targets import Backend, LayoutChoice, Offers, Target
from glow_outside.layouts import (
    SPATIAL,
    blocked_channels,
    blocked_filter,
    choice,
    rank_of,
)

BLOCK = 8


def _choices(op: Operation, target: Target, offers: Offers) -> Sequence[LayoutChoice]:
    if isinstance(op, ConvOp):
        rank = rank_of(op)
        one_group = op.parameters()["group"] == 1
        panels = blocked_filter(rank, BLOCK) if one_group else None
        return (choice(op, blocked_channels(rank, BLOCK), panels),)
    if isinstance(op, SPATIAL):
        return (choice(op, blocked_channels(rank_of(op), BLOCK)),)
    return ()


BACKEND = Backend(
    "nchw8c",
    reference_target("nchw8c"),
    "layout",
    checking("nchw8c"),
    layout_choices=_choices,
)
