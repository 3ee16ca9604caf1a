"""Cases of integers that stand for floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from operators.case import F32, I32, Case, case, draw

U8, I8 = np.dtype(np.uint8), np.dtype(np.int8)
NARROW = tuple(np.dtype(name) for name in ("uint8", "int8", "uint16", "int16"))


def _cases() -> list[Case]:
    found: list[Case] = []
    data = draw((2, 3, 4), F32, -40, 40)
    scale = np.array([0.25, 0.5, 0.01], F32)
    for dtype in NARROW:
        zero = np.array([3, 0, 7], dtype)
        for opset in (13, 21) if dtype.itemsize == 1 else (21,):
            for inputs in ((scale[0], zero[0]), (scale, zero)):
                given = [np.asarray(each) for each in inputs]
                found.append(case("QuantizeLinear", data, *given, opset=opset))
                whole = np.arange(24).reshape(2, 3, 4).astype(dtype)
                found.append(case("DequantizeLinear", whole, *given, opset=opset))
        blocks, zeros = draw((2, 2, 4), F32, 1, 2), np.ones((2, 2, 4), dtype)
        for op, values in (("Quantize", data), ("Dequantize", data.astype(dtype))):
            each = {"axis": 1, "block_size": 2, "opset": 21}
            found.append(case(f"{op}Linear", values, blocks, zeros, **each))
    found.append(case("QuantizeLinear", data, np.asarray(scale[0])))
    found.append(case("QuantizeLinear", data, scale, opset=21, output_dtype=3))
    found.append(case("QuantizeLinear", data[0], scale, axis=-2))
    large = np.array([2**24 + 1, -5, 7], I32)
    found.append(case("DequantizeLinear", large, np.asarray(scale[0])))
    return found


def _matrices() -> list[Case]:
    """Products by tensor, by row of the left and by column of the right factor."""
    found: list[Case] = []
    for left, right in ((U8, U8), (U8, I8), (I8, I8)):
        lhs, rhs = _whole((2, 3, 4, 9), left), _whole((9, 5), right, 1)
        for rows, columns in ((), ()), ((1,), (1,)), ((), (5,)):
            zeros = _whole(rows, left, 2), _whole(columns, right, 3)
            found.append(case("MatMulInteger", lhs, rhs, *zeros))
            scales = [draw(shape, F32, 0.01, 0.1) for shape in (rows, columns)]
            parts = zip((lhs, rhs), scales, zeros, strict=True)
            given = [array for part in parts for array in part]
            ends = np.array(0.7, F32), np.array(3, left)
            found.append(case("QLinearMatMul", *given, *ends))
    found.append(case("MatMulInteger", _whole((9,), U8), _whole((9,), U8, 1)))
    lhs, rhs = _whole((2, 4, 9), U8), _whole((2, 9, 5), U8, 1)
    zeros = _whole((2, 4, 1), U8, 2), _whole((2, 1, 5), U8, 3)
    scales = draw((2, 4, 1), F32, 0.01, 0.1), draw((2, 1, 5), F32, 0.01, 0.1)
    parts = zip((lhs, rhs), scales, zeros, strict=True)
    given = [array for part in parts for array in part]
    found.append(case("QLinearMatMul", *given, np.array(0.7, F32), np.array(3, U8)))
    return found


def _convolutions() -> list[Case]:
    found: list[Case] = []
    window = {"pads": [1, 0, 1, 2], "strides": [2, 1]}
    for depth, group in ((2, 2), (40, 1)):
        x, w = _whole((2, depth, 7, 6), U8), _whole((6, depth // group, 3, 3), U8, 1)
        attributes = {"group": group, **window}
        zeros = np.array(7, U8), np.array(9, U8)
        found.append(case("ConvInteger", x, w, **attributes))
        found.append(case("ConvInteger", x, w, *zeros, **attributes))
        for count in (1, 6):
            scales = np.array(0.02, F32), draw((count,), F32, 0.01, 0.1)
            if count == 1:
                scales = scales[0], scales[1].reshape(())
            filters = w.astype(I8) if count > 1 else w
            points = np.zeros(scales[1].shape, filters.dtype)
            given = x, scales[0], zeros[0], filters, scales[1], points
            ends = np.array(0.9 * depth, F32), np.array(100, U8)
            bias = draw((6,), I32, -99, 99) if count > 1 else None
            found.append(case("QLinearConv", *given, *ends, bias, **attributes))
    return found


def _whole(shape: tuple[int, ...], dtype: np.dtype[Any], seed: int = 0) -> Any:
    limits = np.iinfo(dtype)
    return draw(shape, dtype, limits.min, limits.max, seed)


CASES = [*_cases(), *_matrices(), *_convolutions()]
