"""Functions about frequencies that need only real numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from glow.tracing.functions.movement import extents_of
from glow.tracing.operands import as_tracer
from glow.tracing.registry import FUNCTIONS, array_function


@array_function("fft.fftfreq")
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    return as_tracer(np.fft.fftfreq(n, d).astype(dtype or np.float64))


@array_function("fft.rfftfreq")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Any:
    return as_tracer(np.fft.rfftfreq(n, d).astype(dtype or np.float64))


@array_function("fft.fftshift")
def fftshift(x: Any, /, axes: Any = None) -> Any:
    """Move the frequency 0 to the middle of each axis."""
    return _shifted(x, axes, lambda extent: extent // 2)


@array_function("fft.ifftshift")
def ifftshift(x: Any, /, axes: Any = None) -> Any:
    return _shifted(x, axes, lambda extent: -(extent // 2))


def _shifted(x: Any, axes: Any, shift: Callable[[int], int]) -> Any:
    made = as_tracer(x)
    along = tuple(range(made.ndim)) if axes is None else extents_of(axes)
    return FUNCTIONS["roll"](made, tuple(shift(made.shape[a]) for a in along), along)
