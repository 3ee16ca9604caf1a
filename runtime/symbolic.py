"""Signatures with symbolic dimensions, and what arrays make of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, cast

import numpy as np

from glow.runtime.signature import Arguments, Array, Signature, TensorSpec, describe
from glow.support.dimensions import Relation, relations
from glow.support.errors import BindingError

Dims = Mapping[str, int]
Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SymbolicSpec(TensorSpec):
    """
    An input or output with symbolic dimensions.

    `shape` has -1 where an extent is not known, and `dtype` is void where that of an
    output is not.
    """

    extents: tuple[int | str, ...] | None = None
    """The shape with names; None, of an output: known once it is compiled."""

    @property
    def nbytes(self) -> int:
        """The bytes of the array; a BindingError where they depend on dimensions."""
        if -1 in self.shape or self.extents is None:
            raise BindingError(f"{self} has no size before its dimensions are known")
        return super().nbytes

    @property
    def description(self) -> str:
        """What to pass: `float32[batch, 3, 224, 224]`."""
        dtype = "?" if self.dtype.kind == "V" else str(self.dtype)
        extents = "..." if self.extents is None else ", ".join(map(str, self.extents))
        notes = f" (axes {', '.join(axis or '?' for axis in self.axes)})"
        return f"{dtype}[{extents}]{notes if self.axes else ''}"

    def problem_with(self, value: object) -> str | None:
        """Say why `value` cannot stand for this tensor, whatever dimensions are."""
        if not isinstance(value, np.ndarray):
            return f"expected {self.description}, got a {type(value).__name__}"
        array = cast(Array, value)
        fits = self.extents is None or (
            len(self.shape) == array.ndim
            and all(e in (-1, a) for e, a in zip(self.shape, array.shape, strict=True))
        )
        if fits and self.dtype in (array.dtype, np.dtype("V")):
            return None
        found = describe(array.shape, array.dtype)
        return f"expected {self.description}, got {found}"


def symbolic_spec(
    name: str,
    extents: tuple[int | str, ...] | None,
    dtype: np.dtype[Any] | None,
    axes: tuple[str, ...] = (),
) -> SymbolicSpec:
    """Return the spec of a tensor; None stands for what is not known."""
    shape = tuple(e if isinstance(e, int) else -1 for e in extents or ())
    return SymbolicSpec(name, shape, dtype or np.dtype("V"), axes=axes, extents=extents)


@dataclass(frozen=True)
class SymbolicSignature(Signature):
    """
    The inputs and outputs of a model some dimensions of which are not known.

    Errors: a BindingError that names every array, and every dimension, that does not
    fit.
    """

    known: Dims = field(default_factory=lambda: {})
    """Dimensions that others follow from, and that are fixed."""

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        return relations((text for text, _, _ in self._places), self.known)

    @cached_property
    def _places(self) -> tuple[tuple[str, str, int], ...]:
        """Where symbolic dimensions stand: text, input, axis."""
        return tuple(
            (extent, spec.name, axis)
            for spec in self.inputs
            if isinstance(spec, SymbolicSpec)
            for axis, extent in enumerate(spec.extents or ())
            if isinstance(extent, str)
        )

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dimensions that runs choose, in order."""
        found = dict.fromkeys(text for text, _, _ in self._places)
        return tuple(text for text in found if text not in self._relations)

    def dims_of(self, inputs: Mapping[str, object], partial: bool = False) -> Dims:
        """
        Return the extents that arrays by name give to the symbolic dimensions.

        With `partial` inputs may be missing, as long as all dimensions are known.
        """
        problems = self._problems(inputs, partial)
        ranks = {spec.name: len(spec.shape) for spec in self.inputs}
        arrays = {
            name: cast(Array, array)
            for name, array in inputs.items()
            if isinstance(array, np.ndarray) and array.ndim == ranks.get(name)
        }
        found = self._extents(arrays, problems)
        missing = [name for name in self.dims if name not in found]
        if missing and not problems:
            names = ", ".join(f'"{name}"' for name in missing)
            dims = ", ".join(f'"{name}": ...' for name in missing)
            options = " ".join(f'--dim "{name}=..."' for name in missing)
            problems.append(
                f"no array says what dimension {names} is; give an input that has it,"
                f" or its extent: specialize({{{dims}}}) or {options}"
            )
        if not missing:
            problems += self._unrelated(arrays, found)
        if problems:
            raise BindingError("; ".join(problems))
        return found

    def _extents(
        self, arrays: Mapping[str, Array], problems: list[str]
    ) -> dict[str, int]:
        """Return the extents by name; add those that differ to `problems`."""
        found: dict[str, int] = {}
        first: dict[str, str] = {}
        for text, name, axis in self._places:
            if text in self._relations or name not in arrays:
                continue
            extent = arrays[name].shape[axis]
            first.setdefault(text, name)
            if found.setdefault(text, extent) != extent:
                problems.append(
                    f'dimension "{text}" is {found[text]} in input "{first[text]}", '
                    f'{extent} in input "{name}"'
                )
        return found

    def _problems(self, inputs: Mapping[str, object], partial: bool) -> list[str]:
        specs = {spec.name: spec for spec in self.inputs}
        found: list[str] = []
        for name, spec in specs.items():
            if name in inputs:
                problem = spec.problem_with(inputs[name])
                found += [] if problem is None else [f'input "{name}": {problem}']
            elif not partial:
                found.append(f'input "{name}": missing, expected {spec.description}')
        known = ", ".join(specs) or "none"
        for name in inputs:
            if name not in specs:
                found.append(f'no input is called "{name}", expected {known}')
        return found

    def _unrelated(self, arrays: Mapping[str, Array], dims: Dims) -> list[str]:
        """Say which extents are not what others make them."""
        values = {**self.known, **dims}
        found: list[str] = []
        for text, name, axis in self._places:
            relation = self._relations.get(text)
            if relation is None or name not in arrays:
                continue
            extent = arrays[name].shape[axis]
            try:
                expected = relation.extent(values)
            except ValueError as error:
                found.append(f'input "{name}": {error}')
                continue
            if expected != extent:
                found.append(
                    f'dimension "{text}" is {extent} in input "{name}", '
                    f"expected {expected} for {relation.described(values)}"
                )
        return found

    def shapes_of(self, dims: Dims) -> Shapes:
        """Return the shapes of the inputs for `dims`, which are all there."""
        values = {**self.known, **dims}
        for text, relation in self._relations.items():
            values[text] = relation.extent(values)
        return tuple(
            tuple(e if isinstance(e, int) else values[e] for e in spec.extents or ())
            if isinstance(spec, SymbolicSpec)
            else spec.shape
            for spec in self.inputs
        )

    def dims_for(self, shapes: Shapes) -> Dims:
        """Return the extents behind `shapes`, which `shapes_of` returned."""
        by_name = {s.name: x for s, x in zip(self.inputs, shapes, strict=True)}
        return {
            text: by_name[name][axis]
            for text, name, axis in self._places
            if text not in self._relations
        }

    def check_dims(self, dims: Mapping[str, object]) -> list[str]:
        """Say what is wrong with extents by name, one entry for each that is."""
        known = ", ".join(f'"{name}"' for name in self.dims) or "none"
        found = [
            f'dimension "{name}": missing' for name in self.dims if name not in dims
        ]
        for name, value in dims.items():
            if name not in self.dims:
                found.append(
                    f'no symbolic dimension is called "{name}", expected {known}'
                )
            elif not isinstance(value, int | np.integer) or int(cast(int, value)) < 0:
                found.append(
                    f'dimension "{name}": expected an extent from 0 on, got {value!r}'
                )
        if not found:
            values = {**self.known, **cast(Dims, dims)}
            for relation in self._relations.values():
                try:
                    relation.extent(values)
                except ValueError as error:
                    found.append(f"dimension {error}")
        return found

    def fit(self, arrays: Sequence[object]) -> bool:
        """Return False: whether arrays fit says what is compiled for their shapes."""
        return False

    def bind(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None = None
    ) -> Arguments:
        """Refuse: shapes of results follow from dimensions."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        names = ", ".join(f'"{name}": ...' for name in self.dims)
        raise BindingError(
            f"expected a model of known shapes; specialize({{{names}}}) returns one"
        )
