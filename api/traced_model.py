"""Models whose IR a program makes for given extents of dimensions; traced functions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from glow.analysis.symbols import named_in
from glow.dialects.graph.storage import PlaceholderOp
from glow.graph_modules import bound
from glow.model import Model
from glow.runtime.symbolic import SymbolicSignature
from glow.runtime.tensor_spec import State, TensorSpec, symbolic_spec
from glow.support.arrays import Extents
from glow.support.dimensions import relations
from glow.support.errors import BindingError
from glow.support.garbage import no_collection
from glow.support.types import dtype_of
from glow.symbolic_model import SymbolicModel
from glow.tracing.programs import TracedArguments, TracedProgram, trace_program

_PRIMES = 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61
"""Small, so that arrays with several open dimensions are not too large."""


class ProgramModel(SymbolicModel):
    """A model whose module a program makes, once all dimensions have extents."""

    @abstractmethod
    def _module_for(self, dims: Mapping[str, int]) -> ModuleOp:
        """Return a new module."""

    def _import(
        self,
        dims: Mapping[str, int],
        constants: Mapping[str, object],
        note: Callable[[Hashable], None] | None = None,
    ) -> ModuleOp:
        missing = [name for name in self.dims if name not in dims]
        if missing:
            names = ", ".join(f'"{name}"' for name in missing)
            raise BindingError(
                f"{self.name}: expected extents of dimensions {names}, got none; "
                "specialize gives a model for some"
            )
        if note is not None:  # the program may have computed anything from them
            note(tuple(dims.items()))
        module = self._module_for(dims)
        return bound(module, constants) if constants else module

    def bind(self, arrays: Mapping[str, object]) -> Model:
        raise BindingError(
            f"{self.name}: expected a model whose dimensions are known to bind inputs; "
            "specialize gives one"
        )


class TracedModel(ProgramModel):
    """
    A function that is traced once for each set of extents of its dimensions.

    It is first tried for two extents of each dimension, to see what its outputs are.
    These are multiples of 16, which a function that refuses some extents must take.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        given: TracedArguments,
    ):
        self.name = getattr(function, "__name__", "model")
        self._function, self._given = function, given
        inputs = tuple(symbolic_spec(s.name, s.shape, s.dtype) for s in given.specs)
        self.signature = SymbolicSignature(inputs, ())
        trials = [self._trial(first) for first in (0, 1)]
        states = tuple(_states(trials[0][1]))
        self.signature = SymbolicSignature(inputs, _outputs(trials), states)

    def _trial(self, first: int) -> tuple[dict[str, int], TracedProgram]:
        """Return extents, and the program for them."""
        names = enumerate(self.signature.dims)
        dims = {name: _extent_of(2 * i + first) for i, name in names}
        return dims, self._traced(dims)

    @no_collection()
    def _traced(self, dims: Mapping[str, int]) -> TracedProgram:
        texts = [e for s in self._given.specs for e in s.shape if isinstance(e, str)]
        found = relations(texts, dims)
        extents = {text: relation.extent(dims) for text, relation in found.items()}
        return trace_program(self._function, self._given, {**dims, **extents})

    def _module_for(self, dims: Mapping[str, int]) -> ModuleOp:
        return self._traced(dims).module


def _extent_of(number: int) -> int:
    """Return an extent that is not a small multiple of another: 16 times a prime."""
    if number < len(_PRIMES):
        return 16 * _PRIMES[number]
    return 16 * (number * number + number + 41)


def _states(traced: TracedProgram) -> Sequence[State]:
    """Return the variables of a program, as a signature has them."""
    placeholders = named_in(traced.module, PlaceholderOp)
    return [
        State(
            TensorSpec(name, variable.shape, variable.dtype, extents=variable.shape),
            placeholders[name].direction.data,
            variable.array,
        )
        for name, variable in traced.variables
    ]


def _outputs(
    trials: Sequence[tuple[Mapping[str, int], TracedProgram]],
) -> tuple[TensorSpec, ...]:
    """Return the outputs, with the dimensions that extents equal in all trials."""
    found: list[list[PlaceholderOp]] = []
    for _, traced in trials:
        declared = named_in(traced.module, PlaceholderOp).values()
        found.append([op for op in declared if op.direction.data == "out"])
    outputs: list[TensorSpec] = []
    for ops in zip(*found, strict=True):
        shapes = [op.type.get_shape() for op in ops]
        extents: Extents | None = None
        if len(set(map(len, shapes))) == 1:
            axes = [_extent(trials, pair) for pair in zip(*shapes, strict=True)]
            extents = None if None in axes else tuple(e for e in axes if e is not None)
        outputs.append(
            symbolic_spec(
                ops[0].sym_name.data, extents, dtype_of(ops[0].type.element_type)
            )
        )
    return tuple(outputs)


def _extent(
    trials: Sequence[tuple[Mapping[str, int], TracedProgram]], extents: Sequence[int]
) -> int | str | None:
    """Return the constant or dimension with these extents in the trials, if any."""
    if len(set(extents)) == 1:
        return extents[0]
    for name in trials[0][0]:
        if [dims[name] for dims, _ in trials] == list(extents):
            return name
    return None
