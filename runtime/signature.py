"""Signatures: the tensors that an executable takes and returns, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from glow.runtime.copies import contiguous_copy, copy_into
from glow.support.arrays import aligned_empty, filled
from glow.support.errors import BindingError

Array = NDArray[Any]


def describe(shape: Sequence[int], dtype: np.dtype[Any]) -> str:
    """Return `float32[1, 3, 224, 224]`."""
    return f"{dtype}[{', '.join(str(extent) for extent in shape)}]"


@dataclass(frozen=True)
class TensorSpec:
    """
    The name, shape and element type of one input or output.

    `shape` is that of the array to pass. Where the tensor has a layout, the array holds
    it in that order: `pack` makes such an array of a tensor as the model means it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    layout: str = ""
    """In which order the array holds the tensor; empty: in that of the model."""
    tensor_shape: tuple[int, ...] | None = None
    """The shape that the tensor has in the model, where the array has another order."""
    axes: tuple[str, ...] = ()
    """The meaning of each axis, as far as the model states it."""

    def __str__(self) -> str:
        return f"{self.name}: {self.description}"

    @property
    def nbytes(self) -> int:
        """The bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def description(self) -> str:
        """The array to pass, as text: `float32[1, 8, 8, 3] (NHWC of [1, 3, 8, 8])`."""
        notes: list[str] = []
        if self.layout:
            notes.append(f"{self.layout} of {list(self.tensor_shape or ())}")
        if self.axes:
            notes.append("axes " + ", ".join(axis or "?" for axis in self.axes))
        text = describe(self.shape, self.dtype)
        return f"{text} ({'; '.join(notes)})" if notes else text

    def pack(self, tensor: Array) -> Array:
        """Return the array that stands for `tensor`, which has the model's shape."""
        if not self.layout:
            return tensor
        from glow.support.layout import pack, parse_layout

        packed = pack(parse_layout(self.layout), tensor)
        return packed.reshape(self.shape)

    def unpack(self, array: Array) -> Array:
        """Return the tensor, in the model's shape, that `array` stands for."""
        if not self.layout:
            return array
        from glow.support.layout import parse_layout, unpack

        return unpack(parse_layout(self.layout), array, self.tensor_shape or ())

    def problem_with(self, value: object) -> str | None:
        """Return why `value` cannot be this tensor; None if it can."""
        expected = self.description
        array = _array(value)
        if array is None:
            return f"expected {expected}, got a {type(value).__name__}"
        if array.shape != self.shape or array.dtype != self.dtype:
            return f"expected {expected}, got {describe(array.shape, array.dtype)}"
        return None


@dataclass(frozen=True)
class State:
    """A tensor that stays in the bindings of a caller, from run to run."""

    spec: TensorSpec
    direction: str
    """in: runs read it; inout: they update it."""
    initial: Array | None = field(default=None, compare=False)
    """
    The value in new bindings; None: the caller gives one before the first run.

    An array without strides repeats one element, and takes no more memory than that.
    """

    @property
    def is_written(self) -> bool:
        return self.direction == "inout"

    def start(self) -> Array:
        """
        Return an array to start with; the initial one itself if runs only read it.

        Errors: a BindingError where there is no initial value.
        """
        if self.initial is None:
            raise BindingError(
                f'state "{self.spec.name}": it has no initial value, bind one with '
                f"bind, expected {self.spec.description}"
            )
        if not self.is_written:
            return self.initial
        if self.initial.size and not any(self.initial.strides):
            element = self.initial[(slice(1),) * self.initial.ndim]
            return filled(element, self.spec.shape)
        array = aligned_empty(self.spec.nbytes).view(self.spec.dtype)
        array = array.reshape(self.spec.shape)
        copy_into(array, self.initial)
        return array


@dataclass(frozen=True)
class Arguments:
    """
    Arrays of one run, in the order of the signature.

    They are C-contiguous, but for inputs that are outputs too.
    """

    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    """Buffers for the results; nothing else reads or writes them during the run."""
    requested: tuple[Array | None, ...]
    """The caller's own output buffers; None: a fresh array was asked for."""

    def results(self) -> tuple[Array, ...]:
        """Return the outputs after the run, in the caller's buffers where given."""
        return tuple(map(self.deliver, range(len(self.outputs))))

    def deliver(self, number: int) -> Array:
        """Return an output that is ready, in the caller's buffer where given."""
        written, requested = self.outputs[number], self.requested[number]
        if requested is None:
            return written
        if not np.may_share_memory(requested, written):
            copy_into(requested, written)
        return requested


