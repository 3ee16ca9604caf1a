"""Cases of operators that put elements into an order."""

from __future__ import annotations

from operators.case import NUMBERS, Case, case, draw, ints


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


CASES = _tops()
