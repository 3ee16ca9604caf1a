"""Cases of operators that move elements, and of those that ask for shapes."""

from __future__ import annotations

import numpy as np
from onnx import helper, numpy_helper

from operators.case import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    NUMBERS,
    Case,
    case,
    draw,
    ints,
)

ANY = (*NUMBERS, BOOL)


def _shapes() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        data = draw((2, 3, 4), dtype)
        found.append(case("Reshape", data, ints(4, -1), constants=(1,)))
        found.append(case("Identity", data))
    data = draw((2, 3, 4))
    for shape in ((0, -1), (0, 0, 2, 2), (24,), (1, 2, 3, 4), (-1,), (2, 0, 4)):
        found.append(case("Reshape", data, ints(*shape), constants=(1,)))
    empty = draw((0, 3))
    found.append(case("Reshape", empty, ints(3, 0), constants=(1,), allowzero=1))
    found.append(case("Reshape", draw((1,)), ints(), constants=(1,)))
    found += [case("Flatten", data, axis=axis) for axis in (0, 1, 2, 3, -1)]
    thin = draw((1, 3, 1, 2))
    for axes in ([0], [2], [0, 2], [-2]):
        found.append(case("Squeeze", thin, ints(*axes), constants=(1,)))
        found.append(case("Squeeze", thin, opset=11, axes=axes))
        found.append(case("Unsqueeze", data, ints(*axes), constants=(1,)))
        found.append(case("Unsqueeze", data, opset=11, axes=axes))
    found.append(case("Squeeze", thin))
    for shape in ((2, 3, 4), (5, 2, 3, 4), (3, 1), (1,)):
        found.append(case("Expand", draw((3, 1)), ints(*shape), constants=(1,)))
    for bounds in (
        {},
        {"start": 1},
        {"end": -1},
        {"start": -2, "end": 9},
        {"start": 2, "end": 1},
    ):
        found.append(case("Shape", data, **bounds))
    found += [case("Size", data), case("Dropout", data, opset=9, ratio=0.4)]
    for ratio in (None, np.array(0.4, F32)):
        for mode in (None, np.array(False)):
            given = (data, ratio, mode)
            dropout = case("Dropout", *given, constants=(2,), outputs=2, opset=13)
            found.append(dropout)
    found.append(case("Dropout", data, np.array(0.4, F32), opset=22))
    return found


def _joins() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        parts = [draw((2, n, 3), dtype, seed=n) for n in (1, 4, 2)]
        found.append(case("Concat", *parts, axis=1))
        found.append(
            case("Split", draw((5, 4), dtype), ints(2, 3), constants=(1,), outputs=2)
        )
    for axis in (0, 2, -1):
        parts = [draw((3, 2, 3), seed=n) for n in range(3)]
        found.append(case("Concat", *parts, axis=axis))
    found.append(case("Concat", draw((1, 16, 3, 3)), draw((1, 7, 3, 3)), axis=1))
    data = draw((6, 7))
    found += [
        case("Split", data, outputs=3),
        case("Split", data, outputs=2, opset=11, axis=1, split=[3, 4]),
        case("Split", data, ints(1, 0, 6), constants=(1,), outputs=3, axis=-1),
        case("Split", data, outputs=3, opset=18, axis=1, num_outputs=3),
    ]
    return found


def _slices() -> list[Case]:
    found: list[Case] = []
    data = draw((6, 7, 8))
    bounds = (
        ((1,), (4,), None, None),
        ((1, 2), (4, 6), (0, 2), None),
        ((-3,), (100,), (1,), None),
        ((5,), (0,), (0,), (-2,)),
        ((100, 6), (-100, -100), (1, 2), (-1, -3)),
        ((4,), (2,), (0,), (1,)),
        ((0, 1, 2), (6, 7, 8), (0, 1, 2), (2, 3, 4)),
        ((1,), (2**63 - 1,), (-1,), (3,)),
        ((-1,), (-(2**63),), (2,), (-1,)),
    )
    for each in bounds:
        lists = [None if values is None else ints(*values) for values in each]
        while lists[-1] is None:
            lists.pop()
        found.append(case("Slice", data, *lists, constants=range(1, 5)))
    found.append(case("Slice", data, opset=9, starts=[1, 2], ends=[4, -1], axes=[0, 2]))
    for dtype in ANY:
        found.append(
            case("Slice", draw((5, 6), dtype), ints(1), ints(4), constants=(1, 2))
        )
    return found


