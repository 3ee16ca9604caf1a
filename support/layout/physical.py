"""What a layout is: physical dims over logical axes, in canonical form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

Halo = tuple[int, int]


class LayoutError(ValueError):
    """A list of dims that addresses no tensor, or text that describes none."""

    def __init__(self, message: str, column: int | None = None):
        super().__init__(message)
        self.column = column
        """Where in the text, counted from 1; None if there is no text."""


@dataclass(frozen=True)
class Dim:
    """
    A physical dim: one digit of the position along a logical axis.

    Position x of `axis` has the digit `x // stride % extent` here.
    Units: stride in elements of the axis; alignment in bytes.
    """

    axis: int
    extent: int | None = None
    """How many values the digit has; None: what is left of the axis."""
    stride: int = 1
    alignment: int = 1
    """What the distance between neighbours along this dim is a multiple of."""


@dataclass(frozen=True)
class Layout:
    """
    The physical order of a tensor: a mixed-radix number per axis, digits interleaved.

    `dims` go from outer to inner. The dims of one axis have strides 1, e0, e0*e1, ...
    where e0, e1, ... are the extents in order of stride, and the last one, which is
    the most significant digit, has what is left; so each position has one address.
    `halo` holds for each axis the elements that lie before and after the tensor; like
    the slack of an axis that its blocks do not divide, they are zero.
    Neighbouring dims that make up one digit are merged: equal layouts compare equal.
    Errors: strides that leave a gap, an axis that is missing, an aligned innermost dim.
    """

    dims: tuple[Dim, ...]
    halo: tuple[Halo, ...]

    def __init__(self, dims: Sequence[Dim], halo: Sequence[Halo] | None = None):
        rank = 1 + max((dim.axis for dim in dims), default=-1)
        pads = tuple(halo) if halo is not None else ((0, 0),) * rank
        _check_halo(pads, rank)
        for axis in range(rank):
            _check_digits([dim for dim in dims if dim.axis == axis], axis)
        object.__setattr__(self, "dims", _merged(dims))
        object.__setattr__(self, "halo", pads)
        _check_alignment(self.dims)

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
    def is_row_major(self) -> bool:
        """Whether every tensor lies in the order of its axes, without padding."""
        return self == row_major(self.rank)

    @property
    def is_permutation(self) -> bool:
        """Whether each axis is one physical dim."""
        return len(self.dims) == self.rank

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

    def transposed(self, permutation: Sequence[int]) -> Layout:
        """
        Return the layout in which the transposed tensor has the same bytes.

        Axis i of the transposed tensor is axis `permutation[i]` of this one.
        """
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


def _merged(dims: Sequence[Dim]) -> tuple[Dim, ...]:
    """Drop digits with one value and join neighbours that count on."""
    found: list[Dim] = []
    for dim in dims:
        if dim.extent == 1:
            continue
        last = found[-1] if found else None
        if (
            last is not None
            and last.axis == dim.axis
            and last.extent is not None
            and dim.extent is not None
            and last.stride == dim.stride * dim.extent
            and last.alignment == 1
        ):
            found[-1] = replace(dim, extent=last.extent * dim.extent)
        else:
            found.append(dim)
    return tuple(found)


def _check_halo(halo: Sequence[Halo], rank: int) -> None:
    if len(halo) != rank:
        raise LayoutError(f"expected a halo for each of {rank} axes, got {len(halo)}")
    if any(before < 0 or after < 0 for before, after in halo):
        raise LayoutError(f"expected a halo of at least 0, got {list(halo)}")


def _check_digits(dims: Sequence[Dim], axis: int) -> None:
    """Raise unless `dims` of `axis` are a mixed-radix number without a top."""
    expected = 1
    for digit in sorted(dims, key=lambda dim: (dim.stride, dim.extent != 1)):
        if not expected:
            raise LayoutError(
                f"expected what is left of axis {axis} once, got it twice"
            )
        if digit.stride != expected:
            raise LayoutError(
                f"expected a dim of axis {axis} with stride {expected}, "
                f"got stride {digit.stride}"
            )
        if digit.extent is None:
            expected = 0
        elif digit.extent < 1:
            raise LayoutError(f"expected an extent of at least 1, got {digit.extent}")
        else:
            expected *= digit.extent
    if expected:
        raise LayoutError(f"expected a dim with what is left of axis {axis}")


def _check_alignment(dims: Sequence[Dim]) -> None:
    if any(dim.alignment < 1 for dim in dims):
        raise LayoutError("expected an alignment of at least 1 byte")
    if dims and dims[-1].alignment != 1:
        raise LayoutError("expected an outer dim to align, got the innermost")
