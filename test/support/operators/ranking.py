"""Cases of operators that put elements into an order."""

from __future__ import annotations

import numpy as np

from operators.case import F32, NUMBERS, Case, case, draw, ints


def _tops() -> list[Case]:
    found: list[Case] = []
    fixed = {"constants": (1,), "outputs": 2}
    for dtype in NUMBERS:
        ties = draw((4, 50), dtype).round().astype(dtype)
        found.append(case("TopK", ties, ints(7), **fixed))
    for axis in (0, 1, -1):
        for largest in (0, 1):
            data = draw((4, 5, 6), seed=largest)
            flags = {"axis": axis, "largest": largest}
            found.append(case("TopK", data, ints(3), **flags, **fixed))
    data = draw((3, 40))
    found += [
        case("TopK", data, ints(40), largest=0, **fixed),
        case("TopK", data, ints(0), **fixed),
        case("TopK", draw((0, 4)), ints(2), **fixed),
        case("TopK", data, ints(5), opset=10, **fixed),
        case("TopK", data, opset=9, outputs=2, k=5, axis=-1),
    ]
    return found


def _boxes() -> list[Case]:
    found: list[Case] = []
    known = {"constants": range(5)}
    for seed, center in ((0, 0), (1, 1), (2, 0)):
        boxes, scores = draw((2, 40, 4), F32, 0, 9, seed), draw((2, 3, 40), seed=seed)
        data = boxes, scores.round(1)
        for limit in (0, 1, 5, 40, 99, -1):
            overlap, least = np.array([0.3], F32), np.array(0.5, F32)
            rest = ints(limit), overlap, least
            flags = {"center_point_box": center, **known}
            found.append(case("NonMaxSuppression", *data, *rest, **flags))
            found.append(case("NonMaxSuppression", *data, *rest[:1], **known))
    found.append(case("NonMaxSuppression", *data, ints(7), opset=10, **known))
    found.append(case("NonMaxSuppression", *data, opset=10, **known))
    return found


CASES = [*_tops(), *_boxes()]
