"""Cases of operators that go along lines."""

from __future__ import annotations

import numpy as np

from operators.case import BOOL, I32, NUMBERS, Case, case, draw


def _sums() -> list[Case]:
    found: list[Case] = []
    for dtype in NUMBERS:
        axis = np.array(0)
        found.append(case("CumSum", draw((4, 17), dtype), axis, constants=(1,)))
    data = draw((3, 5, 19))
    for number in (0, 1, 2, -1):
        for exclusive, reverse in ((0, 0), (0, 1), (1, 0), (1, 1)):
            flags = {"exclusive": exclusive, "reverse": reverse}
            axis = np.array(number, I32)
            found.append(case("CumSum", data, axis, constants=(1,), **flags))
    return found


def _triangles() -> list[Case]:
    found: list[Case] = []
    for dtype in (*NUMBERS, BOOL):
        found.append(case("Trilu", draw((4, 5), dtype)))
    data = draw((2, 7, 19))
    for upper in (0, 1):
        found.append(case("Trilu", data, upper=upper))
        for k in (0, 1, -2, 18, 19, -7, -50, 2**62, -(2**62)):
            number = np.array(k)
            constants = (1,) if k == 1 else ()
            found.append(case("Trilu", data, number, constants=constants, upper=upper))
        found.append(case("Trilu", draw((0, 3)), np.array(1), upper=upper))
    return found


def _products() -> list[Case]:
    found: list[Case] = []
    for dtype in NUMBERS:
        axis = np.array(0)
        data = draw((9, 4), dtype)
        found.append(case("CumProd", data, axis, constants=(1,), opset=26))
    for exclusive, reverse in ((0, 0), (0, 1), (1, 0), (1, 1)):
        flags = {"exclusive": exclusive, "reverse": reverse}
        for shape, number in (((2, 5, 3), -2), ((2, 1), 1), ((0, 3), 0)):
            data, axis = draw(shape), np.array(number, I32)
            found.append(case("CumProd", data, axis, constants=(1,), opset=26, **flags))
    return found


CASES = [*_sums(), *_products(), *_triangles()]
