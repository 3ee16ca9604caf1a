"""Families of shapes: modules of further shapes, derived from those of known ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from glow.analysis.directions import functions_of
from glow.analysis.forms import SPECIAL, Integers, form_of
from glow.analysis.module_templates import ModuleTemplate
from glow.support.interpolation import Multilinear, Point, interpolate

_MOST_VARYING = 2
_MOST_FORMS = 8
_MOST_SAMPLES = 12
_ANY = range(2, 1 << 62)
"""The extents in families; 0 and 1 are left out, as they are part of a form."""

_Box = tuple[range, ...]
"""For each coordinate, the values that samples of a family may have."""

_Arrays = tuple[NDArray[Any] | None, ...]


@dataclass(frozen=True)
class Sample:
    """A shape that was compiled: its integers and constants at the memory level."""

    point: Point
    integers: Integers
    constants: _Arrays


@dataclass(frozen=True)
class Family:
    """Samples that agree, and what all shapes between them are derived from."""

    module: ModuleTemplate
    integers: Multilinear
    constants: Sequence[NDArray[Any]]
    """Arrays that constants of a shape are, or are leading parts of, broadcast."""
    shapes: Mapping[int, Multilinear]
    """The shapes of the constants that differ between samples, by number."""

    def derive(self, point: Point) -> ModuleOp | None:
        """Return the module for `point`, None where integers are of another form."""
        integers = self.integers.at(point)
        if integers is None or any(n in integers for n in SPECIAL):
            return None
        arrays = list(self.constants)
        for number, shape_at in self.shapes.items():
            shape, array = shape_at.at(point), arrays[number]
            if shape is None:
                return None
            pairs = zip(array.shape, shape, strict=True)
            part = array[tuple(slice(min(n, m)) for n, m in pairs)]
            arrays[number] = np.broadcast_to(part, shape)
        return self.module.with_integers(integers, arrays)


@dataclass
class _SamplesOfForm:
    """The samples of one structure, and a module that has it."""

    module: ModuleTemplate
    samples: dict[Point, Sample] = field(default_factory=lambda: {})
    families: dict[_Box, Family | None] = field(default_factory=lambda: {})

    def add(self, sample: Sample) -> None:
        self.samples[sample.point] = sample
        self.families.clear()
        if len(self.samples) > _MOST_SAMPLES:
            del self.samples[self._least_needed()]

    def _least_needed(self) -> Point:
        """Return the oldest sample at no end of any axis, or else the oldest one."""
        columns = list(zip(*self.samples, strict=True))
        ends = [(min(column), max(column)) for column in columns]
        inner = (
            point
            for point in self.samples
            if not any(x in end for x, end in zip(point, ends, strict=True))
        )
        return next(inner, next(iter(self.samples)))

    def families_of(self, point: Point) -> Iterator[Family]:
        """Yield the families that have the same form at `point`, large ones first."""
        for box in self._boxes(point):
            if box not in self.families:
                self.families[box] = self._family(box)
            family = self.families[box]
            if family is not None:
                yield family

    def _boxes(self, point: Point) -> Iterator[_Box]:
        """
        Yield boxes in which samples of a family of `point` may lie, large ones first.

        First those with two free extents or one, then those with one extent in whole
        steps from that of `point`: on these, what strided windows round is linear.
        """
        fixed = [range(x, x + 1) for x in point]
        axes = range(len(point))
        for count in range(min(_MOST_VARYING, len(point)), 0, -1):
            for free in combinations(axes, count):
                yield tuple(_ANY if i in free else fixed[i] for i in axes)
        for axis in axes:
            before, after = fixed[:axis], fixed[axis + 1 :]
            known = self._samples((*before, _ANY, *after))
            apart = {abs(each.point[axis] - point[axis]) for each in known} - {0}
            for step in sorted({gcd(*pair) for pair in combinations(apart, 2)} - {1}):
                first = _ANY[(point[axis] - _ANY.start) % step]
                yield (*before, range(first, _ANY.stop, step), *after)

    def _samples(self, box: _Box) -> list[Sample]:
        return [
            sample
            for sample in self.samples.values()
            if all(x in within for x, within in zip(sample.point, box, strict=True))
        ]

    def _family(self, box: _Box) -> Family | None:
        samples = self._samples(box)
        points = [sample.point for sample in samples]
        found = interpolate(points, [sample.integers for sample in samples])
        if found is None:
            return None
        arrays: list[NDArray[Any]] = []
        shapes: dict[int, Multilinear] = {}
        for number, own in enumerate(zip(*(s.constants for s in samples), strict=True)):
            known = [array for array in own if array is not None]
            if len(known) < len(own):
                return None
            whole = known[0]
            if any(array is not whole for array in known):
                whole = _whole_of(known)
                shape = interpolate(points, [array.shape for array in known])
                if whole is None or shape is None:
                    return None
                shapes[number] = shape
            arrays.append(whole)
        return Family(self.module, found, arrays, shapes)


def _whole_of(arrays: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    """Return the array that `arrays` are leading parts of, None if there is none."""
    first = arrays[0]
    if any(a.ndim != first.ndim or a.dtype != first.dtype for a in arrays):
        return None
    for axis in range(first.ndim):
        ends = [
            array.take([0], axis) if array.shape[axis] else array for array in arrays
        ]
        if all(_same(end, a) for end, a in zip(ends, arrays, strict=True)):
            arrays = ends
    whole = max(arrays, key=lambda array: array.size)
    for array in arrays:
        if any(n > m for n, m in zip(array.shape, whole.shape, strict=True)):
            return None
        if not _same(array, whole[tuple(map(slice, array.shape))]):
            return None
    return whole


def _same(some: NDArray[Any], others: NDArray[Any]) -> bool:
    """Return whether arrays are equal by NumPy's rule of broadcasting, bit for bit."""
    kind = f"u{some.dtype.itemsize}"
    some, others = (np.ascontiguousarray(a).view(kind) for a in (some, others))
    return bool((some == others).all())


