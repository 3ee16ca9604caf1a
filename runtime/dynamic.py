"""Executables of models whose dimensions are known only when they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from glow.runtime.bindings import Bindings
from glow.runtime.copies import Array
from glow.runtime.frame import Notify
from glow.runtime.interface import Executable
from glow.runtime.specializations import Specializations
from glow.runtime.symbolic import Dims, Shapes, SymbolicSignature, Symbols
from glow.runtime.telling import OnOutput
from glow.support.arrays import address_of
from glow.support.errors import BindingError, CompilationError


class DynamicExecutable(Executable):
    """
    A model with symbolic dimensions: it is compiled for each shape that comes along.

    A call runs what was compiled for the shapes of its inputs, and compiles where there
    is nothing yet: one thread does while others that want the same wait. What was
    compiled for the last `cache_size` shapes is kept; all of it shares constants,
    packed ones too, and kernels. `specialize` returns what stands for given extents.
    Errors: as of other executables; a BindingError also names dimensions that two
    arrays disagree on, and where the model cannot have a shape, its error says which
    dimensions these were.
    """

    def __init__(
        self,
        signature: SymbolicSignature,
        compile: Callable[[Dims], Executable],
        cache_size: int,
    ):
        super().__init__(signature)
        self._symbols = signature
        self._compile = compile
        self._kept = Specializations(cache_size)

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions, in the order of the inputs."""
        return self._symbols.dims

    @property
    def compiled(self) -> tuple[dict[str, int], ...]:
        """The extents that are compiled, those used last at the end."""
        return tuple(dims for dims, _ in self._compiled())

    def _compiled(self) -> list[tuple[dict[str, int], Executable]]:
        return [
            (dict(self._symbols.dims_for(cast(Shapes, key))), net)
            for key, net in self._kept.items()
        ]

    @property
    def arena_bytes(self) -> int:
        """The bytes that a run works in, for the largest shape that is compiled."""
        return max((net.arena_bytes for _, net in self._compiled()), default=0)

    @property
    def constants(self) -> tuple[Array, ...]:
        """The constants of all shapes that there are, shared ones once."""
        arrays = (array for _, net in self._compiled() for array in net.constants)
        return tuple({address_of(array): array for array in arrays}.values())

    def dims_of(self, arrays: Mapping[str, object]) -> Dims:
        """
        Return the extents that inputs and states by name, not all, give to dimensions.

        Errors: a BindingError for what does not fit, and for dimensions of none.
        """
        return self._symbols.dims_of(arrays, partial=True)

    def specialize(self, dims: Mapping[str, int]) -> Executable:
        """
        Return the executable for these extents, compiled if need be.

        It has the shapes of its own, and goes on if it is no longer kept here.
        Errors: a BindingError that lists dimensions which are missing, unknown or
        negative; what compiling raises.
        """
        problems = self._symbols.check_dims(dims)
        if problems:
            raise BindingError("; ".join(problems))
        return self._for({name: int(extent) for name, extent in dims.items()})

    def __call__(self, *arrays: object) -> Array | tuple[Array, ...]:
        net = self._found(arrays)
        if net is None:
            given = self.signature.positional(arrays)
            net = self._for(self._symbols.dims_of(given))
        return net(*arrays)

    def run(
        self,
        inputs: Mapping[str, object],
        out: Mapping[str, object] | None = None,
        on_output: OnOutput | None = None,
    ) -> dict[str, Array]:
        net = self._found([inputs.get(name) for name in self._input_names])
        if net is None:
            net = self._for(self._symbols.dims_of(inputs))
        return net.run(inputs, out, on_output)

    def bind(
        self, arrays: Mapping[str, object] | None = None, arena: object = None
    ) -> Bindings:
        """
        Return places for the arrays of one caller, which have one shape for all runs.

        `arrays` must have inputs, or states, that say what each dimension is;
        `specialize` does without. States belong to these bindings and their extents:
        who goes on with others binds anew, and gives the states what they hold then.
        Errors: a BindingError that names all that do not fit.
        """
        given = arrays or {}
        names = {*self._input_names, *(s.spec.name for s in self.signature.states)}
        dims = self.dims_of({n: array for n, array in given.items() if n in names})
        return self._for(dims).bind(given, arena)

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the executables of all shapes that are kept to one file.

        What they share is there once. `glow.load_executable` returns one that runs
        these shapes, and compiles no others. Errors: as of other executables, and a
        CompilationError where there is no shape yet.
        """
        from glow.runtime.image_file import write_images

        nets = self._compiled()
        if not nets:
            dims = ", ".join(f'"{name}": ...' for name in self.dims)
            raise CompilationError(
                "expected a shape to save an executable for, got none; name some when "
                f"the model is compiled, shapes={{{dims}}}, or specialize({{{dims}}})"
            )
        symbols = Symbols(self._symbols, tuple(dims for dims, _ in nets))
        write_images(Path(path), [net.image() for _, net in nets], symbols)

    def execute(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        states: Sequence[Array] = (),
        notify: Notify | None = None,
    ) -> None:
        kept = [state.spec.name for state in self.signature.states]
        arrays = dict(zip((*self._input_names, *kept), (*inputs, *states), strict=True))
        self._for(self.dims_of(arrays)).execute(inputs, outputs, states, notify)

    def _found(self, arrays: Sequence[Any]) -> Executable | None:
        """Return the executable for arrays of these shapes, if there is one."""
        try:
            return self._kept.find(tuple([array.shape for array in arrays]))
        except (AttributeError, TypeError):
            return None  # what has no shape, or strange ones, is to be complained about

    def _for(self, dims: Dims) -> Executable:
        shapes = self._symbols.shapes_of(dims)
        return self._kept.get(shapes, lambda: self._compile(dims))

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an executable cannot be pickled: its code is in this process;"
            " compile the model in the other one"
        )