@dataclass(frozen=True)
class Signature:
    """
    The inputs and outputs of a model; a tensor that is both stands in both.

    States are neither: a run is not passed them and does not return them.

    Errors: `bind` and `bind_positional` raise one BindingError that names every
    array that is missing, unknown, or of another type than expected.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    states: tuple[State, ...] = ()

    def __str__(self) -> str:
        inputs = ", ".join(map(str, self.inputs))
        outputs = ", ".join(map(str, self.outputs))
        states = ", ".join(str(state.spec) for state in self.states)
        return f"({inputs}) -> ({outputs})" + (f" with ({states})" if states else "")

    @property
    def directions(self) -> dict[str, str]:
        """The direction of each name: in, out or inout."""
        read = {spec.name for spec in self.inputs}
        directions = {spec.name: "in" for spec in self.inputs}
        for spec in self.outputs:
            directions[spec.name] = "inout" if spec.name in read else "out"
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
        return {spec.name: spec.pack(outputs[spec.name]) for spec in self.outputs}

    def fit(self, arrays: Sequence[object]) -> bool:
        """Return whether `arrays`, in order, need neither a complaint nor a copy."""
        return _fit(arrays, self.inputs)

    def fit_outputs(self, buffers: Sequence[Any], inputs: Sequence[Any]) -> bool:
        """
        Return whether results can go straight into `buffers`, in order.

        That is so where they fit, can be written, and share no memory with each other
        nor with `inputs`, which fit. What is read and written may be one array.
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
        """The number of the input that is the same tensor as an output, by that one."""
        inputs = {spec.name: index for index, spec in enumerate(self.inputs)}
        return {
            index: inputs[spec.name]
            for index, spec in enumerate(self.outputs)
            if spec.name in inputs
        }

    def positional(self, arrays: Sequence[object]) -> dict[str, object]:
        """Return `arrays` by name; they come in the order of the inputs."""
        if len(arrays) != len(self.inputs):
            names = ", ".join(str(spec) for spec in self.inputs)
            count = f"{len(self.inputs)} array{'s' * (len(self.inputs) != 1)}"
            raise BindingError(f"expected {count} ({names}), got {len(arrays)}")
        names = (spec.name for spec in self.inputs)
        return dict(zip(names, arrays, strict=True))

    def bind(
        self, inputs: Mapping[str, object], out: Mapping[str, object] | None = None
    ) -> Arguments:
        """
        Check the arrays of a run and make them contiguous.

        An input that shares memory with a buffer in `out` is copied, so that the run
        may write results before it has read everything. What is read and written may be
        one array, which is then updated in place.
        """
        wanted = out or {}
        problems = _problems("input", self.inputs, inputs, required=True)
        problems += _problems("output", self.outputs, wanted, required=False)
        problems += [
            f'output "{name}": expected a writeable array'
            for name, value in wanted.items()
            if isinstance(value, np.ndarray) and not value.flags.writeable
        ]
        problems += _overlapping(wanted)
        if problems:
            raise BindingError("; ".join(problems))
        requested = tuple(_array(wanted.get(spec.name)) for spec in self.outputs)
        names = [spec.name for spec in self.outputs]
        read: list[Array] = []
        for spec in self.inputs:
            own = names.index(spec.name) if spec.name in names else None
            others = [array for i, array in enumerate(requested) if i != own]
            array = cast(Array, inputs[spec.name])
            read.append(_readable(array, own is not None, others))
        written = tuple(map(_writeable, self.outputs, requested))
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


def overlap(name: str, array: Array, others: Mapping[str, Array]) -> str | None:
    """Return which of `others` shares memory with `array`; None if none does."""
    for other, theirs in others.items():
        if np.may_share_memory(array, theirs):
            return f'"{name}" and "{other}" share memory'
    return None


def _problems(
    kind: str,
    specs: Sequence[TensorSpec],
    values: Mapping[str, object],
    required: bool,
) -> list[str]:
    """Return what is wrong with `values`, one entry for each that is."""
    problems: list[str] = []
    for spec in specs:
        if spec.name in values:
            problem = spec.problem_with(values[spec.name])
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


def _readable(array: Array, is_updated: bool, others: Sequence[Array | None]) -> Array:
    """
    Return `array` so that a run can read it, apart from all `others`.

    What it updates it copies, if need be, to where it writes; the rest is contiguous.
    """
    flags = array.flags
    is_plain = is_updated or (flags.c_contiguous and flags.aligned)
    if is_plain and not any(
        other is not None and np.may_share_memory(array, other) for other in others
    ):
        return _plain(array)
    return contiguous_copy(array)


def _writeable(spec: TensorSpec, requested: Array | None) -> Array:
    """Return `requested` where code can write into it directly, or a fresh array."""
    if requested is None or not requested.flags.carray:
        return np.empty(spec.shape, spec.dtype)
    return _plain(requested)


def _plain(array: Array) -> Array:
    """Return `array` as one of NumPy's own class."""
    return array if type(array) is np.ndarray else array.view(np.ndarray)
