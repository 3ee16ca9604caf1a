"""Ops on operands of given shapes, to be reordered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.test_value import create_ssa_value

from glow.dialects.graph.activation import PreluOp
from glow.dialects.graph.along_axis import AlongAxisOp, CumsumOp, TopKOp
from glow.dialects.graph.base import GraphOp
from glow.dialects.graph.declaration import BinaryOp, UnaryOp
from glow.dialects.graph.embedding import EmbeddingOp
from glow.dialects.graph.indexing import (
    GatherElementsOp,
    GatherNdOp,
    GatherOp,
    OneHotOp,
)
from glow.dialects.graph.joining import ConcatOp, SplitOp
from glow.dialects.graph.layer_norm import LayerNormOp, RmsNormOp
from glow.dialects.graph.linear import DetOp
from glow.dialects.graph.loss import BinaryCrossEntropyWithLogitsLossOp
from glow.dialects.graph.movement import (
    ExpandOp,
    ReshapeOp,
    TileOp,
)
from glow.dialects.graph.normalization import (
    BatchNormOp,
    ChannelNormOp,
    GroupNormOp,
    LrnOp,
)
from glow.dialects.graph.reduction import ArgReductionOp, ReductionOp
from glow.dialects.graph.resize import ResizeOp
from glow.dialects.graph.scattering import (
    ScatterElementsOp,
    ScatterNdOp,
    TensorScatterOp,
)
from glow.dialects.graph.select import BitcastOp, CastOp, ClipOp, DropoutOp, WhereOp
from glow.dialects.graph.slicing import PadOp, SliceOp, TriluOp

Array = np.ndarray[Any, Any]
Draw = Callable[..., Any]
Shape = tuple[int, ...]


def value(element: Attribute, shape: Shape) -> SSAValue:
    return create_ssa_value(TensorType(element, shape))


def element_for(cls: type[Any]) -> Attribute:
    """Return an element type that an op takes."""
    return next(each for each in (f32, i32, i1) if each in cls.ELEMENTS.members)


def some_of(draw: Draw, shape: Shape) -> Shape:
    """Return a shape that broadcasts to `shape`."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from([1, extent])) for extent in kept)


def optional(draw: Draw, shape: Shape) -> SSAValue | None:
    return draw(st.sampled_from([None, value(f32, shape)]))


