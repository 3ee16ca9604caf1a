"""Random inputs of a model, and how far outputs may be from others."""

from __future__ import annotations

from typing import Any

import numpy as np

from glow.runtime.signature import Signature
from glow.runtime.tensor_spec import TensorSpec
from glow.support.arrays import Array
from glow.support.dtypes import byte_type, is_floating, is_narrow, limits_of

TOLERANCE = 1e-4
"""The largest error that two right implementations in f32 may differ by."""


def random_inputs(signature: Signature, seed: int) -> dict[str, Array]:
    """
    Return one array per input; the same for the same seed.

    Floats are normally distributed; integers that may be indices are 0 or 1.
    Errors: ValueError for a negative seed.
    """
    if seed < 0:
        raise ValueError(f"expected a seed of at least 0, got {seed}")
    generator = np.random.default_rng(seed)
    return {spec.name: _random(spec, generator) for spec in signature.inputs}


def _random(spec: TensorSpec, generator: np.random.Generator) -> Array:
    if is_floating(spec.dtype):
        return generator.standard_normal(spec.shape).astype(spec.dtype)
    if spec.dtype.name in ("bool", "int32", "int64"):
        return generator.integers(0, 2, spec.shape).astype(spec.dtype)
    limits, dtype = limits_of(spec.dtype), byte_type(spec.dtype)
    low, high = int(limits.min), int(limits.max)
    drawn = generator.integers(low, high, spec.shape, dtype, endpoint=True)
    return drawn.astype(spec.dtype, copy=False)


def error_of(actual: Array, expected: Array) -> float:
    """
    Return the largest |difference|, as a fraction of the largest finite |value|.

    Elements that are the same infinity, or both not a number, do not differ.
    """
    a, b = (np.asarray(array, np.float64) for array in (actual, expected))
    with np.errstate(invalid="ignore"):
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        difference = np.where(same, 0.0, np.abs(a - b))
    if np.isnan(difference).any():
        return float("inf")
    finite = np.abs(b[np.isfinite(b)])
    scale = float(finite.max(initial=0.0)) or 1.0
    return float(difference.max(initial=0.0)) / scale


def tolerance_of(dtype: np.dtype[Any]) -> float:
    """Return the largest error of outputs that are stored as `dtype`."""
    if not is_narrow(dtype):
        return TOLERANCE
    return 8 * float(limits_of(dtype).eps)
