"""Cases of operators that read or write where integers say."""

from __future__ import annotations

import numpy as np

from operators.case import BOOL, I32, NUMBERS, Array, Case, case, draw

ANY = (*NUMBERS, BOOL)


def places(shape: tuple[int, ...], extent: int) -> Array:
    """Return random indices of `extent` positions, negative ones included."""
    return draw(shape, np.dtype(np.int64), -extent, extent - 1, seed=7)


def tuples(shape: tuple[int, ...], extents: tuple[int, ...]) -> Array:
    """Return random tuples of indices, one for each of `extents`."""
    return np.stack([places(shape, extent) for extent in extents], -1)


def _gathers() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        data = draw((4, 5), dtype)
        found.append(case("GatherElements", data, places((3, 5), 4)))
        found.append(case("GatherND", data, tuples((3,), (4, 5))))
    data = draw((4, 5, 17))
    for axis in (0, 1, 2, -2):
        for shape in ((4, 5, 17), (2, 3, 9)):
            indices = places(shape, data.shape[axis])
            found.append(case("GatherElements", data, indices, axis=axis))
    found += [
        case("GatherElements", data, places((4, 5, 3), 17).astype(I32), axis=2),
        case("GatherElements", data, places((4, 0, 3), 17), axis=2),
        case("GatherND", data, tuples((2, 3), (4,))),
        case("GatherND", data, tuples((6,), (4, 5))),
        case("GatherND", data, tuples((), (4, 5, 17))),
        case("GatherND", data, tuples((4, 2), (5,)), batch_dims=1),
        case("GatherND", data, tuples((4, 5), (17,)), batch_dims=2),
        case("GatherND", data, tuples((0, 2), (4, 5))),
    ]
    return found


CASES = _gathers()
