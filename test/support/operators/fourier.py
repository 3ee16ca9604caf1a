"""Cases of Fourier transforms, and of what goes before and behind them."""

from __future__ import annotations

import numpy as np

from operators.case import FLOATS, I64, Case, case, draw, ints

ONE = np.array(1, I64)


def _cases() -> list[Case]:
    found: list[Case] = []
    for dtype in FLOATS:
        for parts in (1, 2):
            data = draw((2, 6, 5, parts), dtype)
            for axis in (1, 2):
                found.append(case("DFT", data, axis=axis))
                for length in (4, 9):
                    size = np.array(length, I64)
                    found.append(case("DFT", data, size, constants=[1], axis=axis))
        real = draw((2, 7, 1), dtype)
        found.append(case("DFT", real, onesided=1))
        found.append(case("DFT", real, None, ONE, constants=[2], opset=20, onesided=1))
        signal, window = draw((2, 16, 1), dtype), draw((6,), dtype)
        step, length = np.array(3, I64), np.array(6, I64)
        for onesided in (0, 1):
            for inputs in ((window,), (window, length), (None, length)):
                constants = [1, 3] if len(inputs) == 2 else [1]
                given = (signal, step, *inputs)
                attributes = {"constants": constants, "onesided": onesided}
                found.append(case("STFT", *given, **attributes))
    for low, high in ((0.0, 4000.0), (300.0, 8000.0)):
        edges = (np.float32(low), np.float32(high))
        numbers = (ints(8)[0], ints(64)[0], ints(16000)[0])
        inputs = [np.asarray(each) for each in (*numbers, *edges)]
        found.append(case("MelWeightMatrix", *inputs, constants=range(5)))
    return found


CASES = _cases()
