"""Random calls of convolutions and pools, in one to three spatial axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from glow.dialects.graph import convolution, detection, pooling
from glow.dialects.graph.base import GraphOp
from random_ops.call import FLOATS, NUMBERS, Call, Source


def _spatial(s: Source, axes: int) -> tuple[int, ...]:
    most = (0, 40, 13, 6)[axes]
    return tuple(s.integer(1, most) for _ in range(axes))


def _channels(s: Source) -> int:
    return s.choose([1, 2, 3, 4, 8, 16, 17])


def _movement(s: Source, axes: int) -> dict[str, Any]:
    """Return strides, pads and dilations, each left out now and then."""
    found: dict[str, Any] = {}
    if s.flip(0.7):
        found["strides"] = [s.integer(1, 3) for _ in range(axes)]
    if s.flip(0.7):
        found["pads"] = [s.integer(0, 2) for _ in range(2 * axes)]
    if s.flip(0.4):
        found["dilations"] = [s.integer(1, 3) for _ in range(axes)]
    return found


def _conv(s: Source) -> Call:
    axes, dtype = s.choose([1, 2, 2, 3]), s.choose([*FLOATS, FLOATS[0]])
    group = s.choose([1, 1, 2, 3, 8, 16, 33])
    depth = s.choose([1, 1, 2, 5, 16]) if group > 1 else _channels(s)
    outputs = group * s.choose([1, 1, 2, 3, 8, 33] if group < 8 else [1, 1, 2])
    kernel = [s.choose([1, 1, 2, 3, 3, 5]) for _ in range(axes)]
    x = s.finite((s.integer(0, 2) or 1, group * depth, *_spatial(s, axes)), dtype)
    w = s.finite((outputs, depth, *kernel), dtype)
    bias = s.finite((outputs,), dtype) if s.flip() else None
    parameters = {"group": group, **_movement(s, axes)}
    return Call(convolution.ConvOp, (x, w, bias), parameters, sums=True)


def _conv_transpose(s: Source) -> Call:
    axes, dtype = s.choose([1, 2, 2, 3]), s.choose(FLOATS)
    group, depth, outputs = s.choose([1, 1, 2, 3]), s.integer(1, 5), s.integer(1, 5)
    kernel = [s.integer(1, 4) for _ in range(axes)]
    x = s.finite((s.integer(1, 2), group * depth, *_spatial(s, axes)), dtype)
    w = s.finite((group * depth, outputs, *kernel), dtype)
    bias = s.finite((group * outputs,), dtype) if s.flip() else None
    parameters = {"group": group, **_movement(s, axes)}
    if s.flip(0.3):
        parameters["output_padding"] = [s.integer(0, 1) for _ in range(axes)]
    return Call(convolution.ConvTransposeOp, (x, w, bias), parameters, sums=True)


def _pool(op: type[GraphOp]) -> Callable[[Source], Call]:
    def draw(s: Source) -> Call:
        axes = s.integer(1, 3)
        dtype = s.choose(NUMBERS if op is pooling.MaxPoolOp else FLOATS)
        shape = (s.integer(1, 2), _channels(s), *_spatial(s, axes))
        parameters = _movement(s, axes)
        parameters["kernel_shape"] = [s.integer(1, 4) for _ in range(axes)]
        parameters["ceil_mode"] = s.flip()
        if op is pooling.MaxPoolOp:
            parameters["with_indices"] = s.flip()
            parameters["storage_order"] = s.integer(0, 1)
        if op is pooling.AvgPoolOp:
            parameters["count_include_pad"] = s.flip()
        if op is pooling.LpPoolOp:
            parameters["p"] = s.integer(1, 4)
        strange = 0.2 if op is pooling.MaxPoolOp else 0
        x = s.array(shape, dtype, strange)
        return Call(op, (x,), parameters, sums=op is not pooling.MaxPoolOp)

    return draw


def _global(op: type[GraphOp]) -> Callable[[Source], Call]:
    def draw(s: Source) -> Call:
        axes = s.integer(1, 3)
        shape = (s.integer(1, 2), _channels(s), *_spatial(s, axes))
        is_lp = op is pooling.GlobalLpPoolOp
        parameters = {"p": s.integer(1, 4)} if is_lp else {}
        return Call(op, (s.finite(shape, s.choose(FLOATS)),), parameters, sums=True)

    return draw


POOLS = (pooling.MaxPoolOp, pooling.AvgPoolOp, pooling.LpPoolOp)
GLOBAL = (
    pooling.GlobalAvgPoolOp,
    pooling.GlobalMaxPoolOp,
    pooling.GlobalLpPoolOp,
)


def _roi_align(s: Source) -> Call:
    dtype, count = s.choose(FLOATS), s.integer(0, 4)
    x = s.finite((s.integer(1, 2), _channels(s), *_spatial(s, 2)), dtype)
    regions = s.rng.uniform(-3, 15, (count, 4)).astype(dtype)
    batches = s.rng.integers(0, len(x), count)
    parameters: dict[str, Any] = {
        "output_height": s.integer(1, 4),
        "output_width": s.integer(1, 4),
        "sampling_ratio": s.integer(0, 3),
        "spatial_scale": s.choose([1.0, 0.5]),
        "mode": s.choose(["avg", "max"]),
        "coordinate_transformation_mode": s.choose(["half_pixel", "output_half_pixel"]),
    }
    slots = (x, regions, batches)
    return Call(detection.RoiAlignOp, slots, parameters, sums=True)


GENERATORS = {
    "graph.conv": _conv,
    "graph.conv_transpose": _conv_transpose,
    **{op.name: _pool(op) for op in POOLS},
    **{op.name: _global(op) for op in GLOBAL},
    "graph.roi_align": _roi_align,
}
