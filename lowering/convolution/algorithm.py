"""Algorithms of convolutions, chosen by shape and target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, f32
from xdsl.ir import Attribute, Operation

from glow.analysis.constants import constant_behind
from glow.dialects.graph.convolution import ConvOp
from glow.lowering.convolution.winograd import (
    Form,
    is_winograd_window,
    winograd_form,
    winograd_panel,
)
from glow.lowering.tiles import image_panel, multiplies_pairs
from glow.support.arrays import Shape
from glow.support.targets import Target
from glow.support.types import compute_type, dtype_of, element_of, shape_of


@dataclass(frozen=True)
class ConvShape:
    """A convolution as far as its algorithm and layouts depend on it."""

    element: Attribute
    input: Shape
    filter: Shape
    """[outputs, channels of a group, window...]."""
    result: Shape
    strides: Shape
    pads: Shape
    dilations: Shape
    group: int
    is_constant: bool
    """Whether the filter is constant, so that runs do not spend time on packing it."""
    batches: Shape = ()
    """The batch sizes of the result that the filter is packed for; empty: its own."""

    @staticmethod
    def of(op: ConvOp) -> ConvShape:
        """Return the shape of a convolution of the graph."""
        p, result = op.parameters(), shape_of(op.result)
        return ConvShape(
            element_of(op.filter),
            shape_of(op.input),
            shape_of(op.filter),
            result,
            p["strides"],
            p["pads"],
            p["dilations"],
            p["group"],
            constant_behind(op.filter) is not None,
            batches_of(op, result[0]),
        )

    @property
    def columns(self) -> int:
        """The outputs of a group."""
        return self.filter[0] // self.group

    def bytes(self, shape: Shape) -> int:
        """Return the bytes of a tensor of `shape` with these elements."""
        return prod(shape) * dtype_of(self.element).itemsize


@dataclass(frozen=True)
class Algorithm:
    """
    A way to compute a convolution, with the form of the filter that its kernel reads.

    `name` is direct, pairs, depthwise, winograd or generic. Depthwise reads a channel
    once for each of its outputs, which are fewer than lanes and so fill no panel.
    """

    name: str
    panel: int = 0
    """The outputs in a panel of the filter; 0 where it has no panels."""
    form: Form | None = None
    """Winograd's transforms, where they are used."""

    @property
    def is_product(self) -> bool:
        """Whether it is one product, whose rows are windows: direct, or in pairs."""
        return self.name in ("direct", "pairs")


GENERIC = Algorithm("generic")

BATCHES = "glow.batches"
"""
The attribute of a module that is compiled for several batches.

It has the batch of the module itself, then those that filters are packed for.
"""


def batches_of(op: Operation, extent: int) -> Shape:
    """Scale `extent`, a batch at `op`, to each batch that filters are packed for."""
    module = op.get_toplevel_object()
    batches = module.attributes.get(BATCHES) if isinstance(module, ModuleOp) else None
    if not isinstance(batches, DenseArrayBase):
        return ()
    own, *known = (int(each) for each in batches.get_values() or (0,))
    if min(own, *known, extent) < 1 or extent % own:
        return ()
    return tuple(extent // own * each for each in known)


@cache
def choose_algorithm(conv: ConvShape, target: Target) -> Algorithm:
    """Return how `target` computes a convolution of this shape."""
    if compute_type(conv.element) != f32 or 0 in conv.filter:
        return GENERIC
    if conv.group == conv.input[1] > 1 and conv.columns < target.f32_lanes:
        return Algorithm("depthwise")
    panel, form = image_panel(target, conv.columns, conv.result[2:]), None
    if multiplies_pairs(target, conv.element, conv.filter[1]):
        return Algorithm("pairs", panel)
    window = conv.filter[2:], conv.strides, conv.dilations, conv.group
    may_transform = conv.is_constant and target.accuracy != "strict"
    if may_transform and is_winograd_window(*window):
        itemsize = dtype_of(conv.element).itemsize
        known = [(batch, *conv.result[1:]) for batch in conv.batches]
        form = winograd_form(target.costs, conv.filter, conv.result, itemsize, known)
    if form is not None:
        return Algorithm("winograd", winograd_panel(target, form, conv.result), form)
    return Algorithm("direct", panel)
