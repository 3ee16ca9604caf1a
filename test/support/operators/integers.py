"""Cases of integers of 8 and 16 bits and of unsigned ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import defs, helper

from operators.case import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    NARROW,
    Array,
    Case,
    case,
    draw,
    ints,
)

ARITHMETIC = ("Add", "Div", "Max", "Min", "Mod", "Mul", "Sub")
COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
OPSET = 20  # apart from the cases of other types, which ONNX Runtime runs as one model


def _takes(op: str, dtype: np.dtype[Any]) -> bool:
    """Say whether the first input of `op` may have elements of this type."""
    schema = defs.get_schema(op, OPSET)
    return f"tensor({dtype.name})" in schema.inputs[0].types


def _any(shape: tuple[int, ...], dtype: np.dtype[Any], seed: int = 0) -> Array:
    """Return elements over the whole range of the type: sums and products wrap."""
    limits = np.iinfo(dtype)
    rng = np.random.default_rng([seed, *shape])
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _elementwise() -> list[Case]:
    found: list[Case] = []
    for dtype in NARROW:
        x, y = _any((3, 67), dtype), _any((67,), dtype, 1)
        divisor = np.where(y == 0, 1, y).astype(dtype)
        for op in (*ARITHMETIC, *COMPARISONS, *BITWISE):
            right = divisor if op in ("Div", "Mod") else y
            found.append(case(op, x, right, opset=OPSET))
        # ONNX Runtime goes by way of f64, which has 53 bits.
        exact = x >> np.asarray(12, dtype) if dtype.itemsize == 8 else x
        found.append(case("Mod", exact, divisor, opset=OPSET, fmod=1))
        for op in ("Abs", "BitwiseNot", "Neg", "Relu", "Sign"):
            if _takes(op, dtype):
                found.append(case(op, x, opset=OPSET))
        found.append(case("Where", draw((3, 1), BOOL), x, y, opset=OPSET))
        bounds = [np.array(value, dtype) for value in (3, 100)]
        for given in (bounds, [None, bounds[1]]):
            found.append(case("Clip", x, *given, opset=OPSET))
        exponents = draw((67,), dtype, 0, 4)
        for base in (I32, F32):
            found.append(case("Pow", draw((3, 67), base), exponents, opset=OPSET))
        for side in ("LEFT", "RIGHT"):
            if _takes("BitShift", dtype):
                places = draw((67,), dtype, 0, 8 * dtype.itemsize - 1)
                shift = case("BitShift", x, places, opset=OPSET, direction=side)
                found.append(shift)
    return found


def _casts() -> list[Case]:
    found: list[Case] = []
    for dtype in NARROW:
        number = helper.np_dtype_to_tensor_dtype(dtype)
        wider = NARROW[(NARROW.index(dtype) + 2) % len(NARROW)]
        for other in (F32, BOOL, I32, wider):
            to = helper.np_dtype_to_tensor_dtype(other)
            found.append(case("Cast", _any((5, 16), dtype), opset=OPSET, to=to))
        for real in (F32, F64):
            x = draw((5, 16), real, -99 * (dtype.kind == "i"), 99)
            found.append(case("Cast", x, opset=OPSET, to=number))
    return found


def _movements() -> list[Case]:
    found: list[Case] = []
    for dtype in NARROW[1:]:
        x = _any((3, 17, 33), dtype)
        fixed = {"opset": OPSET}
        found += [
            case("Transpose", x, perm=[2, 0, 1], **fixed),
            case("Reshape", x, ints(51, 33), constants=(1,), **fixed),
            case("Concat", x, x[:1], axis=0, **fixed),
            case("Expand", x[:1], ints(2, 17, 33), constants=(1,), **fixed),
            case("Tile", x, ints(1, 2, 1), constants=(1,), **fixed),
            case("Gather", x, ints(2, -1), **fixed),
            case("Slice", x, ints(0, 2), ints(9, 30), ints(1, 2), ints(2, 3),
                 constants=(1, 2, 3, 4), **fixed),
            case("Pad", x, ints(0, 1, 2, 0, 0, 3), constants=(1,), **fixed),
            case("Trilu", x, **fixed),
            case("DepthToSpace", _any((1, 8, 3, 5), dtype), blocksize=2, **fixed),
        ]  # fmt: skip
        indices = draw((3, 17, 33), I64, 0, 16)
        found.append(case("GatherElements", x, indices, axis=1, **fixed))
    return found


def _searches() -> list[Case]:
    found: list[Case] = []
    for dtype in NARROW:
        x = _any((3, 70), dtype)
        for op in ("ReduceMax", "ReduceMin"):
            if _takes(op, dtype):
                for axis in (0, 1):
                    found.append(case(op, x, ints(axis), constants=(1,), opset=OPSET))
        for op in ("ArgMax", "ArgMin"):
            for axis in (0, 1):
                found.append(case(op, x, axis=axis, opset=OPSET))
        best = case("TopK", x, ints(5), constants=(1,), outputs=2, opset=OPSET)
        found.append(best)
        if _takes("MaxPool", dtype):
            image = _any((1, 40, 5, 5), dtype)
            found.append(case("MaxPool", image, kernel_shape=[3, 3], opset=OPSET))
        if dtype.itemsize >= 4:
            total = case("ReduceSum", x, ints(1), constants=(1,), opset=OPSET)
            product = case("MatMul", x[:, :9], _any((9, 4), dtype), opset=OPSET)
            sums = case("CumSum", x, np.array(1), constants=(1,), opset=OPSET)
            found += [total, product, sums]
    return found


CASES = [*_elementwise(), *_casts(), *_movements(), *_searches()]