def binary(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    element = element_for(cls)
    other = value(element, some_of(draw, shape))
    operands = [value(element, shape), other]
    parameters: dict[str, Any] = {}
    if cls.name == "graph.mod":
        parameters["fmod"] = True
    if cls.name == "graph.bit_shift":
        parameters["direction"] = "LEFT"
    return cls(*(operands if draw(st.booleans()) else operands[::-1]), **parameters)


def binary_loss(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    weights = [optional(draw, some_of(draw, shape)) for _ in range(2)]
    reduction = draw(st.sampled_from(["none", "mean"]))
    slots = (value(f32, shape), value(f32, shape), *weights)
    return cls(*slots, reduction=reduction)


def where(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    operands = [value(f32, shape), value(f32, some_of(draw, shape))]
    return cls(value(i1, some_of(draw, shape)), *operands)


def reduction(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    axes = draw(st.permutations(range(-len(shape), 0)))
    axes = axes[: draw(st.integers(0, len(axes)))]
    return cls(value(f32, shape), axes=axes, keepdims=draw(st.booleans()))


def axis_of(shape: Shape, draw: Draw) -> int:
    return draw(st.integers(-len(shape), len(shape) - 1))


def concat(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    axis = axis_of(shape, draw)
    other = list(shape)
    other[axis] = draw(st.integers(0, 3))
    return cls([value(f32, shape), value(f32, tuple(other))], axis=axis)


def split(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    axis = axis_of(shape, draw)
    first = draw(st.integers(0, shape[axis]))
    return cls(value(f32, shape), axis=axis, sizes=(first, shape[axis] - first))


def slice_of(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    steps = tuple(draw(st.sampled_from([-1, 1])) for _ in shape)
    starts = tuple(0 if s > 0 else n - 1 for s, n in zip(steps, shape, strict=True))
    sizes = tuple(draw(st.integers(1, extent)) for extent in shape)
    return cls(value(f32, shape), starts=starts, sizes=sizes, steps=steps)


def pad(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    pads = tuple(draw(st.integers(0, 2)) for _ in range(2 * len(shape)))
    mode = draw(st.sampled_from(["constant", "edge", "wrap"]))
    fill = value(f32, ()) if mode == "constant" and draw(st.booleans()) else None
    return cls(value(f32, shape), fill, pads=pads, mode=mode)


def tile(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    return cls(value(f32, shape), repeats=[draw(st.integers(1, 3)) for _ in shape])


def expand(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    return cls(value(f32, some_of(draw, shape)), shape=shape)


def reshape(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    at = draw(st.integers(0, len(shape)))
    new = (*shape[:at], 1, *shape[at:])
    if len(shape) > 1 and draw(st.booleans()):
        new = (shape[0] * shape[1], *shape[2:])
    return cls(value(f32, shape), shape=new)


def embedding(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    padding_idx = draw(st.sampled_from([None, 0, 1]))
    return cls(value(f32, (5, 3)), value(i64, shape), padding_idx=padding_idx)


def gather(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    indices = draw(st.sampled_from([(), (2,), (1, 3), (2, 3)]))
    return cls(value(f32, shape), value(i64, indices), axis=axis_of(shape, draw))


def gather_elements(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    axis = axis_of(shape, draw)
    return cls(value(f32, shape), value(i64, shape), axis=axis)


def gather_nd(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    batch = draw(st.integers(0, len(shape) - 1))
    count = draw(st.integers(1, len(shape) - batch))
    middle = draw(st.sampled_from([(), (3,), (2, 3)]))
    indices = value(i64, (*shape[:batch], *middle, count))
    return cls(value(f32, shape), indices, batch_dims=batch)


def scatter_elements(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    operands = value(f32, shape), value(i64, shape), value(f32, shape)
    return cls(*operands, axis=axis_of(shape, draw), reduction="max")


def scatter_nd(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    count = draw(st.integers(1, len(shape)))
    middle = draw(st.sampled_from([(), (3,), (2, 3)]))
    updates = value(f32, (*middle, *shape[count:]))
    return cls(value(f32, shape), value(i64, (*middle, count)), updates)


def tensor_scatter(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    starts = draw(st.sampled_from([None, value(i64, (2,))]))
    axis = 1 + axis_of(shape, draw) % len(shape)
    data, updates = value(f32, (2, *shape)), value(f32, (2, *shape))
    return cls(data, updates, starts, axis=axis)


def trilu(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    return cls(value(f32, (2, *shape)), draw(st.sampled_from([None, value(i64, ())])))


def resize(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    axes = draw(st.permutations(range(len(shape))))
    sizes = [shape[axis] + k for k, axis in enumerate(axes)]
    mode = draw(st.sampled_from(["nearest", "linear"]))
    if draw(st.booleans()):
        return cls(value(f32, shape), sizes=sizes, axes=axes, mode=mode)
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "mode": mode}
    region = value(f32, (2 * len(axes),))
    return cls(value(f32, shape), region, sizes=sizes, axes=axes, **crop)


def top_k(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    """The values alone: there are ties, and those of another axis move."""
    return cls(value(f32, shape), k=1, axis=axis_of(shape, draw), with_indices=False)


def batch_norm(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    vector = value(f32, shape[:1])
    affine = [optional(draw, shape[:1]) for _ in range(2)]
    return cls(value(f32, (2, *shape)), vector, vector, *affine)


def layer_norm(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    return cls(
        value(f32, shape),
        optional(draw, some_of(draw, shape)),
        optional(draw, some_of(draw, shape)),
        axis=axis_of(shape, draw),
        with_statistics=draw(st.booleans()),
    )


def rms_norm(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    scale = optional(draw, some_of(draw, shape))
    return cls(value(f32, shape), scale, axis=axis_of(shape, draw))


def channel_norm(cls: type[Any], shape: Shape, draw: Draw) -> GraphOp:
    given = [optional(draw, shape[:1]) for _ in range(2)]
    parameters = {"num_groups": shape[0]} if cls is GroupNormOp else {}
    return cls(value(f32, (2, *shape)), *given, **parameters)


BUILDERS: dict[type[Any], Callable[[Any, Shape, Draw], GraphOp]] = {
    UnaryOp: lambda cls, shape, draw: cls(value(element_for(cls), shape)),
    BinaryOp: binary,
    BinaryCrossEntropyWithLogitsLossOp: binary_loss,
    WhereOp: where,
    BitcastOp: lambda cls, shape, draw: cls(value(f32, shape), to=i32),
    CastOp: lambda cls, shape, draw: cls(value(f32, shape), to=i32),
    ClipOp: lambda cls, shape, draw: cls(value(f32, shape), value(f32, ())),
    PreluOp: lambda cls, shape, draw: cls(
        value(f32, shape), value(f32, some_of(draw, shape))
    ),
    ReductionOp: reduction,
    ArgReductionOp: lambda cls, shape, draw: cls(
        value(f32, shape), axis=axis_of(shape, draw), keepdims=draw(st.booleans())
    ),
    AlongAxisOp: lambda cls, shape, draw: cls(
        value(f32, shape), axis=axis_of(shape, draw)
    ),
    LrnOp: lambda cls, shape, draw: cls(value(f32, (2, *shape)), size=2),
    BatchNormOp: batch_norm,
    DropoutOp: lambda cls, shape, draw: cls(
        value(f32, shape), optional(draw, ()), with_mask=draw(st.booleans())
    ),
    LayerNormOp: layer_norm,
    RmsNormOp: rms_norm,
    ChannelNormOp: channel_norm,
    ConcatOp: concat,
    SplitOp: split,
    SliceOp: slice_of,
    PadOp: pad,
    TileOp: tile,
    ExpandOp: expand,
    ReshapeOp: reshape,
    EmbeddingOp: embedding,
    GatherOp: gather,
    GatherElementsOp: gather_elements,
    GatherNdOp: gather_nd,
    ScatterElementsOp: scatter_elements,
    ScatterNdOp: scatter_nd,
    TensorScatterOp: tensor_scatter,
    CumsumOp: lambda cls, shape, draw: cls(
        value(f32, shape), axis=axis_of(shape, draw), reverse=draw(st.booleans())
    ),
    TriluOp: trilu,
    DetOp: lambda cls, shape, draw: cls(value(f32, (*shape, 3, 3))),
    ResizeOp: resize,
    TopKOp: top_k,
    OneHotOp: lambda cls, shape, draw: cls(
        value(i64, shape), value(f32, (2,)), depth=3, axis=axis_of(shape, draw)
    ),
}


def builder_of(cls: type[GraphOp]) -> Callable[[Any, Shape, Draw], GraphOp]:
    """Return how to build `cls`: its own way before that of its family."""
    ways = [BUILDERS[base] for base in cls.mro() if base in BUILDERS]
    assert ways, f"expected a way to build {cls.name}, got none"
    return ways[0]
