"""Cases of samples at positions that a tensor holds."""

from __future__ import annotations

from itertools import product

import numpy as np

from operators.case import F32, FLOATS, I64, Case, case, draw

PADDINGS = ("zeros", "border", "reflection")


def _cases() -> list[Case]:
    found: list[Case] = []
    image, grid = draw((2, 3, 4, 5)), draw((2, 3, 2, 2), low=-1.9, high=1.9)
    for mode, padding, align in product(
        ("bilinear", "nearest", "bicubic"), PADDINGS, (0, 1)
    ):
        attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
        found.append(case("GridSample", image, grid, **attributes))
    volume, points = draw((1, 2, 3, 4, 2)), draw((1, 2, 3, 1, 3), low=-1.2, high=1.2)
    for mode, padding in product(("linear", "nearest"), PADDINGS):
        attributes = {"mode": mode, "padding_mode": padding}
        found.append(case("GridSample", volume, points, opset=22, **attributes))
    single = draw((1, 1, 1, 3))
    found += [case("GridSample", single, grid[:1], padding_mode=p) for p in PADDINGS]
    turned = case("GridSample", single, grid[:1], padding_mode=PADDINGS[2])
    turned.attributes["align_corners"] = 1
    found.append(turned)
    whole = np.arange(20, dtype=I64).reshape(1, 1, 4, 5)
    found.append(case("GridSample", whole, grid[:1], mode="nearest", opset=22))
    beyond = np.array([[[[-1e3, 1e3], [0, 3e2]]]], F32)
    found += [case("GridSample", image[:1], beyond, padding_mode=p) for p in PADDINGS]
    found += [case("GridSample", draw((1, 1, 3, 3), t), grid[:1]) for t in FLOATS]
    return found


def _deformed() -> list[Case]:
    image, offset = draw((2, 4, 6, 7)), draw((2, 36, 3, 4), low=-1.5, high=1.5, seed=1)
    each = {"kernel_shape": [3, 3], "pads": [1, 0, 1, 2], "strides": [2, 2]}
    each |= {"offset_group": 2, "opset": 19}
    filter, bias = draw((6, 4, 3, 3), seed=2), draw((6,), seed=3)
    mask = draw((2, 18, 3, 4), low=0, high=1, seed=4)
    found = [
        case("DeformConv", image, filter, offset, **each),
        case("DeformConv", image, filter, offset, bias, mask, **each),
        case("DeformConv", image, filter[:, :2], offset, None, mask, group=2, **each),
    ]
    near, small = draw((1, 8, 5, 6)), draw((1, 1, 2, 2), seed=5)
    for dtype in FLOATS:
        data = (each.astype(dtype) for each in (draw((1, 1, 6, 7)), small, near))
        found.append(case("DeformConv", *data, opset=19))
    return found


CASES = [*_cases(), *_deformed()]
