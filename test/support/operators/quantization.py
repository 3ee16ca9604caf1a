"""Cases of integers that stand for floats."""

from __future__ import annotations

import numpy as np

from operators.case import F32, I32, Case, case, draw

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


CASES = _cases()
