"""Signatures with symbolic dimensions: their extents for arrays, and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np

from glow.runtime.copies import Arguments
from glow.runtime.foreign_arrays import as_arrays
from glow.runtime.signature import Signature
from glow.runtime.tensor_spec import State, TensorSpec
from glow.support.arguments import check_by_name
from glow.support.arrays import Array, Shape
from glow.support.dimensions import Dims, Relation, relations
from glow.support.errors import BindingError


@dataclass(frozen=True)
class SymbolicSignature(Signature):
    """
    The inputs, outputs and states of a model with symbolic dimensions.

    Errors: a BindingError that names every array, and every dimension, that does not
    fit.
    """

    known: Dims = field(default_factory=lambda: {})
    """Fixed dimensions, from which others may follow."""

    @cached_property
    def _specs(self) -> dict[str, TensorSpec]:
        """The tensors that dimensions follow from, by name: inputs, then states."""
        specs = (*self.inputs, *(state.spec for state in self.states))
        return {spec.name: spec for spec in specs}

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        return relations((text for text, _, _ in self._uses), self.known)

    @cached_property
    def _uses(self) -> tuple[tuple[str, str, int], ...]:
        """The uses of symbolic dimensions: text, input or state, axis in the model."""
        return tuple(
            (extent, spec.name, axis)
            for spec in self._specs.values()
            for axis, extent in enumerate(spec.extents or ())
            if isinstance(extent, str)
        )

    @cached_property
    def dims(self) -> tuple[str, ...]:
        """The dimensions that callers choose, in order."""
        names = dict.fromkeys(text for text, _, _ in self._uses)
        return tuple(text for text in names if text not in self._relations)

    @cached_property
    def _of_states(self) -> tuple[str, ...]:
        """Those of `dims` that no input has."""
        names = {spec.name for spec in self.inputs}
        seen = {text for text, name, _ in self._uses if name in names}
        return tuple(text for text in self.dims if text not in seen)

    def dims_of(self, arrays: Mapping[str, object], partial: bool = False) -> Dims:
        """
        Return the extents that inputs by name give to the symbolic dimensions.

        With `partial` inputs may be missing, and states may be among them.
        """
        arrays = as_arrays(arrays, self._specs)
        problems = self._problems(arrays, partial)
        shapes = {
            name: spec.tensor_shape_of(cast(Array, array).shape)
            for name, spec in self._specs.items()
            if isinstance(array := arrays.get(name), np.ndarray)
            and array.ndim == len(spec.shape)
        }
        dims = self._extents(shapes, problems)
        missing = [name for name in self.dims if name not in dims]
        if missing and not problems:
            problems.append(self._unknown(missing, dims))
        if not missing:
            problems += self._unrelated(shapes, dims)
        if problems:
            raise BindingError("; ".join(problems))
        return dims

    def _unknown(self, missing: Sequence[str], dims: Dims) -> str:
        names = ", ".join(f'"{name}"' for name in missing)
        given = ", ".join(f'"{name}": {dims.get(name, "...")}' for name in self.dims)
        options = " ".join(f'--dim "{name}=..."' for name in missing)
        in_states = set(missing) <= set(self._of_states)
        owner = "bindings a state" if in_states else "an input"
        return (
            f"no array says what dimension {names} is; give {owner} that has it,"
            f" or its extent: specialize({{{given}}}) or {options}"
        )

    def _extents(
        self, shapes: Mapping[str, Shape], problems: list[str]
    ) -> dict[str, int]:
        """Return the extents by name; add those that differ to `problems`."""
        dims: dict[str, int] = {}
        first: dict[str, str] = {}
        for text, name, axis in self._uses:
            if text in self._relations or name not in shapes:
                continue
            extent = shapes[name][axis]
            first.setdefault(text, name)
            if dims.setdefault(text, extent) != extent:
                problems.append(
                    f'dimension "{text}" is {dims[text]} in '
                    f"{self._called(first[text])}, {extent} in {self._called(name)}"
                )
        return dims

    def _called(self, name: str) -> str:
        is_state = any(state.spec.name == name for state in self.states)
        return f'{"state" if is_state else "input"} "{name}"'

    def _problems(self, arrays: Mapping[str, object], partial: bool) -> list[str]:
        inputs = {spec.name for spec in self.inputs}
        problems: list[str] = []
        for name, spec in self._specs.items():
            if name in arrays:
                if (problem := spec.problem_with(arrays[name])) is not None:
                    problems.append(f"{self._called(name)}: {problem}")
            elif name in inputs and not partial:
                problems.append(f'input "{name}": missing, expected {spec.description}')
        allowed = list(self._specs) if partial else [spec.name for spec in self.inputs]
        known = ", ".join(allowed) or "none"
        strange = (name for name in arrays if name not in allowed)
        return problems + [
            f'no input is called "{name}", expected {known}' for name in strange
        ]

    def _unrelated(self, shapes: Mapping[str, Shape], dims: Dims) -> list[str]:
        """Return a message for each extent that is not what follows from others."""
        values = {**self.known, **dims}
        problems: list[str] = []
        for text, name, axis in self._uses:
            relation = self._relations.get(text)
            if relation is None or name not in shapes:
                continue
            extent = shapes[name][axis]
            try:
                expected = relation.extent(values)
            except ValueError as error:
                problems.append(f"{self._called(name)}: {error}")
                continue
            if expected != extent:
                problems.append(
                    f'dimension "{text}" is {extent} in {self._called(name)}, '
                    f"expected {expected} for {relation.described(values)}"
                )
        return problems

    def shapes_of(self, dims: Dims) -> tuple[Shape, ...]:
        """Return the shapes of the inputs for `dims`, then extents only states have."""
        values, problems = self._values(dims)
        if problems:
            raise BindingError("; ".join(problems))
        specs = [self._specs[spec.name] for spec in self.inputs]
        own = tuple(dims[text] for text in self._of_states)
        return (*(spec.shape_for(values) for spec in specs), *((own,) if own else ()))

    def check_dims(self, dims: Mapping[str, object]) -> list[str]:
        """Return a message for each named extent that does not fit."""
        check_by_name("dims", dims)
        known = ", ".join(f'"{name}"' for name in self.dims) or "none"
        problems = [
            f'dimension "{name}": missing' for name in self.dims if name not in dims
        ]
        for name, value in dims.items():
            if name not in self.dims:
                problems.append(
                    f'no symbolic dimension is called "{name}", expected {known}'
                )
            elif not isinstance(value, int | np.integer) or int(cast(int, value)) < 0:
                problems.append(
                    f'dimension "{name}": expected an extent from 0 on, got {value!r}'
                )
        if problems:
            return problems
        values, problems = self._values(cast(Dims, dims))
        if problems:
            return problems
        unfit = (spec.problem_for(values) for spec in self._specs.values())
        return [problem for problem in unfit if problem is not None]

    def _values(self, dims: Dims) -> tuple[dict[str, int], list[str]]:
        """Return all extents for `dims`, and messages about invalid derived ones."""
        values, problems = {**self.known, **dims}, list[str]()
        for text, relation in self._relations.items():
            try:
                values[text] = relation.extent(values)
            except ValueError as error:
                problems.append(f"dimension {error}")
        return values, problems

    def fit(self, arrays: Sequence[object]) -> bool:
        """Return False, as arrays are checked by the executable for their shapes."""
        return False

    def bind(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None = None
    ) -> Arguments:
        """Refuse: shapes of results follow from dimensions."""
        names = ", ".join(f'"{name}": ...' for name in self.dims)
        raise BindingError(
            f"expected a model of known shapes; specialize({{{names}}}) returns one"
        )


@dataclass(frozen=True)
class Symbols:
    """The signature of the images of a file, and the extents of each."""

    signature: SymbolicSignature
    dims: tuple[Dims, ...]
    """For which extents each image is compiled."""

    def entry(self) -> dict[str, Any]:
        """Return the symbols as a file has them; `symbols_of` reads that."""
        signature = self.signature
        states = [
            {"direction": state.direction, **state.spec.entry()}
            for state in signature.states
        ]
        return {
            "inputs": [spec.entry() for spec in signature.inputs],
            "outputs": [spec.entry() for spec in signature.outputs],
            "states": states,
            "known": dict(signature.known),
            "dims": [dict(dims) for dims in self.dims],
        }


def symbols_of(entry: Mapping[str, Any]) -> Symbols:
    """Return the symbols that an entry of a file describes."""
    signature = SymbolicSignature(
        tuple(map(TensorSpec.of, entry["inputs"])),
        tuple(map(TensorSpec.of, entry["outputs"])),
        tuple(
            State(TensorSpec.of(each), each["direction"]) for each in entry["states"]
        ),
        entry["known"],
    )
    return Symbols(signature, tuple(entry["dims"]))
