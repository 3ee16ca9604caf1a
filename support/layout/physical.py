"""Layouts as physical dims over logical axes, in canonical form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

Halo = tuple[int, int]

LARGEST = 2**31 - 1
"""The largest number in a layout: no buffer has more elements."""

EXTENSION = re.compile(r"\s*[A-Za-z_][\w.-]*\s*:[^\]\r\n]*", re.ASCII)
"""A namespace, a colon, and text that only its owner reads, on one line."""

_MISSING = "expected a dim with what is left of axis {}"


class LayoutError(ValueError):
    """A list of dims that addresses no tensor, or text that describes none."""

    def __init__(self, message: str, column: int | None = None, dim: int | None = None):
        super().__init__(message)
        self.column = column
        """The column in the text, counted from 1, and the dim at fault, if any."""
        self.dim = dim


@dataclass(frozen=True)
class Dim:
    """
    A physical dim: one digit of the position along a logical axis.

    Position x of `axis` has the digit `x // stride % extent` here.
    Units: stride in elements of the axis; alignment in bytes.
    """

    axis: int
    extent: int | None = None
    """The number of values of the digit; None: what is left of the axis."""
    stride: int = 1
    alignment: int = 1
    """The alignment of the distance between neighbors along this dim."""
    extensions: tuple[str, ...] = ()
    """Notes of others, each `namespace:text`; they change no address."""


@dataclass(frozen=True)
class Layout:
    """
    The physical order of a tensor: a mixed-radix number per axis, digits interleaved.

    `dims` go from outer to inner. The dims of one axis have strides 1, e0, e0*e1, ...
    where e0, e1, ... are the extents in order of stride, and the last one, which is
    the most significant digit, has what is left; so each position has one address.
    `halo` holds for each axis the elements that lie before and after the tensor; like
    the slack of an axis that its blocks do not divide, they are zero.
    Neighboring dims that make up one digit are merged, unless one has extensions:
    equal layouts compare equal. Errors: strides that leave a gap, a missing axis, an
    aligned innermost dim, extensions of a dim of one value or that text could not say.
    """

    dims: tuple[Dim, ...]
    halo: tuple[Halo, ...]
    _hash: int = field(init=False, repr=False, compare=False)
    """Kept, as layouts are the keys of many caches."""

    def __init__(self, dims: Sequence[Dim], halo: Sequence[Halo] | None = None):
        places = _places(dims)
        for axis, mine in enumerate(places):
            _check_digits(dims, mine, axis)
        for i, dim in enumerate(dims):
            _check_notes(dim, i)
        pads = tuple(halo) if halo is not None else ((0, 0),) * len(places)
        _check_halo(pads, len(places))
        object.__setattr__(self, "dims", _merged(dims))
        object.__setattr__(self, "halo", pads)
        object.__setattr__(self, "_hash", hash((self.dims, pads)))
        if self.dims and self.dims[-1].alignment != 1:
            raise LayoutError(
                "expected an outer dim to align, got the innermost",
                dim=_last_with_values(dims),
            )

    def __hash__(self) -> int:
        return self._hash

    @property
    def rank(self) -> int:
        """The number of logical axes."""
        return len(self.halo)

    @property
    def has_halo(self) -> bool:
        return any(pad != (0, 0) for pad in self.halo)

    @property
    def is_aligned(self) -> bool:
        """Whether addresses depend on how many bytes an element has."""
        return any(dim.alignment > 1 for dim in self.dims)

    @property
    def has_extensions(self) -> bool:
        return any(dim.extensions for dim in self.dims)

    @property
    def is_row_major(self) -> bool:
        """Whether every tensor lies in the order of its axes, without padding."""
        return self.without_extensions() == row_major(self.rank)

    def order(self) -> tuple[int, ...]:
        """Return the axis of each physical dim, from outer to inner."""
        return tuple(dim.axis for dim in self.dims)

    def digits(self, axis: int) -> tuple[int, ...]:
        """Return the indices of the dims of `axis`, the most significant first."""
        mine = [i for i, dim in enumerate(self.dims) if dim.axis == axis]
        return tuple(sorted(mine, key=lambda i: -self.dims[i].stride))

    def with_halo(self, halo: Sequence[Halo]) -> Layout:
        """Return this order with (before, after) elements around each axis."""
        return Layout(self.dims, halo)

    def without_extensions(self) -> Layout:
        """Return the layout with the same addresses, without extensions."""
        if not self.has_extensions:
            return self
        return Layout([replace(d, extensions=()) for d in self.dims], self.halo)

    def transposed(self, permutation: Sequence[int]) -> Layout:
        """Return the layout of the same bytes when axis i is `permutation[i]` here."""
        if sorted(permutation) != list(range(self.rank)):
            raise LayoutError(
                f"expected a permutation of {self.rank} axes, got {list(permutation)}"
            )
        dims = [replace(d, axis=list(permutation).index(d.axis)) for d in self.dims]
        return Layout(dims, [self.halo[axis] for axis in permutation])


@cache
def row_major(rank: int) -> Layout:
    """Return the layout of a plain C-contiguous array."""
    return permuted(range(rank))


def permuted(order: Sequence[int]) -> Layout:
    """Return the unblocked layout with these axes from outer to inner."""
    if sorted(order) != list(range(len(order))):
        raise LayoutError(f"expected each axis once, got {list(order)}")
    return Layout([Dim(axis) for axis in order])


@cache
def channels_last(rank: int) -> Layout:
    """Return NWC, NHWC, NDHWC, and so on for any rank."""
    return permuted((0, *range(2, rank), 1))


def _merged(dims: Sequence[Dim]) -> tuple[Dim, ...]:
    """Drop digits with one value; join neighbors that count on, but where one grows."""
    merged: list[Dim] = []
    for dim in dims:
        if dim.extent == 1:
            continue
        last = merged[-1] if merged else None
        # The digit right inside an aligned dim takes up its slack.
        grows = len(merged) > 1 and merged[-2].alignment > 1
        if (
            last is not None
            and not grows
            and last.axis == dim.axis
            and last.extent is not None
            and dim.extent is not None
            and last.stride == dim.stride * dim.extent
            and last.alignment == 1
            and not (last.extensions or dim.extensions)
        ):
            merged[-1] = replace(dim, extent=last.extent * dim.extent)
        else:
            merged.append(dim)
    return tuple(merged)


def _places(dims: Sequence[Dim]) -> list[list[int]]:
    """Return the indices of the dims of each axis; an error where one has none."""
    places: dict[int, list[int]] = {}
    for i, dim in enumerate(dims):
        places.setdefault(dim.axis, []).append(i)
    for axis, beyond in enumerate(sorted(places)):
        if axis != beyond:
            raise LayoutError(_MISSING.format(axis), dim=places[beyond][0])
    return [places[axis] for axis in range(len(places))]


def _check_halo(halo: Sequence[Halo], rank: int) -> None:
    if len(halo) != rank:
        raise LayoutError(f"expected a halo for each of {rank} axes, got {len(halo)}")
    if any(before < 0 or after < 0 for before, after in halo):
        raise LayoutError(f"expected a halo of at least 0, got {list(halo)}")


def _check_digits(dims: Sequence[Dim], places: Sequence[int], axis: int) -> None:
    """Raise unless the dims at `places` are a mixed-radix number without a top."""
    expected = 1
    for i in sorted(places, key=lambda i: (dims[i].stride, dims[i].extent != 1)):
        extent, stride = dims[i].extent, dims[i].stride
        if not expected:
            raise LayoutError(
                f"expected the rest of axis {axis} once, got it twice", dim=i
            )
        if stride != expected:
            raise LayoutError(
                f"expected a dim of axis {axis} with stride {expected}, "
                f"got stride {stride}",
                dim=i,
            )
        if extent is not None and extent < 1:
            raise LayoutError(f"expected an extent of at least 1, got {extent}", dim=i)
        expected *= extent or 0
        if expected > LARGEST:
            raise LayoutError(
                f"expected blocks of at most {LARGEST} positions on axis {axis}", dim=i
            )
    if expected:
        raise LayoutError(_MISSING.format(axis), dim=places[0])


def _check_notes(dim: Dim, index: int) -> None:
    """Raise unless the alignment and the extensions of a dim say something."""
    if dim.alignment < 1:
        raise LayoutError("expected an alignment of at least 1 byte", dim=index)
    if dim.extent == 1 and dim.extensions:
        raise LayoutError("expected no extension of a dim of 1 value", dim=index)
    for text in dim.extensions:
        if not EXTENSION.fullmatch(text):
            raise LayoutError(
                f"expected an extension namespace:text without ], got {text!r}",
                dim=index,
            )


def _last_with_values(dims: Sequence[Dim]) -> int:
    return max(i for i, dim in enumerate(dims) if dim.extent != 1)
