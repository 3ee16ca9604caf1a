"""Machine code of images of another size against the meaning of the graph op."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from memory_code import Array, MemoryCode

from glow.dialects.graph.interpolation import Interpolation
from glow.dialects.graph.resize import ResizeOp

pytestmark = pytest.mark.slow

TARGETS = ("cpu", "cpu:sse2")
NEAREST = Interpolation(
    "nearest", "half_pixel", "round_prefer_floor", -0.75, False, False
)
LINEAR = replace(NEAREST, mode="linear")
CUBIC = replace(NEAREST, mode="cubic", exclude_outside=True)
SMOOTH = replace(LINEAR, antialias=True)
CROP = replace(CUBIC, coordinates="tf_crop_and_resize")
REGION = (-0.1, 0.2, 0.7, 1.3)


def parameters_of(how: Interpolation) -> dict[str, Any]:
    """Return what `graph.resize` calls the fields of `how`."""
    return {
        "mode": how.mode,
        "coordinate_transformation_mode": how.coordinates,
        "nearest_mode": how.rounding,
        "cubic_coeff_a": how.cubic_coeff_a,
        "exclude_outside": how.exclude_outside,
        "antialias": how.antialias,
    }


class Cases:
    """Ops in one program, each with its result and what that should be."""

    def __init__(self, target: str):
        self._code = MemoryCode(target)
        self._cases: list[tuple[Array, Array]] = []

    def add(
        self, x: Array, out: Array, axes: tuple[int, ...], how: Any, **rest: Any
    ) -> None:
        sizes = [out.shape[axis] for axis in axes]
        named = parameters_of(how) | rest | {"axes": axes, "sizes": sizes}
        region = named.pop("region", None)
        roi = None if region is None else np.array(region, np.float32)
        self._cases.append((out, ResizeOp.compute(x, roi, **named)))
        known = None if roi is None else self._code.constant(roi)
        self._code.apply(ResizeOp, [x, known], [out], **named)

    def check(self) -> None:
        assert self._code.run() is None
        for out, want in self._cases:
            if out.dtype.kind == "f":
                np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)
            else:
                np.testing.assert_array_equal(out, want)


def image(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(0).uniform(-9, 9, shape).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_channels_last(target: str) -> None:
    """Few channels, vectors and what is left of them, and a part of wider ones."""
    cases = Cases(target)
    for how in (NEAREST, LINEAR, CUBIC, SMOOTH):
        for channels in (1, 3, 8, 21, 32):
            for rows, columns in ((10, 14), (7, 3), (4, 1)):
                x = np.moveaxis(image(2, 5, 7, channels), -1, 1)
                whole = np.zeros((2, rows, columns, channels + 3), np.float32)
                out = np.moveaxis(whole[..., 2 : 2 + channels], -1, 1)
                cases.add(x, out, (2, 3), how)
    cases.check()


@pytest.mark.parametrize("target", TARGETS)
def test_every_rank_and_type_in_rows(target: str) -> None:
    """Axes of any number, the fastest one among them or not; from the end on."""
    cases = Cases(target)
    for how in (NEAREST, LINEAR, CUBIC):
        for dtype in (np.float32, np.float64, np.int32, np.int64, np.bool_):
            if how is NEAREST or np.dtype(dtype).kind == "f":
                x = image(3, 4, 9, dtype=dtype)
                cases.add(x, np.zeros((3, 9, 17), dtype), (1, 2), how)
                cases.add(x[:, ::-1], np.zeros((3, 9, 9), dtype), (1,), how)
                cases.add(x, np.zeros((3, 4, 36), dtype), (2,), how)
                cases.add(x, np.zeros((3, 2, 3), dtype), (1, 2), how)
                cases.add(x[0, 0], np.zeros(5, dtype), (0,), how)
        cases.add(
            image(2, 3, 4, 5), np.zeros((5, 4, 7, 8), np.float32), (1, 0, 3, 2), how
        )
    cases.check()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_what_is_outside_has_its_value(target: str, mode: str) -> None:
    cases, how = Cases(target), replace(CROP, mode=mode)
    rest = {"region": REGION, "extrapolation_value": 7.5}
    cases.add(image(2, 5, 7), np.zeros((2, 9, 8), np.float32), (1, 2), how, **rest)
    x = np.moveaxis(image(5, 7, 20), -1, 0)
    out = np.moveaxis(np.zeros((3, 9, 20), np.float32), -1, 0)
    cases.add(x, out, (1, 2), how, **rest)
    cases.check()
    assert (out == 7.5).any()


def test_repeated_elements_keep_their_bits() -> None:
    """Twice each, thrice, every second, and from the second on: copies."""
    cases = Cases("cpu")
    odd = np.array([np.nan, -0.0, np.inf, 1e-40, 5, 6], np.float32)
    down = replace(NEAREST, coordinates="asymmetric", rounding="ceil")
    for how in (NEAREST, down):
        for places in (12, 18, 3, 2, 1):
            cases.add(odd, np.zeros(places, np.float32), (0,), how)
            x = np.broadcast_to(odd[:, None], (6, 9)).copy()
            cases.add(x, np.zeros((places, 9), np.float32), (0,), how)
    cases.check()


@pytest.mark.parametrize("target", TARGETS)
def test_the_last_element_may_be_repeated_less_often(target: str) -> None:
    """From 2 elements to 3, two are the first: not a copy of equal parts."""
    cases, how = Cases(target), replace(NEAREST, coordinates="asymmetric")
    for extent, size in ((2, 3), (3, 5), (4, 7), (2, 5)):
        x = np.arange(3 * extent * 5, dtype=np.float32).reshape(3, extent, 5)
        for rounding in ("floor", "ceil", "round_prefer_ceil"):
            out = np.zeros((3, size, 5), np.float32)
            cases.add(x, out, (1,), replace(how, rounding=rounding))
    cases.check()
