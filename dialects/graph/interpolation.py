"""Interpolation along a resized axis: source positions and weights of each element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from glow.support.arrays import Array

ResizeMode = Literal["nearest", "linear", "cubic"]
Coordinates = Literal[
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
]
Rounding = Literal["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]
MODES: tuple[str, ...] = get_args(ResizeMode)
COORDINATES: tuple[str, ...] = get_args(Coordinates)
ROUNDINGS: tuple[str, ...] = get_args(Rounding)
CROP = "tf_crop_and_resize"
HALF_WAY = 1e-6
"""This close to the middle of two elements, both are equally near, by ONNX Runtime."""


@dataclass(frozen=True)
class Taps:
    """
    The terms of the sum at each place along a resized axis.

    `positions` [places, taps] are those of the input. `weights` is as long; without it
    there is one tap, and a place is that element. A place whose `inside` is false has
    no meaning but the value that is given to it.
    """

    positions: NDArray[np.int64]
    weights: Array | None = None
    inside: NDArray[np.bool_] | None = None

    def matrix(self, extent: int, dtype: np.dtype[Any]) -> Array:
        """Return the weight at each place [places, extent] of each input element."""
        found = np.zeros((len(self.positions), extent), dtype)
        weights = np.ones(self.positions.shape, dtype)
        weights = weights if self.weights is None else self.weights.astype(dtype)
        if self.inside is not None:
            weights = np.where(self.inside[:, None], weights, dtype.type(0))
        rows = np.arange(len(found))[:, None]
        np.add.at(found, (rows, self.positions), weights)
        return found

    @property
    def is_identity(self) -> bool:
        """Whether place i is element i of the input, which may have more elements."""
        places = range(len(self.positions))
        is_plain = self.weights is None and self.inside is None
        return is_plain and self.positions.ravel().tolist() == list(places)


@dataclass(frozen=True)
class ScaledAxis:
    """
    An axis that is resized, by `scale` and to `places`.

    `start` and `end` are the part that is seen, of the whole 1.
    """

    extent: int
    places: int
    scale: float
    start: float = 0
    end: float = 1

    @property
    def room(self) -> float:
        """How long the axis becomes, before that is rounded to `places`."""
        room = self.extent * self.scale
        return self.places if abs(room - self.places) < HALF_WAY * room else room


@dataclass(frozen=True)
class Interpolation:
    """Interpolation between elements; the words are those of ONNX Resize."""

    mode: str
    coordinates: str
    rounding: str
    cubic_coeff_a: float
    exclude_outside: bool
    antialias: bool

    @property
    def length(self) -> int:
        """How many elements are weighted along an axis without antialias."""
        return {"nearest": 1, "linear": 2, "cubic": 4}[self.mode]

    def taps(self, line: ScaledAxis, dtype: np.dtype[Any]) -> Taps:
        """
        Return where the places of `line` come from, for elements of `dtype`.

        As in ONNX Runtime, positions are computed in f32, which decides between
        neighbors; for elements of f64, in f64.
        """
        if dtype != np.float64:
            dtype = np.dtype(np.float32)
        is_same = line.scale == 1 and line.extent == line.places
        if line.places == 0 or (is_same and self.coordinates != CROP):
            return Taps(np.arange(line.places)[:, None])
        at = self._coordinates(line, dtype)
        if self.mode == "nearest":
            taps = Taps(_clipped(self._rounded(at), line)[:, None])
        elif self.antialias:
            taps = self._smooth(at, line)
        else:
            taps = self._linear(at, line) if self.mode == "linear" else None
            taps = taps or self._cubic(at, line)
        if self.coordinates != CROP:
            return taps
        inside = (at >= 0) & (at <= line.extent - 1)
        return Taps(taps.positions, taps.weights, None if inside.all() else inside)

    def _coordinates(self, line: ScaledAxis, dtype: np.dtype[Any]) -> Array:
        """Return where each place lies among the elements of the input."""
        number = dtype.type
        x, scale = np.arange(line.places).astype(dtype), number(line.scale)
        half, last = number(0.5), number(line.extent - 1)
        match self.coordinates:
            case "asymmetric":
                return x / scale
            case "tf_half_pixel_for_nn":
                return (x + half) / scale
            case "pytorch_half_pixel" if line.places == 1:
                return np.zeros_like(x)
            case "align_corners":
                room = number(max(line.room - 1, 1))
                return x * last / room
            case "half_pixel_symmetric":
                middle = number(line.extent) / number(2)
                share = number(line.places) / number(line.room)
                shift = middle * (number(1) - share)
                return shift + (x + half) / scale - half
            case "tf_crop_and_resize":
                start, end = number(line.start), number(line.end)
                if line.places == 1:
                    return x + half * (start + end) * last
                return start * last + x * (end - start) * last / number(line.places - 1)
            case _:
                return (x + half) / scale - half

    def _rounded(self, at: Array) -> Array:
        below, above = np.floor(at), np.ceil(at)
        beyond_half = at - below - at.dtype.type(0.5)
        match self.rounding:
            case "floor":
                return below
            case "ceil":
                return above
            case "round_prefer_ceil":
                return np.where(beyond_half < -HALF_WAY, below, above)
            case _:
                return np.where(beyond_half > HALF_WAY, above, below)

    def _linear(self, at: Array, line: ScaledAxis) -> Taps:
        last = line.extent - 1
        at = np.clip(at, 0, last)
        first = at.astype(np.int64)
        second = np.minimum(first + 1, last)
        weights = np.abs(np.stack([second - at, at - first], axis=1))
        weights[first == second] = 0.5
        return Taps(np.stack([first, second], axis=1), weights.astype(at.dtype))

    def _cubic(self, at: Array, line: ScaledAxis) -> Taps:
        first = np.floor(at).astype(np.int64)
        positions = first[:, None] + np.arange(-1, 3)
        weights = self._cubic_weights(at[:, None] - positions.astype(at.dtype))
        if self.exclude_outside:
            weights[(positions < 0) | (positions >= line.extent)] = 0
            weights = _normal(weights)
        return Taps(_clipped(positions, line), weights)

    def _cubic_weights(self, distance: Array) -> Array:
        """Return the weight of an element at a distance, by Keys' convolution."""
        x, a = np.abs(distance), distance.dtype.type(self.cubic_coeff_a)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return np.where(x <= 1, near, np.where(x < 2, far, 0)).astype(x.dtype)

    def _smooth(self, at: Array, line: ScaledAxis) -> Taps:
        """Widen the linear or cubic curve by how much the axis is shortened."""
        stretch = max(1 / line.scale, 1.0)
        curve: Callable[[Array], Array] = self._cubic_weights
        if self.mode == "linear":
            curve = lambda x: np.maximum(1 - np.abs(x), 0)  # noqa: E731
        reach = stretch * (1 if self.mode == "linear" else 2)
        center = at.astype(np.float64) + 0.5
        first = np.floor(center - reach + 0.5).astype(np.int64)
        count = np.floor(center + reach + 0.5).astype(np.int64) - first
        longest = int(count.max(initial=1))
        positions: Array = first[:, None] + np.arange(longest)
        weights = curve((positions + 0.5 - center[:, None]) / stretch)
        weights[positions >= (first + count)[:, None]] = 0
        if self.exclude_outside:
            weights[(positions < 0) | (positions >= line.extent)] = 0
        return Taps(_clipped(positions, line), _normal(weights).astype(at.dtype))


def _clipped(positions: Array, line: ScaledAxis) -> NDArray[np.int64]:
    return np.clip(positions, 0, line.extent - 1).astype(np.int64)


def _normal(weights: Array) -> Array:
    """Return `weights` such that those of a place sum up to 1."""
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
