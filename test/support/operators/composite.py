"""Cases of operators that the importer makes of others."""

from __future__ import annotations

import numpy as np

from operators.case import F32, FLOATS, Case, case, draw


def _cases() -> list[Case]:
    found: list[Case] = []
    for axis in (0, 1, -1):
        found.append(case("Hardmax", draw((2, 3, 4)), axis=axis))
        found.append(case("Hardmax", draw((2, 3, 4)), opset=11, axis=axis))
        for p in (1, 2):
            for dtype in FLOATS:
                data = draw((2, 3, 4), dtype)
                found.append(case("LpNormalization", data, axis=axis, p=p))
    ties = np.array([[1, 3, 3, 0], [2, 2, 2, 2]], F32)
    found.append(case("Hardmax", ties))
    found.append(case("LpNormalization", np.array([[0, 0], [3, 4]], F32)))
    return found


CASES = _cases()
