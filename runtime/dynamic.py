"""Executables of models whose dimensions are known only when they run."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, overload
from weakref import WeakKeyDictionary

from glow.runtime.background import BackgroundWork
from glow.runtime.bindings import Bindings
from glow.runtime.frame import Notify, OnOutput
from glow.runtime.interface import Executable
from glow.runtime.profile import Record
from glow.runtime.rows import ByRows
from glow.runtime.specializations import Specializations
from glow.runtime.symbolic import SymbolicSignature, Symbols
from glow.support.arrays import Array, address_of
from glow.support.dimensions import Dims
from glow.support.errors import BindingError, CompilationError

_LOG = logging.getLogger("glow")

_shape_of = attrgetter("shape")


class DynamicExecutable(Executable):
    """
    A model with symbolic dimensions: it is compiled for each shape that comes along.

    A call runs what was compiled for the shapes of its inputs, and compiles where there
    is nothing yet: one thread does while others that want the same wait. What was
    compiled for the last `cache_size` shapes is kept, with shared constants and
    kernels. With `work`, code for another batch serves a call where it can, while a
    thread compiles for the shape of the call. Errors: as of other executables, which
    name dimensions that two arrays disagree on or that the model cannot have; a call
    raises what was raised for its shape in the background.
    """

    def __init__(
        self,
        signature: SymbolicSignature,
        compile: Callable[[Dims], Executable],
        cache_size: int,
        work: BackgroundWork | None = None,
        computes_apart: Callable[[Dims, Dims, str], bool] | None = None,
    ):
        """`computes_apart` says whether rows are computed alike in two batches."""
        super().__init__(signature)
        self._work, self._computes_apart = work, computes_apart
        self._is_apart: dict[tuple[int, ...], bool] = {}
        """The answers of `computes_apart`, by the extents other than the batch."""
        self._symbols = signature
        self._compile = compile
        self._kept = Specializations[Executable](cache_size)
        self._extents: WeakKeyDictionary[Executable, dict[str, int]] = (
            WeakKeyDictionary()
        )

    @property
    def dims(self) -> tuple[str, ...]:
        """The symbolic dimensions, in the order of the inputs."""
        return self._symbols.dims

    @property
    def compiled(self) -> tuple[dict[str, int], ...]:
        """The extents that are compiled, those used last at the end."""
        return tuple(dims for dims, _ in self._compiled())

    def _compiled(self) -> list[tuple[dict[str, int], Executable]]:
        return [(self._extents[net].copy(), net) for _, net in self._kept.items()]

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
        Return the extents that some inputs and states, by name, give to dimensions.

        Errors: a BindingError for arrays that do not fit, and dimensions of no array.
        """
        return self._symbols.dims_of(arrays, partial=True)

    def specialize(self, dims: Mapping[str, int]) -> Executable:
        """
        Return the executable for these extents, compiled if need be.

        It can be used even when it is no longer kept here. Errors: a BindingError that
        lists missing, unknown or negative dimensions; what compiling raises.
        """
        problems = self._symbols.check_dims(dims)
        if problems:
            raise BindingError("; ".join(problems))
        return self._for({name: int(extent) for name, extent in dims.items()})

    def __call__(self, *arrays: object, **named: object) -> Array | tuple[Array, ...]:
        net = None if named else self._found(arrays)
        if net is None:
            given = self.signature.positional(arrays, named)
            net = self._serving(self._symbols.dims_of(given))
        return net(*arrays, **named)

    @overload
    def run(self, inputs: None, out: Mapping[str, object], /) -> list[Any]: ...
    @overload
    def run(
        self,
        inputs: Mapping[str, object] | Sequence[object],
        out: Mapping[str, object] | None = None,
        on_output: OnOutput | None = None,
        *,
        like: object = None,
    ) -> dict[str, Any]: ...
    def run(
        self,
        inputs: Mapping[str, object] | Sequence[object] | None,
        out: Mapping[str, object] | None = None,
        on_output: OnOutput | None = None,
        *,
        like: object = None,
    ) -> dict[str, Any] | list[Any]:
        if inputs is None and out:
            return list(self.run(out).values())
        given = self.signature.named(inputs)
        net = self._found(map(given.get, self._input_names))
        if net is None:
            net = self._serving(self._symbols.dims_of(given))
        return net.run(given, out, on_output, like=like)

    def profile(
        self,
        inputs: Mapping[str, object],
        runs: int = 1,
        after_run: Callable[[], object] | None = None,
    ) -> tuple[Record, ...]:
        net = self._for(self._dims_given(inputs))
        return net.profile(inputs, runs, after_run)

    def bind(
        self, arrays: Mapping[str, object] | None = None, arena: object = None
    ) -> Bindings:
        """
        Return places for the arrays of one caller, which have one shape for all runs.

        `arrays` must have inputs, or states, that say what each dimension is. States
        belong to these extents: to go on with others, bind again, and pass the states
        that were reached. Errors: a BindingError that names all arrays that misfit.
        """
        given = arrays or {}
        return self._for(self._dims_given(given)).bind(given, arena)

    def _dims_given(self, arrays: Mapping[str, object]) -> Dims:
        """Return the extents that the inputs and states among `arrays` give."""
        names = {*self._input_names, *(s.spec.name for s in self.signature.states)}
        return self.dims_of({n: array for n, array in arrays.items() if n in names})

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Write the executables of all shapes that are kept to one file.

        `glow.load_executable` returns one that runs these shapes, and compiles no
        others. Errors: as of other executables; a CompilationError without a shape.
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

    def _found(self, arrays: Iterable[object]) -> Executable | None:
        """Return the executable for arrays of these shapes, if there is one."""
        try:
            return self._kept.find(tuple(map(_shape_of, arrays)))
        except (AttributeError, TypeError, ValueError):
            return None  # arrays without a shape are refused later

    def _serving(self, dims: Dims) -> Executable:
        """Return code for `dims`, or what computes the same while it is compiled."""
        if self._work is None:
            return self._for(dims)
        key = self._symbols.shapes_of(dims)
        if (net := self._kept.find(key)) is not None:
            return net
        self._work.check(key)
        if (net := self._by_rows(dims, self._work)) is None:
            return self._for(dims)
        self._work.add(key, partial(self._for, dims))
        return net

    def _by_rows(self, dims: Dims, work: BackgroundWork) -> Executable | None:
        """Return what runs `dims` by code for another batch, if that is known to do."""
        specs = self.signature.inputs
        batch = str((specs[0].extents or ("",))[:1][0]) if specs else ""
        if self._computes_apart is None or dims.get(batch, 0) < 2:
            return None
        rest = {name: extent for name, extent in dims.items() if name != batch}
        nets = {
            own[batch]: (own, net)
            for own, net in self._compiled()
            if own[batch] not in (0, 1, dims[batch]) and {**own, **rest} == own
        }
        if not nets:
            return None
        key, count = tuple(rest.values()), dims[batch]
        rows = min(nets, key=lambda n: (-(-count // n) * n, -n))  # fewest rows
        own, net = nets[rows]
        if key not in self._is_apart:
            compare = partial(self._computes_apart, own, dims, batch)
            work.add(("rows", key), lambda: self._is_apart.update({key: compare()}))
        if not self._is_apart.get(key):
            return None
        _LOG.info("%s=%d: served by code for %d", batch, count, rows)
        named = [s.name for s in specs if (s.extents or ())[:1] == (batch,)]
        return ByRows(net, count, named)

    def _for(self, dims: Dims) -> Executable:
        def compiled() -> Executable:
            net = self._compile(dims)
            self._extents[net] = {name: dims[name] for name in self.dims}
            self.file = None  # the file lacks `net`
            return net

        return self._kept.get(self._symbols.shapes_of(dims), compiled)
