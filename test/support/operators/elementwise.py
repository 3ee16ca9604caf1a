"""Cases of elementwise operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from operators.case import (
    BOOL,
    F32,
    F64,
    FLOATS,
    I32,
    I64,
    INTS,
    NUMBERS,
    Array,
    Case,
    case,
    draw,
)

# Operators of one operand: the element types, and the range of their operand.
UNARY: dict[str, tuple[tuple[np.dtype[Any], ...], float, float]] = {
    "Abs": (NUMBERS, -9, 9),
    "Acos": (FLOATS, -1.2, 1.2),
    "Acosh": (FLOATS, 0.5, 9),
    "Asin": (FLOATS, -1.2, 1.2),
    "Asinh": (FLOATS, -9, 9),
    "Atan": (FLOATS, -9, 9),
    "Atanh": (FLOATS, -1.2, 1.2),
    "Ceil": (FLOATS, -9, 9),
    "Cos": (FLOATS, -20, 20),
    "Cosh": (FLOATS, -9, 9),
    "Erf": (FLOATS, -4, 4),
    "Exp": (FLOATS, -20, 9),
    "Floor": (FLOATS, -9, 9),
    "IsNaN": (FLOATS, -9, 9),
    "Log": (FLOATS, -0.1, 9),
    "Neg": (NUMBERS, -9, 9),
    "Reciprocal": (FLOATS, 0.1, 9),
    "Relu": (NUMBERS, -9, 9),
    "Round": (FLOATS, -9, 9),
    "Sigmoid": (FLOATS, -20, 20),
    "Sign": (NUMBERS, -2, 2),
    "Sin": (FLOATS, -20, 20),
    "Sinh": (FLOATS, -9, 9),
    "Softplus": (FLOATS, -30, 30),
    "Softsign": (FLOATS, -9, 9),
    "Sqrt": (FLOATS, -0.1, 9),
    "Tan": (FLOATS, -1.5, 1.5),
    "Tanh": (FLOATS, -9, 9),
}
BINARY: dict[str, tuple[np.dtype[Any], ...]] = {
    "Add": NUMBERS,
    "And": (BOOL,),
    "Div": NUMBERS,
    "Equal": (*NUMBERS, BOOL),
    "Greater": NUMBERS,
    "GreaterOrEqual": NUMBERS,
    "Less": NUMBERS,
    "LessOrEqual": NUMBERS,
    "Max": NUMBERS,
    "Min": NUMBERS,
    "Mul": NUMBERS,
    "Or": (BOOL,),
    "Sub": NUMBERS,
    "Xor": (BOOL,),
}
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")

BROADCASTS = (
    ((2, 3, 4), (2, 3, 4)),
    ((2, 3, 4), (4,)),
    ((3, 1), (2, 3, 4)),
    ((2, 1, 4), (1, 3, 1)),
    ((5,), ()),
    ((), ()),
    ((0, 3), (3,)),
    ((1, 8, 5, 5), (8, 1, 1)),
)

ACTIVATIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "Celu": ({}, {"alpha": 2.0}),
    "Elu": ({}, {"alpha": 0.5}),
    "HardSigmoid": ({}, {"alpha": 0.5, "beta": 0.25}),
    "HardSwish": ({},),
    "LeakyRelu": ({}, {"alpha": 0.2}),
    "Selu": ({}, {"alpha": 1.5, "gamma": 2.0}),
    "Shrink": ({}, {"bias": 0.5, "lambd": 1.0}),
    "ThresholdedRelu": ({}, {"alpha": 0.3}),
}

SPECIAL: Array = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3.4e38], F32)


def _unary() -> list[Case]:
    found: list[Case] = []
    for op, (dtypes, low, high) in UNARY.items():
        for dtype in dtypes:
            for shape in ((37,), (2, 3, 5), (), (0, 4)):
                found.append(case(op, draw(shape, dtype, low, high)))
        if op != "Sign":  # ONNX Runtime makes 0 of a NaN, the specification is silent
            found.append(case(op, SPECIAL))
    halves = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 8388609.0], F32)
    found += [case("Round", halves), case("IsNaN", SPECIAL.astype(F64))]
    for shape in ((7,), (2, 3), ()):
        found.append(case("Not", draw(shape, BOOL)))
    for dtype in INTS:
        found.append(case("BitwiseNot", draw((9,), dtype, -99, 99), opset=18))
    return found


def _binary() -> list[Case]:
    found: list[Case] = []
    for op, dtypes in BINARY.items():
        for dtype in dtypes:
            for left, right in BROADCASTS:
                low = 1 if op == "Div" and dtype.kind == "i" else -3
                lhs, rhs = draw(left, dtype, -9, 9), draw(right, dtype, low, 3, 1)
                found.append(case(op, lhs, rhs))
    for op in BITWISE:
        for dtype in INTS:
            lhs, rhs = draw((4, 3), dtype, -99, 99), draw((3,), dtype, -99, 99, 1)
            found.append(case(op, lhs, rhs, opset=18))
    others = np.roll(SPECIAL, 1)
    for op in ("Add", "Div", "Equal", "Less", "Max", "Min", "Mul", "Sub"):
        found.append(case(op, SPECIAL, others))
    signs = np.array([7, -7, 7, -7], I32), np.array([2, 2, -2, -2], I32)
    found += [case("Div", *signs), case("Mod", *signs), case("Mod", *signs, fmod=1)]
    return found


def _others() -> list[Case]:
    found: list[Case] = []
    for dtype in FLOATS:
        lhs, rhs = draw((2, 5), dtype, -9, 9), draw((5,), dtype, 0.5, 3, 1)
        found.append(case("Mod", lhs, rhs, fmod=1))
        found.append(case("Pow", np.abs(lhs), rhs))
        found.append(case("Pow", lhs, draw((5,), I64, 0, 3)))
        found.append(case("Pow", draw((5,), I32, -5, 5), rhs))
    for dtype in INTS:
        found.append(case("Pow", draw((2, 5), dtype, -5, 5), draw((5,), dtype, 0, 4)))
        found.append(case("Mod", draw((9,), dtype, -9, 9), draw((9,), dtype, 1, 4)))
    for attributes in ({}, {"detect_negative": 0}, {"detect_positive": 0}):
        found.append(case("IsInf", SPECIAL, **attributes))
        found.append(case("IsInf", SPECIAL.astype(F64), **attributes))
    for op in ("Max", "Mean", "Min", "Sum"):
        parts = [draw(shape, F32, seed=k) for k, shape in enumerate([(2, 3), (3,), ()])]
        for count in (1, 2, 3):
            found.append(case(op, *parts[:count]))
    for shift in (0, 1, 31, 32, -1):
        lhs, rhs = draw((9,), I32, -99, 99), np.array(shift, I32)
        found += [
            case("BitShift", lhs, rhs, opset=28, direction=side)
            for side in ("LEFT", "RIGHT")
        ]
    return found


def _activations() -> list[Case]:
    found: list[Case] = []
    for op, choices in ACTIVATIONS.items():
        for attributes in choices:
            for dtype in (F32,) if op == "Celu" else FLOATS:
                found.append(case(op, draw((2, 3, 5), dtype, -5, 5), **attributes))
            found.append(case(op, SPECIAL, **attributes))
    for dtype in FLOATS:
        value = draw((4, 9), dtype, -5, 5)
        found.append(case("Mish", value, opset=18))
        found.append(case("Swish", value, opset=24))
        found.append(case("Swish", value, opset=24, alpha=1.5))
        for approximate in ("none", "tanh"):
            found.append(case("Gelu", value, opset=20, approximate=approximate))
        for slope in ((9,), (4, 1), (1,)):
            found.append(case("PRelu", value, draw(slope, dtype, 0, 1)))
        found.append(case("PRelu", draw((1, 3, 4, 4), dtype), draw((3, 1, 1), dtype)))
    found.append(case("PRelu", draw((4, 9), I64, -9, 9), draw((9,), I64, -3, 3)))
    found.append(case("PRelu", SPECIAL, np.array(-2, F32)))
    return found


def _selection() -> list[Case]:
    found: list[Case] = []
    for dtype in (*NUMBERS, BOOL):
        for shapes in (((2, 3),) * 3, ((2, 1), (3,), (1, 1)), ((), (4,), ())):
            condition = draw(shapes[0], BOOL)
            sides = [draw(shape, dtype, -9, 9, k) for k, shape in enumerate(shapes[1:])]
            found.append(case("Where", condition, *sides))
    for dtype in NUMBERS:
        value, low, high = draw((3, 7), dtype, -9, 9), *np.array([-2, 4], dtype)
        for bounds in ((low, high), (low,), (None, high), (), (high, low)):
            arrays = [None if b is None else np.asarray(b) for b in bounds]
            found.append(case("Clip", value, *arrays))
            found.append(case("Clip", value, *arrays, constants=range(1, 3)))
    value = draw((3, 7), F32, -9, 9)
    found.append(case("Clip", value, opset=10, min=-1.0, max=2.0))
    found.append(case("Clip", value, opset=10, max=2.0))
    found.append(case("Clip", SPECIAL, opset=10))
    found.append(case("Clip", SPECIAL))
    found.append(case("Clip", SPECIAL, np.array(-1, F32), np.array(1, F32)))
    return found


def _casts() -> list[Case]:
    found: list[Case] = []
    numbers = {F32: 1, F64: 11, I32: 6, I64: 7, BOOL: 9}
    for dtype in numbers:
        value = draw((3, 5), dtype, -9, 9)
        for number in numbers.values():
            found.append(case("Cast", value, to=number))
            found.append(case("Cast", value, opset=19, to=number))
        found.append(case("CastLike", value, draw((2,), F64), opset=15))
    for dtype, number in ((F32, 6), (I32, 1), (F64, 7), (I64, 11), (F32, 1)):
        found.append(case("BitCast", draw((3, 5), dtype), opset=26, to=number))
    found.append(case("Cast", np.array([np.nan, 0.0, -0.0, 0.5], F32), to=9))
    for number in (2, 3):
        found.append(case("BitCast", draw((3, 5), BOOL), opset=26, to=number))
    return found


CASES = [
    *_unary(),
    *_binary(),
    *_others(),
    *_activations(),
    *_selection(),
    *_casts(),
]
