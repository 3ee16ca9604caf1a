"""Cases of what puts elements back where a window or a pool took them from."""

from __future__ import annotations

import numpy as np

from operators.case import FLOATS, I64, Case, case, draw, ints


def _columns() -> list[Case]:
    found: list[Case] = []
    for image, block, rows, count, attributes in (
        ((5, 5), (1, 5), 10, 5, {}),
        ((5, 6), (2, 3), 12, 16, {}),
        ((6, 5), (2, 2), 4, 6, {"strides": [2, 2]}),
        ((6, 6), (2, 2), 8, 16, {"dilations": [2, 2]}),
        ((5, 5), (2, 2), 4, 36, {"pads": [1, 1, 1, 1]}),
        ((7, 6), (3, 2), 12, 12, {"strides": [2, 1], "pads": [1, 0, 1, 0]}),
    ):
        for dtype in FLOATS:
            data = draw((2, rows, count), dtype)
            if attributes.get("strides") == [2, 1]:
                data = draw((2, rows, 4 * 5), dtype)
            given = (data, ints(*image), ints(*block))
            each = case("Col2Im", *given, constants=(1, 2), opset=18, **attributes)
            found.append(each)
    return found


def _unpools() -> list[Case]:
    found: list[Case] = []
    for dtype in FLOATS:
        maxima = draw((2, 2, 2, 3), dtype)
        places = np.arange(2 * 2 * 4 * 6)[:: 4 * 2][: maxima.size].astype(I64)
        places = np.resize(places, maxima.size).reshape(maxima.shape)
        places[1] += 1
        attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
        found.append(case("MaxUnpool", maxima, places, **attributes))
    one = np.array([[[[1, 2], [3, 4]]]], np.float32)
    where = np.array([[[[5, 7], [13, 15]]]], I64)
    whole = {"kernel_shape": [2, 2], "strides": [2, 2], "constants": (2,)}
    found.append(case("MaxUnpool", one, where, ints(1, 1, 4, 4), **whole))
    return found


CASES = [*_columns(), *_unpools()]
