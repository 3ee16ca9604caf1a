"""Cases of images of another size."""

from __future__ import annotations

from typing import Any

import numpy as np

from operators.case import BOOL, F32, F64, I32, I64, Case, case, draw, ints

NEAREST = [
    {"mode": "nearest", "nearest_mode": rounding}
    for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
]
WEIGHTED: list[dict[str, Any]] = [
    {"mode": "linear"},
    {"mode": "cubic"},
    {"mode": "cubic", "cubic_coeff_a": -0.5, "exclude_outside": 1},
    {"mode": "linear", "antialias": 1},
    {"mode": "cubic", "antialias": 1},
    {"mode": "cubic", "antialias": 1, "exclude_outside": 1},
]
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
SIZES = ((10, 14), (3, 11), (1, 1))
SCALES = ((2.0, 2.0), (0.6, 1.3))
CROP = {"coordinate_transformation_mode": "tf_crop_and_resize"}
REGION = np.array([0, 0, 0.1, -0.2, 1, 1, 0.8, 1.3], F32)
SHAPE = (1, 2, 5, 7)


def _floats(*values: float) -> Any:
    return np.array(values, F32)


def resized(
    x: Any,
    sizes: tuple[int, ...] | None = None,
    scales: tuple[float, ...] | None = None,
    roi: Any = None,
    opset: int = 19,
    **attributes: Any,
) -> Case:
    """Return a case whose sizes or scales are the model's."""
    none = None if opset >= 13 else _floats()
    ratios = none if scales is None else _floats(*scales)
    inputs = [x, none if roi is None else roi, ratios]
    inputs += [] if sizes is None else [ints(*sizes)]
    return case("Resize", *inputs, constants=(1, 2, 3), opset=opset, **attributes)


def _modes() -> list[Case]:
    """Every mode with all coordinates, for sizes and for scales."""
    found: list[Case] = []
    x = draw(SHAPE)
    for how in (*NEAREST, *WEIGHTED):
        for coordinates in COORDINATES:
            where = how | {"coordinate_transformation_mode": coordinates}
            found += [resized(x, (1, 2, *sizes), **where) for sizes in SIZES]
            if coordinates != "align_corners":  # see docs/decisions/0002
                found += [
                    resized(x, None, (1, 1, *scales), **where) for scales in SCALES
                ]
    symmetric = {"coordinate_transformation_mode": "half_pixel_symmetric"}
    for how in WEIGHTED:
        found += [resized(x, None, (1, 1, *s), **how, **symmetric) for s in SCALES]
    halves = {"coordinate_transformation_mode": "tf_half_pixel_for_nn"}
    for how in NEAREST:
        found += [
            resized(x, (1, 2, *s), None, REGION, 11, **how, **halves) for s in SIZES
        ]
    return found


def _crops() -> list[Case]:
    x = draw(SHAPE)
    return [
        resized(x, (1, 2, *sizes), None, REGION, extrapolation_value=7.5, **how, **CROP)
        for how in (*NEAREST, *WEIGHTED)
        for sizes in SIZES
    ]


def _policies() -> list[Case]:
    x = draw(SHAPE)
    return [
        resized(x, sizes, axes=axes, keep_aspect_ratio_policy=policy, **how)
        for policy in ("stretch", "not_larger", "not_smaller")
        for sizes in ((7, 9), (11, 2))
        for axes in ([2, 3], [3, 2])
        for how in ({"mode": "nearest"}, {"mode": "linear"})
    ]


def _others() -> list[Case]:
    """Other ranks, element types and layouts, in old and new versions."""
    found = [
        resized(draw(SHAPE, dtype), None, (1, 1, 2, 1.5), mode="nearest")
        for dtype in (F32, F64, I32, I64, BOOL)
    ]
    found += [
        resized(draw((5, 7)), None, (1.5, 2), mode="linear"),
        resized(draw((5, 7), F64), (4, 9), mode="cubic"),
        resized(draw((7,)), (9,), mode="nearest"),
        resized(draw(SHAPE), (9, 3), axes=[-1, -2], mode="linear"),
        resized(draw(SHAPE), None, (2.6, 0.5), axes=[3, 2], mode="linear"),
        resized(draw((2, 3, 4, 5, 6)), None, (1, 1, 2, 1.5, 0.7), mode="nearest"),
        resized(draw((1, 2, 4, 5, 6)), None, (1, 1, 2, 1.5, 0.7), mode="linear"),
        resized(draw((1, 5, 7, 3)), (1, 10, 9, 3), mode="linear"),
        resized(draw((1, 33, 4, 5)), None, (1, 1, 2, 2), mode="linear"),
        resized(draw((2, 3, 4, 5)), None, (1, 1, 2, 2), REGION, 11, mode="cubic"),
        resized(draw((2, 3, 4, 5)), (2, 3, 8, 7), None, None, 13, mode="linear"),
    ]
    x = draw(SHAPE)
    for mode in ("nearest", "linear"):
        for scales in SCALES:
            how = {"constants": (1,), "mode": mode}
            found.append(case("Resize", x, _floats(1, 1, *scales), opset=10, **how))
            if min(scales) >= 1:
                up = _floats(1, 1, *scales)
                found.append(case("Upsample", x, up, opset=9, **how))
                whole = [1.0, 1.0, *scales]
                found.append(case("Upsample", x, opset=7, mode=mode, scales=whole))
    return found


CASES = [*_modes(), *_crops(), *_policies(), *_others()]
