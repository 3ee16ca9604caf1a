"""Random images of another size."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.dialects.graph import resize
from glow.dialects.graph.interpolation import COORDINATES, CROP, MODES, ROUNDINGS
from random_ops.call import ALL, FLOATS, Call, Source


def _resize(s: Source) -> Call:
    mode = s.choose(MODES)
    dtype = s.choose(ALL if mode == "nearest" else FLOATS)
    rank = s.integer(1, 5)
    shape = s.shape(rank, rank, empty=0)
    axes = [int(axis) for axis in s.rng.permutation(rank)[: s.integer(1, min(rank, 3))]]
    coordinates = CROP if s.flip(0.2) else s.choose(COORDINATES)
    is_crop = coordinates == CROP
    parameters: dict[str, Any] = {
        "axes": axes,
        "mode": mode,
        "coordinate_transformation_mode": coordinates,
        "nearest_mode": s.choose(ROUNDINGS),
        "cubic_coeff_a": s.choose([-0.75, -0.5]),
        "exclude_outside": s.flip(0.3),
        "antialias": mode != "nearest" and not is_crop and s.flip(0.3),
        "extrapolation_value": s.choose([0.0, 7.5]),
    }
    if s.flip():
        ratios = (0.4, 0.5, 0.8, 1.0, 1.5, 2.0, 2.0, 3.0)
        parameters["scales"] = [s.choose(ratios) for _ in axes]
    else:
        least = 0 if s.flip(0.1) else 1
        parameters["sizes"] = [s.integer(least, 3 * shape[axis]) for axis in axes]
    x = s.finite(shape, dtype)
    roi = None
    if is_crop:
        ends = [s.rng.uniform(-0.1, 0.5, len(axes)), s.rng.uniform(0.3, 1.2, len(axes))]
        roi = np.concatenate(ends).astype(s.choose(FLOATS))
    return Call(resize.ResizeOp, (x, roi), parameters, sums=mode != "nearest")


GENERATORS = {"graph.resize": _resize}