def _pads() -> list[Case]:
    found: list[Case] = []
    data = draw((3, 4, 5))
    pads = ints(1, 0, 2, 0, 1, 1)
    for mode in ("constant", "edge", "reflect"):
        found.append(case("Pad", data, pads, constants=(1,), mode=mode))
        found.append(case("Pad", data, opset=10, pads=list(pads), mode=mode))
    found.append(case("Pad", data, pads, constants=(1,), opset=19, mode="wrap"))
    found.append(case("Pad", data, opset=9, pads=list(pads), value=1.5))
    value = np.array(2.5, F32)
    found += [
        case("Pad", data, pads, value, constants=(1, 2)),
        case("Pad", data, pads, value, constants=(1,)),
        case("Pad", data, ints(-1, 0, 1, 0, -1, -2), value, constants=(1, 2)),
        case("Pad", data, ints(1, 2), value, ints(1), constants=(1, 2, 3), opset=18),
        case(
            "Pad", data, ints(1, 0, 2, 1), None, ints(-1, 0), constants=(1, 3), opset=18
        ),
    ]
    for dtype in (F64, I32, I64):
        found.append(case("Pad", draw((2, 3), dtype), ints(1, 0, 0, 2), constants=(1,)))
    return found


def _moves() -> list[Case]:
    found: list[Case] = []
    for dtype in ANY:
        found.append(case("Transpose", draw((2, 3, 4), dtype)))
        found.append(case("Gather", draw((5, 4), dtype), ints(0, -1, 3)))
        found.append(case("Tile", draw((2, 3), dtype), ints(2, 3), constants=(1,)))
    for order in ((0, 2, 1), (2, 0, 1), (1, 0, 2), (0, 1, 2)):
        found.append(case("Transpose", draw((2, 3, 4)), perm=list(order)))
    found.append(case("Transpose", draw((1, 3, 5, 4)), perm=[0, 2, 3, 1]))
    found.append(case("Transpose", draw((2, 3, 4, 5)), perm=[0, 2, 1, 3]))
    data = draw((5, 4, 3))
    for axis in (0, 1, -1):
        for indices in (
            ints(2, -1, 0),
            ints(1).reshape(()),
            ints(0, 1, 2, 2).reshape(2, 2),
        ):
            found.append(case("Gather", data, indices, axis=axis))
            found.append(
                case("Gather", data, indices.astype(I32), constants=(1,), axis=axis)
            )
    found.append(case("Tile", draw((2, 1, 3)), ints(1, 4, 2), constants=(1,)))
    found.append(case("Tile", draw((2, 3)), ints(0, 2), constants=(1,)))
    for mode in ("DCR", "CRD"):
        found.append(case("DepthToSpace", draw((2, 8, 3, 2)), blocksize=2, mode=mode))
        found.append(
            case("SpaceToDepth", draw((1, 3, 4, 6)), opset=28, blocksize=2, mode=mode)
        )
    found.append(case("DepthToSpace", draw((1, 9, 2, 2)), opset=10, blocksize=3))
    found.append(case("SpaceToDepth", draw((2, 3, 4, 6)), blocksize=2))
    return found


def _constants() -> list[Case]:
    found: list[Case] = []
    fixed = {"constants": range(3)}
    for bounds in ((0, 5, 1), (10, 2, -3), (3, 3, 1), (1, 6, 2)):
        for dtype in NUMBERS:
            scalars = [np.array(bound, dtype) for bound in bounds]
            found.append(case("Range", *scalars, **fixed))
    fractions = [np.array(bound, F32) for bound in (0.5, 3, 0.3)]
    found.append(case("Range", *fractions, **fixed))
    for dtype in ANY:
        value = numpy_helper.from_array(np.array([1], dtype))
        found.append(case("ConstantOfShape", ints(2, 3), constants=(0,), value=value))
    found.append(case("ConstantOfShape", ints(2, 0), constants=(0,)))
    found.append(case("ConstantOfShape", ints(), constants=(0,)))
    for offset in (0, 1, -2, 9):
        found.append(case("EyeLike", draw((3, 4)), k=offset))
    found.append(case("EyeLike", draw((3, 3), I32), dtype=1))
    tensor = numpy_helper.from_array(draw((3, 4)))
    found += [
        case("Constant", value=tensor),
        case("Constant", value_float=1.5),
        case("Constant", value_floats=[1.5, 2.5]),
        case("Constant", value_int=3),
        case("Constant", value_ints=[3, 4, 5]),
        case("Constant", opset=9, value=helper.make_tensor("t", 9, [2], [1, 0])),
    ]
    return found


CASES = [
    *_shapes(),
    *_joins(),
    *_slices(),
    *_pads(),
    *_moves(),
    *_constants(),
]