class ShapeFamilies:
    """
    Families of the shapes of one model.

    Only shapes that were compiled from the model are samples. Modules for shapes
    between samples of one form take over their layouts, algorithms and fusions.
    """

    def __init__(self) -> None:
        self._forms: dict[tuple[Hashable, ...], _SamplesOfForm] = {}

    def add(self, point: Point, module: ModuleOp, notes: Sequence[Hashable]) -> None:
        """Note the module of `point` at the memory level, whose constants are final."""
        if len(functions_of(module)) != 1:
            return
        form = form_of(module)
        key = (*form.structure, *notes)
        # No OrderedDict: walking one hashes its large keys again and again.
        own = self._forms.pop(key, None)
        own = own or _SamplesOfForm(ModuleTemplate(module, form))
        own.add(Sample(point, form.integers, form.constants))
        self._forms[key] = own
        if len(self._forms) > _MOST_FORMS:
            del self._forms[next(iter(self._forms))]

    def derive(self, point: Point) -> ModuleOp | None:
        """
        Return the module for `point`, not yet placed; None if no family has it.

        It is valid until another one of its form is derived.
        """
        for family in self._families_of(point):
            if family.integers.covers(point):
                module = family.derive(point)
                if module is not None:
                    return module
        return None

    def beyond(self, point: Point, limits: Mapping[int, int]) -> Point | None:
        """
        Return a shape twice as large as `point`, or more, where it outgrew a family.

        None if it outgrew none, or if that shape would reach a limit of an axis.
        """
        for family in self._families_of(point):
            known = family.integers
            is_less = any(x < n for x, n in zip(point, known.low, strict=True))
            if is_less or not known.reaches(point):
                continue
            wanted = tuple(
                x + -(-x // step) * step if x > high else x
                for x, high, step in zip(point, known.high, known.steps, strict=True)
            )
            if wanted != point and not any(
                wanted[axis] != point[axis] and wanted[axis] >= limit
                for axis, limit in limits.items()
            ):
                return wanted
        return None

    def _families_of(self, point: Point) -> Iterator[Family]:
        for form in reversed(self._forms.values()):
            yield from form.families_of(point)
