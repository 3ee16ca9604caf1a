"""Calls as one program, and how far results may be from what an op computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from graph_code import module_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from random_ops.call import Array, Call

# Relative to an element, or in a sum to the largest one and at least to 1.
TOLERANCES = {"float32": 4e-6, "float64": 1e-13}


def program_of(chosen: Sequence[Call]) -> tuple[ModuleOp, list[Array]]:
    """Return a program of all calls, which takes these arrays."""

    def body(*arguments: SSAValue) -> list[SSAValue]:
        left = iter(arguments)
        ops = [call.build([next(left) for _ in call.arrays]) for call in chosen]
        return [result for op in ops for result in op.results]

    arrays = [array for call in chosen for array in call.arrays]
    return module_of(arrays, {}, body), arrays


def difference(call: Call, actual: Array, expected: Array) -> str | None:
    """Say how a result differs from the expected one by more than its error, if so."""
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"expected {expected.dtype}{list(expected.shape)}, got {actual.shape}"
    tolerance = TOLERANCES.get(actual.dtype.name)
    if tolerance is None:
        same = actual == expected
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        least = tolerance if call.cancels else float(np.finfo(actual.dtype).tiny)
        if call.sums:
            least = tolerance * max(1, finite.max(initial=0))
        same = np.isclose(actual, expected, tolerance, least, equal_nan=True)
    if same.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size}, at {at} {actual[at]} from {expected[at]}"


def differences(chosen: Sequence[Call], results: Array | Sequence[Array]) -> list[str]:
    """Say where the results of a program of `chosen` are wrong."""
    left: Iterator[Array] = iter(
        [results] if isinstance(results, np.ndarray) else results
    )
    wrong: list[str] = []
    for call in chosen:
        for expected in call.expected():
            problem = difference(call, next(left), expected)
            wrong += [f"{call}: {problem}"] if problem else []
    return wrong
