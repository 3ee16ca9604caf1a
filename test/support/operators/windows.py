"""Cases of convolutions and pools."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from operators.case import F32, F64, FLOATS, Array, Case, case, draw

# Input, filter and attributes of convolutions; the bias is added.
CONVOLUTIONS: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ((1, 3, 8, 8), (4, 3, 3, 3), {}),
    ((2, 3, 8, 7), (4, 3, 3, 2), {"pads": [1, 0, 1, 1]}),
    ((1, 3, 9, 9), (5, 3, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 2, 11, 9), (3, 2, 3, 3), {"dilations": [2, 3]}),
    ((1, 4, 6, 6), (6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}),
    ((2, 6, 7, 7), (6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}),
    ((1, 4, 7, 7), (8, 1, 3, 3), {"group": 4, "strides": [2, 2]}),
    ((1, 16, 5, 5), (24, 16, 1, 1), {}),
    ((1, 8, 6, 6), (7, 8, 1, 1), {"strides": [2, 2]}),
    ((1, 3, 7, 10), (2, 3, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2, 3]}),
    ((1, 3, 7, 10), (2, 3, 3, 4), {"auto_pad": "SAME_LOWER"}),
    ((1, 3, 7, 10), (2, 3, 3, 4), {"auto_pad": "VALID", "strides": [2, 2]}),
    ((2, 3, 12), (4, 3, 5), {"pads": [2, 1], "strides": [3]}),
    ((1, 2, 5, 6, 7), (3, 2, 2, 3, 2), {"pads": [1, 0, 1, 0, 1, 1]}),
    ((1, 17, 6, 6), (33, 17, 3, 3), {"kernel_shape": [3, 3]}),
)
TRANSPOSED: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ((1, 3, 4, 4), (3, 4, 3, 3), {}),
    ((2, 3, 4, 5), (3, 4, 3, 2), {"strides": [2, 3], "pads": [1, 0, 0, 1]}),
    ((1, 4, 4, 4), (4, 2, 3, 3), {"group": 2, "strides": [2, 2]}),
    ((1, 2, 4, 4), (2, 3, 3, 3), {"strides": [2, 2], "output_padding": [1, 1]}),
    ((1, 2, 4, 4), (2, 3, 3, 3), {"strides": [3, 2], "output_shape": [10, 8]}),
    ((1, 2, 4, 4), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ((1, 2, 4, 4), (2, 3, 3, 3), {"dilations": [2, 2]}),
    ((1, 2, 7), (2, 3, 4), {"strides": [2]}),
    ((1, 2, 3, 4, 3), (2, 3, 2, 2, 2), {"strides": [2, 1, 2]}),
)
# As transformers exports the pooler of EfficientNet, over images of 7 x 7.
BEYOND: dict[str, Any] = {
    "kernel_shape": [1280, 1280],
    "strides": [1280, 1280],
    "ceil_mode": 1,
}
# Shape and attributes of pools.
POOLS: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((1, 3, 8, 8), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ((2, 3, 8, 7), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1]}),
    (
        (1, 4, 9, 10),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
    ),
    ((1, 2, 8, 9), {"kernel_shape": [3, 3], "strides": [2, 3], "ceil_mode": 1}),
    (
        (1, 2, 7, 7),
        {
            "kernel_shape": [3, 3],
            "strides": [2, 2],
            "pads": [1, 1, 1, 1],
            "ceil_mode": 1,
        },
    ),
    ((1, 2, 7, 9), {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER"}),
    (
        (1, 2, 7, 9),
        {"kernel_shape": [3, 4], "auto_pad": "SAME_LOWER", "strides": [2, 2]},
    ),
    ((1, 2, 7, 9), {"kernel_shape": [3, 2], "auto_pad": "VALID", "strides": [2, 2]}),
    ((1, 3, 11), {"kernel_shape": [4], "strides": [3], "pads": [1, 2]}),
    ((1, 2, 5, 6, 4), {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2]}),
    ((1, 17, 5, 5), {"kernel_shape": [5, 5]}),
)
DILATED = {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 1, 1, 1]}


def _biased(op: str, shape: Any, kernel: Any, attributes: Any) -> list[Case]:
    """Return the case with and without bias, and with everything an input."""
    group = attributes.get("group", 1)
    outputs = kernel[0] if op == "Conv" else kernel[1] * group
    data, filter_ = draw(shape, F32), draw(kernel, F32, -1, 1)
    bias = draw((outputs,), F32)
    return [
        case(op, data, filter_, bias, constants=(1, 2), **attributes),
        case(op, data, filter_, **attributes),
    ]


def _convolutions() -> list[Case]:
    found: list[Case] = []
    for op, table in (("Conv", CONVOLUTIONS), ("ConvTranspose", TRANSPOSED)):
        for shape, kernel, attributes in table:
            found += _biased(op, shape, kernel, attributes)
    wide = draw((1, 3, 6, 6), F64), draw((4, 3, 3, 3), F64), draw((4,), F64)
    found.append(case("Conv", *wide, constants=(1, 2), pads=[1, 1, 1, 1]))
    wide = draw((1, 3, 4, 4), F64), draw((3, 2, 3, 3), F64), draw((2,), F64)
    found.append(case("ConvTranspose", *wide, constants=(1, 2), strides=[2, 2]))
    return found


def _pools() -> list[Case]:
    found: list[Case] = []
    for shape, attributes in POOLS:
        for dtype in FLOATS:
            data = draw(shape, dtype)
            found.append(case("MaxPool", data, **attributes))
            for include in (0, 1):
                found.append(
                    case("AveragePool", data, count_include_pad=include, **attributes)
                )
        if "storage_order" not in attributes:
            found.append(case("MaxPool", draw(shape), outputs=2, **attributes))
        for p in (1, 2, 3):
            found.append(case("LpPool", draw(shape), opset=18, p=p, **attributes))
    data = draw((1, 2, 9, 11))
    found += [
        case("AveragePool", draw((1, 4, 7, 7)), **BEYOND),
        case("MaxPool", draw((1, 4, 7, 7)), **BEYOND),
        case("LpPool", draw((1, 4, 7, 7)), opset=18, **BEYOND),
        case("MaxPool", data, **DILATED),
        case("MaxPool", data, outputs=2, storage_order=1, **DILATED),
        case("AveragePool", data, opset=19, **DILATED),
        case("LpPool", data, opset=18, **DILATED),
        case("MaxPool", _with_special(data), kernel_shape=[2, 2]),
        case("AveragePool", data, opset=7, kernel_shape=[2, 2]),
        case("MaxPool", data, opset=7, kernel_shape=[2, 2]),
    ]
    for shape in ((2, 3, 5, 7), (1, 2, 9), (1, 2, 3, 4, 5)):
        found += [case("GlobalAveragePool", draw(shape, dtype)) for dtype in FLOATS]
        found.append(case("GlobalMaxPool", draw(shape)))
        found += [case("GlobalLpPool", draw(shape), p=p) for p in (1, 2, 3)]
    return found


def _with_special(data: Array) -> Array:
    found = data.copy()
    found[0, 0, 0, :3] = -np.inf, np.inf, np.inf
    found[0, 1, :2, :3] = -np.inf
    return found


def _regions() -> list[Case]:
    rois = [(0.3, 0.7, 5.2, 6.1), (1, 1, 1.5, 1.2), (-4, -3, 20, 22), (5, 5, 2, 2)]
    size = {"output_height": 3, "output_width": 2, "spatial_scale": 0.9}
    found: list[Case] = []
    for dtype, mode, ratio, opset in product(FLOATS, ("avg", "max"), (0, 2), (10, 16)):
        data = draw((2, 5, 8, 9), dtype), np.array(rois, dtype), np.array([0, 1, 1, 0])
        flags = {"mode": mode, "sampling_ratio": ratio, **size}
        found.append(case("RoiAlign", *data, opset=opset, **flags))
        if opset == 16:
            flags["coordinate_transformation_mode"] = "output_half_pixel"
            found.append(case("RoiAlign", *data, opset=opset, **flags))
    return found


CASES = [*_convolutions(), *_pools(), *_regions()]
