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


def _scatters() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        data, rows = draw((4, 5), dtype), draw((3, 5), dtype, seed=1)
        found.append(case("Scatter", data, distinct((3, 5), 4), rows, opset=9))
        found.append(case("ScatterElements", data, distinct((3, 5), 4), rows))
        found.append(case("ScatterND", data, distinct((3, 1), 4), rows))
    data = draw((4, 5, 17))
    for reduction in ("add", "mul", "max", "min"):
        fixed = {"reduction": reduction, "opset": 18}
        for dtype in NUMBERS:
            x, u = draw((4, 20), dtype), draw((9, 20), dtype, seed=1)
            found.append(case("ScatterElements", x, places((9, 20), 4), u, **fixed))
            found.append(case("ScatterND", x, tuples((9,), (4,)), u, **fixed))
        u = draw((4, 3, 9), seed=1)
        indices = places((4, 3, 9), 5)
        found.append(case("ScatterElements", data, indices, u, axis=1, **fixed))
        u = draw((6, 2), seed=1)
        indices = tuples((6, 2), (4, 5, 17))
        found.append(case("ScatterND", data, indices, u, **fixed))
    for axis in (0, 1, -1):
        indices = distinct((4, 5, 4), data.shape[axis], axis)
        u = draw((4, 5, 4), seed=1)
        found.append(case("ScatterElements", data, indices, u, axis=axis))
    found += [
        case("ScatterElements", data, places((4, 0, 3), 17), draw((4, 0, 3)), axis=2),
        case("ScatterND", data, tuples((), (4, 5)), draw((17,), seed=1)),
        case("ScatterND", data, tuples((0,), (4, 5)), draw((0, 17))),
    ]
    return found


def distinct(shape: tuple[int, ...], extent: int, axis: int = 0) -> Array:
    """Return indices of `extent` positions, none twice along `axis`; some negative."""
    order = np.random.default_rng(3).permutation(extent)[: shape[axis]]
    along = [-1 if i == axis % len(shape) else 1 for i in range(len(shape))]
    found = np.resize(order, shape[axis]).reshape(along)
    return np.broadcast_to(found, shape) - extent * (places(shape, extent) < 0)


def _caches() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        data, one = draw((2, 3, 8, 17), dtype), draw((2, 3, 1, 17), dtype, seed=1)
        at = np.array([7, 0])
        found.append(case("TensorScatter", data, one, at, opset=24))
    data, three = draw((2, 3, 8, 17)), draw((2, 3, 3, 17), seed=1)
    for mode in ("linear", "circular"):
        fixed = {"mode": mode, "opset": 24}
        found.append(case("TensorScatter", data, three, np.array([5, 2]), **fixed))
        found.append(case("TensorScatter", data, three, **fixed))
        flat, few = draw((2, 8, 5)), draw((2, 4, 5), seed=1)
        at = np.array([1, 4])
        found.append(case("TensorScatter", flat, few, at, axis=1, **fixed))
    fixed = {"mode": "circular", "opset": 24}
    found.append(case("TensorScatter", data, three, np.array([6, 7]), **fixed))
    found.append(
        case("TensorScatter", data, data[::-1].copy(), np.array([3, 7]), **fixed)
    )
    return found


def _one_hots() -> list[Case]:
    found: list[Case] = []
    far = np.array([[1, 4, -1], [0, 9, -9], [2**40, -(2**63), 2**63 - 1]])
    depth, values = np.array(5), np.array([-1, 2], np.float32)
    for axis in (-1, 0, 1):
        for constants in ((1,), (1, 2)):
            hot = case("OneHot", far, depth, values, constants=constants, axis=axis)
            found.append(hot)
    fixed = {"constants": (1,)}
    for dtype in ANY:
        few = np.array([0, 1], dtype)
        found.append(case("OneHot", places((3,), 19), np.array([19]), few, **fixed))
    close = np.array([0, -3, 2, 3, -4])
    for dtype in (np.int32, np.float32):
        indices, depth = close.astype(dtype), np.array(3, dtype)
        found.append(case("OneHot", indices, depth, values, **fixed))
    found.append(case("OneHot", np.array(2), np.array(3), values, **fixed))
    found.append(case("OneHot", places((0, 3), 2), np.array(3), values, **fixed))
    return found


CASES = [*_gathers(), *_scatters(), *_caches(), *_one_hots()]
