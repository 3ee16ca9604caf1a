"""Cases of products, normalizations and reductions."""

from __future__ import annotations

import numpy as np

from operators.case import (
    BOOL,
    F32,
    F64,
    FLOATS,
    I32,
    I64,
    NUMBERS,
    Array,
    Case,
    case,
    draw,
    ints,
)

PRODUCTS = (
    ((3, 4), (4, 5)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (4,)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((1, 1), (1, 1)),
    ((7, 33), (33, 17)),
    ((3, 0), (0, 2)),
)
REDUCTIONS = (
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
)
AXES = ([0], [1], [2], [-1], [0, 2], [1, 2], [0, 1, 2], None)


def _products() -> list[Case]:
    found: list[Case] = []
    for left, right in PRODUCTS:
        for dtype in NUMBERS:
            found.append(case("MatMul", draw(left, dtype), draw(right, dtype, seed=1)))
        lhs, rhs = draw(left), draw(right, seed=1)
        found.append(case("MatMul", lhs, rhs, constants=(1,)))
    for a in (0, 1):
        for b in (0, 1):
            lhs = draw((4, 3) if a else (3, 4))
            rhs = draw((5, 4) if b else (4, 5), seed=1)
            flags = {"transA": a, "transB": b}
            for bias in ((5,), (3, 5), (3, 1), (1, 5), ()):
                found.append(case("Gemm", lhs, rhs, draw(bias, seed=2), **flags))
            scaled = {"alpha": 0.5, "beta": 0.25, **flags}
            found.append(case("Gemm", lhs, rhs, draw((5,)), **scaled))
            found.append(case("Gemm", lhs, rhs, draw((5,)), constants=(1, 2), **scaled))
            found.append(case("Gemm", lhs, rhs, **scaled))
    wide = draw((3, 4), F64), draw((4, 5), F64), draw((5,), F64)
    found += [case("Gemm", *wide, alpha=2.0), case("Gemm", *wide, opset=7, beta=0.0)]
    return found


def _normalizations() -> list[Case]:
    found: list[Case] = []
    for dtype in FLOATS:
        for shape in ((2, 3, 4, 5), (2, 3), (1, 3, 7), (1, 3, 2, 3, 2)):
            parameters = [draw((3,), dtype, 0.5, 2, seed) for seed in range(4)]
            data = draw(shape, dtype)
            for attributes in ({}, {"epsilon": 0.1}):
                norm = case("BatchNormalization", data, *parameters, **attributes)
                found.append(norm)
            if len(shape) > 2:
                found.append(
                    case("InstanceNormalization", data, *parameters[:2], epsilon=0.01)
                )
    for axis in (-1, 1, 2):
        data = draw((2, 3, 4))
        shape = data.shape[axis:]
        scale, bias = draw(shape, F32, 0.5, 2), draw(shape, seed=1)
        norm = {"axis": axis, "epsilon": 0.01}
        found.append(case("LayerNormalization", data, scale, bias, **norm))
        found.append(case("LayerNormalization", data, scale, outputs=3, **norm))
    for dtype in FLOATS:
        data, scale = draw((2, 3, 4), dtype), draw((4,), dtype, 0.5, 2)
        rms = case("RMSNormalization", data, scale, opset=23)
        wide = draw((3, 1), dtype, 0.5, 2)
        found += [rms, case("RMSNormalization", data, wide, opset=23, axis=1)]
        found += _groups(draw((2, 6, 3, 5), dtype))
    found += _groups(draw((1, 4, 7)))
    for attributes in (
        {"size": 3},
        {"size": 5, "alpha": 0.1, "beta": 0.5, "bias": 2.0},
    ):
        found.append(case("LRN", draw((2, 7, 3, 4)), **attributes))
    found.append(case("LRN", draw((1, 5, 3, 4)), opset=9, size=5, alpha=0.2))
    data, mvn = draw((2, 3, 4, 4)), "MeanVarianceNormalization"
    found += [case(mvn, data), case(mvn, data, opset=9, axes=[1, -1])]
    found.append(case(mvn, draw((3, 5)), axes=[1]))
    return found


def _groups(data: Array) -> list[Case]:
    """Return normalizations of groups, with a scale by channel and by group."""
    channels, dtype, op = data.shape[1], data.dtype, "GroupNormalization"
    found: list[Case] = []
    for groups in (1, 2, channels):
        for opset, length in ((21, channels), (18, groups)):
            given = [draw((length,), dtype, 0.5, 2, seed) for seed in range(2)]
            found.append(case(op, data, *given, opset=opset, num_groups=groups))
    return found


def _softmaxes() -> list[Case]:
    found: list[Case] = []
    for op in ("Softmax", "LogSoftmax"):
        for dtype in FLOATS:
            for axis in (-1, 0, 1, 2):
                found.append(case(op, draw((2, 3, 5), dtype, -9, 9), axis=axis))
        for axis in (0, 1, 2, -1):
            found.append(case(op, draw((2, 3, 4)), opset=11, axis=axis))
        found.append(case(op, draw((2, 3, 4)), opset=9))
        found.append(case(op, np.array([[1e4, 1e4, -1e4], [-1e4, -1e4, 0]], F32)))
    return found


def _reductions() -> list[Case]:
    found: list[Case] = []
    for op in REDUCTIONS:
        low = 0.1 if op == "ReduceLogSum" else -2
        sum_by_input = op == "ReduceSum"
        for axes in AXES:
            for keepdims in (0, 1):
                data = draw((2, 3, 4), F32, low, 2)
                given = {"axes": axes} if axes else {}
                older = case(op, data, opset=12, keepdims=keepdims, **given)
                tail = (ints(*axes),) if axes else ()
                newer = case(
                    op, data, *tail, constants=(1,), opset=18, keepdims=keepdims
                )
                found += [older, newer]
        if sum_by_input:
            found.append(case(op, draw((2, 3)), ints(0), constants=(1,), opset=13))
        for dtype in (F64, I32, I64):
            data = draw((2, 3, 4), dtype, max(low, 1) if low > 0 else low, 3)
            found.append(case(op, data, ints(1), constants=(1,), opset=18))
        if op not in ("ReduceLogSum", "ReduceLogSumExp"):
            empty = case(
                op,
                draw((2, 3)),
                ints(),
                constants=(1,),
                opset=18,
                noop_with_empty_axes=1,
            )
            found.append(empty)
    found += [
        case(op, draw((4, 3), BOOL), ints(0), constants=(1,), opset=20)
        for op in ("ReduceMax", "ReduceMin")
    ]
    return found


def _arguments() -> list[Case]:
    found: list[Case] = []
    for op in ("ArgMax", "ArgMin"):
        for dtype in (F32, F64, I32, I64):
            data = draw((3, 4, 5), dtype, -2, 2)
            for axis in (0, 1, -1):
                found.append(case(op, data, axis=axis))
        ties = draw((3, 9), I32, 0, 2)
        for last in (0, 1):
            found += [
                case(op, ties, axis=1, keepdims=0, select_last_index=last),
                case(op, ties, axis=0, select_last_index=last),
            ]
        found.append(case(op, draw((3, 4)), opset=7))
    return found


def _determinants() -> list[Case]:
    shapes = ((2, 2), (3, 1, 1), (2, 3, 4, 4), (9, 9), (0, 3, 3), (2, 0, 0))
    data = [draw(shape, dtype) for shape in shapes for dtype in FLOATS]
    singular = np.arange(9, dtype=F32).reshape(3, 3)
    return [case("Det", x) for x in [*data, singular, singular * 0, singular[::-1]]]


CASES = [
    *_products(),
    *_determinants(),
    *_normalizations(),
    *_softmaxes(),
    *_reductions(),
    *_arguments(),
]
