"""Signatures: the tensors that an executable takes and returns, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, cast

import numpy as np

from glow.runtime.copies import Arguments, readable, writeable
from glow.runtime.foreign_arrays import as_arrays
from glow.runtime.tensor_spec import State, TensorSpec
from glow.support.arrays import Array
from glow.support.errors import BindingError
from glow.support.names import with_article


@dataclass(frozen=True)
class Signature:
    """
    The inputs and outputs of a model, and the states, which runs are not passed.

    A tensor that is read and written is an input and an output. Errors: `bind` raises
    one BindingError that names every array that is missing, unknown or of another type.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    states: tuple[State, ...] = ()

    def __str__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        outputs = ", ".join(map(str, self.results))
        states = ", ".join(str(state.spec) for state in self.states)
        return f"({inputs}) -> ({outputs})" + (f" with ({states})" if states else "")

    @cached_property
    def _counts(self) -> dict[str, tuple[int, str]]:
        """The axis that a run counts of some outputs, and the output that says it."""
        known = {spec.name for spec in self.outputs}
        found = {spec.name: spec.counted for spec in self.outputs}
        return {n: c for n, c in found.items() if c is not None and c[1] in known}

    @cached_property
    def results(self) -> tuple[TensorSpec, ...]:
        """The outputs that a caller gets: all but the counts of others' rows."""
        hidden = {count for _, count in self._counts.values()}
        return tuple(spec for spec in self.outputs if spec.name not in hidden)

    def cut(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Return the results of a run by name, each cut to its counted rows."""
        if not self._counts:
            return dict(arrays)
        cut: dict[str, Any] = {}
        for spec in self.results:
            array = cut[spec.name] = arrays[spec.name]
            if spec.name in self._counts:
                axis, count = self._counts[spec.name]
                part = slice(int(arrays[count]))
                whole = (slice(None),) * axis
                cut[spec.name] = spec.pack(spec.unpack(array)[(*whole, part)])
        return cut

    def check_whole(self, what: str) -> None:
        """Raise where `what` would see results before their number of rows is known."""
        for spec in self.results:
            if spec.name in self._counts:
                raise BindingError(
                    f'{what}: expected outputs of known shapes, got "{spec.name}", '
                    "whose rows the run counts; use what the run returns"
                )

    @property
    def is_cut(self) -> bool:
        """Whether runs say how long some results are."""
        return bool(self._counts)

    @property
    def directions(self) -> dict[str, str]:
        """The direction of each name: in, out or inout."""
        directions = {spec.name: "in" for spec in self.inputs}
        for spec in self.outputs:
            directions[spec.name] = "inout" if spec.name in directions else "out"
        return directions | {state.spec.name: state.direction for state in self.states}

    @property
    def residencies(self) -> dict[str, str]:
        """Of each name, whether it is passed or taken by a run or stays: resident."""
        passed = dict.fromkeys((s.name for s in (*self.inputs, *self.outputs)), "run")
        return passed | {state.spec.name: "resident" for state in self.states}

    def unpacked(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Return inputs as tensors in the model's own order, as other runtimes do."""
        specs = {spec.name: spec for spec in self.inputs}
        return {name: specs[name].unpack(array) for name, array in inputs.items()}

    def packed(self, outputs: Mapping[str, Array]) -> dict[str, Array]:
        """Return outputs of the model as the arrays that a run gives for them."""
        return {spec.name: spec.pack(outputs[spec.name]) for spec in self.results}

    def labeled(self, outputs: Mapping[str, Array]) -> dict[str, Any]:
        """Return outputs with the labels of classes; see `TensorSpec.labeled`."""
        specs = {spec.name: spec for spec in self.outputs}
        return {name: specs[name].labeled(array) for name, array in outputs.items()}

    def fit(self, arrays: Sequence[object]) -> bool:
        """Return whether `arrays`, in order, need neither a complaint nor a copy."""
        return _fit(arrays, self.inputs)

    def fit_outputs(self, buffers: Sequence[Any], inputs: Sequence[Any]) -> bool:
        """
        Return whether results can go straight into `buffers`, in order.

        They must share no memory with each other nor with `inputs`, which fit, except
        for one array that is to be updated in place.
        """
        if not _fit(buffers, self.outputs):
            return False
        for i, buffer in enumerate(buffers):
            if not buffer.flags.writeable:
                return False
            own = self._read_of.get(i)
            for j, other in enumerate((*inputs, *buffers[:i])):
                in_place = other is buffer and j == own
                if not in_place and np.may_share_memory(buffer, other):
                    return False
        return True

    @cached_property
    def _read_of(self) -> dict[int, int]:
        """For each output that is also an input, the number of that input."""
        inputs = {spec.name: index for index, spec in enumerate(self.inputs)}
        return {
            index: inputs[spec.name]
            for index, spec in enumerate(self.outputs)
            if spec.name in inputs
        }

    def positional(
        self, arrays: Sequence[object], named: Mapping[str, object] | None = None
    ) -> dict[str, object]:
        """Return `arrays` by name; they are the first inputs, `named` the others."""
        named = named or {}
        if len(arrays) + len(named) != len(self.inputs):
            names = ", ".join(str(spec) for spec in self.inputs)
            count = f"{len(self.inputs)} array{'s' * (len(self.inputs) != 1)}"
            got = len(arrays) + len(named)
            raise BindingError(f"expected {count} ({names}), got {got}")
        names = (spec.name for spec in self.inputs)
        given = dict(zip(names, arrays, strict=False))
        if twice := [name for name in named if name in given]:
            raise BindingError(f'input "{twice[0]}": given in order and by name')
        return {**given, **named}

    def named(
        self, inputs: Mapping[str, object] | Sequence[object] | None
    ) -> Mapping[str, object]:
        """Return inputs by name; a list or tuple has them in order."""
        if type(inputs) is dict or isinstance(inputs, Mapping):  # the first is fast
            return cast(Mapping[str, object], inputs)
        if isinstance(inputs, list | tuple):
            return self.positional(inputs)
        raise BindingError(
            "expected a dict of inputs by name, or a list of them, got "
            f"{with_article(type(inputs).__name__)}"
        )

    def bind(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None = None
    ) -> Arguments:
        """
        Check the arrays of a run and make them contiguous.

        An input that shares memory with a buffer in `out` is copied, unless it is one
        array that is to be updated in place.
        """
        wanted = out or {}
        inputs = as_arrays(inputs, {spec.name: spec for spec in self.inputs})
        problems = _problems("input", self.inputs, inputs, required=True)
        problems += _problems("output", self.outputs, wanted, required=False)
        problems += _overlapping(wanted)
        if problems:
            raise BindingError("; ".join(problems))
        requested = tuple(_array(wanted.get(spec.name)) for spec in self.outputs)
        names = [spec.name for spec in self.outputs]
        read: list[Array] = []
        for spec in self.inputs:
            own = names.index(spec.name) if spec.name in names else None
            others = [array for i, array in enumerate(requested) if i != own]
            array: Array = np.asanyarray(inputs[spec.name])  # also of a NumPy scalar
            read.append(readable(array, own is not None, others))
        written = tuple(
            spec.empty() if (given := writeable(array)) is None else given
            for spec, array in zip(self.outputs, requested, strict=True)
        )
        return Arguments(tuple(read), written, requested)


def _fit(arrays: Sequence[object], specs: Sequence[TensorSpec]) -> bool:
    """Return whether `arrays` are of these types, contiguous and aligned."""
    if len(arrays) != len(specs):
        return False
    for array, spec in zip(arrays, specs, strict=True):
        if type(array) is not np.ndarray:
            return False
        if array.shape != spec.shape or array.dtype != spec.dtype:
            return False
        flags = array.flags
        if not (flags.c_contiguous and flags.aligned):
            return False
    return True


def _problems(
    kind: str,
    specs: Sequence[TensorSpec],
    values: Mapping[str, object],
    required: bool,
) -> list[str]:
    """Return a message for each of `values` that does not fit."""
    problems: list[str] = []
    for spec in specs:
        if spec.name in values:
            problem = spec.problem_with(values[spec.name], kind == "output")
            if problem is not None:
                problems.append(f'{kind} "{spec.name}": {problem}')
        elif required:
            problems.append(
                f'{kind} "{spec.name}": missing, expected {spec.description}'
            )
    known = [spec.name for spec in specs]
    names = ", ".join(known) or "none"
    return problems + [
        f'no {kind} is called "{name}", expected {names}'
        for name in values
        if name not in known
    ]


def _overlapping(out: Mapping[str, object]) -> list[str]:
    """Return which pairs of output buffers share memory."""
    arrays = [
        (name, array) for name, v in out.items() if (array := _array(v)) is not None
    ]
    return [
        f'outputs "{first}" and "{second}" share memory'
        for (first, a), (second, b) in combinations(arrays, 2)
        if np.may_share_memory(a, b)
    ]


def _array(value: object) -> Array | None:
    return cast(Array, value) if isinstance(value, np.ndarray) else None
